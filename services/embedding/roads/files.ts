import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DomainError } from '../../../domain/errors.js';
import { AS_MASKED, makeFolder } from '../../make-folder.js';
import type { ModelManifest, PinnedFile } from '../manifest.js';

/** Bytes of one file so far. `total` is what the manifest expects. */
export type FetchProgress = { readonly road: string; readonly file: string; readonly loaded: number; readonly total: number };

/** What a road needs to bring the files that are missing. */
export type RoadContext = {
  readonly manifest: ModelManifest;
  readonly missing: readonly PinnedFile[];
  /** The folder that the model will live in. */
  readonly dir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (progress: FetchProgress) => void;
  readonly limits: FetchLimits;
};

export type FetchLimits = {
  /** Milliseconds without a byte after which a request is given up. */
  readonly silenceMs: number;
  /** Milliseconds that Maven may take for one artifact. */
  readonly mavenMs: number;
};

export const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
};

/** Size of a plain file, or undefined when there is none. */
export const sizeOf = async (path: string): Promise<number | undefined> => {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : undefined;
  } catch {
    return undefined;
  }
};

const refuse = (file: PinnedFile, origin: string, found: string) =>
  new DomainError(
    'UNAVAILABLE',
    `${file.path} from ${origin} is not the pinned file: ${found}.`,
    'It was not used. Take the file from another place, or fetch it again.',
  );

/**
 * Puts one pinned file in its place: written under a temporary name, checked against its size and SHA-256, renamed. A file
 * that is not the pinned one throws UNAVAILABLE with its name and leaves nothing behind.
 */
export const placeFile = async (
  { dir, onProgress }: RoadContext,
  file: PinnedFile,
  source: { readonly road: string; readonly origin: string; readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array> },
): Promise<void> => {
  const target = join(dir, file.path);
  const temporary = `${target}.${randomUUID()}.partial`;
  await makeFolder(dirname(target), AS_MASKED);
  const hash = createHash('sha256');
  let loaded = 0;
  try {
    const handle = await open(temporary, 'wx');
    try {
      for await (const chunk of source.chunks) {
        loaded += chunk.byteLength;
        if (loaded > file.bytes) throw refuse(file, source.origin, `it is longer than ${file.bytes} bytes`);
        hash.update(chunk);
        await handle.writeFile(chunk);
        onProgress({ road: source.road, file: file.path, loaded, total: file.bytes });
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (loaded < file.bytes) throw refuse(file, source.origin, `it ended after ${loaded} of ${file.bytes} bytes`);
    const found = hash.digest('hex');
    if (found !== file.sha256) throw refuse(file, source.origin, `its SHA-256 is ${found}, expected ${file.sha256}`);
    await rename(temporary, target);
  } finally {
    await rm(temporary, { force: true });
  }
};

/** Writes the files of ours that stand beside the fetched ones. */
export const writeOwnFiles = async (dir: string, { written }: ModelManifest): Promise<void> => {
  await makeFolder(dir, AS_MASKED);
  for (const [name, content] of Object.entries(written)) {
    const temporary = join(dir, `${name}.${randomUUID()}.partial`);
    await writeFile(temporary, `${JSON.stringify(content, null, 2)}\n`);
    await rename(temporary, join(dir, name));
  }
};
