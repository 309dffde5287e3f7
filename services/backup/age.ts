import { setImmediate as others } from 'node:timers/promises';
import type { Decrypter, Encrypter } from 'age-encryption';

/** One piece of the age format: some milliseconds of work. */
const SLICE_BYTES = 2 ** 16;

/** Encrypts a file, and lets everything else that runs in this process take its turn meanwhile. */
export const sealWith = async (encrypter: Encrypter, bytes: Uint8Array): Promise<Uint8Array> =>
  wholeOf(await encrypter.encrypt(sliced(bytes)));

/** Decrypts a file in the same way. Throws what the library throws. */
export const openWith = async (decrypter: Decrypter, bytes: Uint8Array): Promise<Buffer> => wholeOf(await decrypter.decrypt(sliced(bytes)));

const sliced = (bytes: Uint8Array): ReadableStream<Uint8Array> => {
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        await others();
        if (at < bytes.length) controller.enqueue(bytes.subarray(at, at + SLICE_BYTES));
        at += SLICE_BYTES;
        if (at >= bytes.length) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
};

const wholeOf = async (stream: ReadableStream<Uint8Array>): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
};
