import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { type Identity, type Recipient, Stanza } from 'age-encryption';
import { DomainError } from '../../domain/errors.js';

/** Base-2 logarithm of scrypt's work: what the age tools themselves write. */
const WORK_FACTOR = 18;
/** More is refused when a file asks for it: 20 are a gigabyte and some seconds. */
const WORK_FACTOR_MOST = 20;
const LABEL = 'age-encryption.org/v1/scrypt';
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const BODY_BYTES = 32;
const CIPHER = 'chacha20-poly1305';
/** Each key wraps one thing only, as the format has it. */
const NONCE = Buffer.alloc(12);

/**
 * What age does with a passphrase (the stanza `scrypt`, https://age-encryption.org/v1, section "The scrypt recipient type"), with the
 * derivation in a thread of the runtime: the library itself derives in JavaScript, and nothing else runs for those seconds.
 */
export const passphraseRecipient = (passphrase: string, workFactor = WORK_FACTOR): Recipient => ({
  wrapFileKey: async (fileKey) => {
    const salt = randomBytes(SALT_BYTES);
    const cipher = createCipheriv(CIPHER, await derive(passphrase, salt, workFactor), NONCE, { authTagLength: TAG_BYTES });
    const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()]);
    return [new Stanza(['scrypt', unpadded(salt), String(workFactor)], new Uint8Array(body))];
  },
});

/** Answers null for another passphrase. Throws UNAVAILABLE where there is no memory for it, and an error for a stanza that is none, or that asks for more work than can be meant. */
export const passphraseIdentity = (passphrase: string): Identity => ({
  unwrapFileKey: async (stanzas) => {
    const stanza = stanzas.find(({ args }) => args[0] === 'scrypt');
    if (!stanza) return null;
    const [, saltText = '', work = '', ...more] = stanza.args;
    const salt = Buffer.from(saltText, 'base64');
    const isOne = stanzas.length === 1 && more.length === 0 && unpadded(salt) === saltText && salt.length === SALT_BYTES;
    if (!isOne || !/^[1-9]\d?$/.test(work) || stanza.body.length !== BODY_BYTES) throw new Error('invalid scrypt stanza');
    if (Number(work) > WORK_FACTOR_MOST) throw new Error('scrypt work factor is too high');
    const decipher = createDecipheriv(CIPHER, await derive(passphrase, salt, Number(work)), NONCE, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(stanza.body.subarray(-TAG_BYTES));
    const fileKey = decipher.update(stanza.body.subarray(0, -TAG_BYTES));
    try {
      decipher.final();
    } catch {
      return null;
    }
    return new Uint8Array(fileKey);
  },
});

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** One at a time in this process: each takes 256 MB at the usual work, and a thread that files are read with, too. */
let derivations: Promise<unknown> = Promise.resolve();

const derive = (passphrase: string, salt: Buffer, workFactor: number): Promise<Buffer> => {
  const cost = { N: 2 ** workFactor, r: 8, p: 1 };
  // N * r blocks of 128 bytes, and a little beside them.
  const maxmem = 128 * cost.N * cost.r + 2 ** 20;
  const derivation = derivations.then(
    () =>
      new Promise<Buffer>((resolve, reject) => {
        scrypt(passphrase, Buffer.concat([Buffer.from(LABEL), salt]), 32, { ...cost, maxmem }, (error, key) =>
          error ? reject(underivable(error)) : resolve(key),
        );
      }),
  );
  derivations = derivation.catch(() => undefined);
  return derivation;
};

const underivable = (cause: Error): DomainError =>
  new DomainError(
    'UNAVAILABLE',
    `The key of the backups cannot be derived from the passphrase: ${cause.message}`,
    'It takes 256 MB of memory for some seconds: free some, and run it again.',
    { cause },
  );
