import { createHash, type Hash, hash } from 'node:crypto';
import type { Redis } from 'iovalkey';
import type { Position } from '../../domain/envelope.js';
import type { Keys } from '../../projections/keys.js';
import { loadScript, runScript } from '../../projections/scripts.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import { factsOf, fromWire, type RawEntry } from './entry.js';

const READBACK = loadScript('services/backup/readback.lua');
const PAGE = 1_000;
/** Pages that the server is asked for at once. */
const DEPTH = 2;

/** `places`: subject and version of each entry; none where it has no place for a payload. */
type Page<Digest> = {
  readonly digest: Digest;
  readonly first: Position;
  readonly last: Position;
  readonly places: (readonly [subject: string, n: number] | undefined)[];
};

const sha1 = (data: string | Buffer): string => hash('sha1', data, 'hex');

const envelopeOf = ({ position, fields }: Pick<RawEntry, 'position' | 'fields'>): string | Buffer => {
  if (fields.every((field) => typeof field === 'string')) return `${position}\0${fields.join('\0')}`;
  const parts = [position, ...fields.map(fromWire)].flatMap((part, i) => (i === 0 ? [part] : ['\0', part]));
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
};

export type Readback = ReturnType<typeof createReadback>;

/**
 * Notes what the store must hold once a restore is done, and has the server hold it against what it does hold: a SHA-1 over
 * every field and payload, a page at a time. It guards against mistakes, not against the server.
 */
export const createReadback = (redis: Redis, keys: Keys) => {
  const pages: Page<string>[] = [];
  let open: Page<Hash> | undefined;

  const close = (): void => {
    if (open) pages.push({ ...open, digest: open.digest.digest('hex') });
    open = undefined;
  };

  return {
    /** The next entry, with the payload that has to be there. */
    expect: (entry: Pick<RawEntry, 'position' | 'fields'>, payload: Buffer | undefined): void => {
      const { position } = entry;
      open = { ...(open ?? { digest: createHash('sha1'), first: position, places: [] }), last: position };
      const { digest, places } = open;
      digest.update(sha1(envelopeOf(entry))).update(payload ? sha1(payload) : '-');
      const { subject, n } = factsOf(entry);
      places.push(subject === undefined || n === undefined ? undefined : [subject, n]);
      if (places.length === PAGE) close();
    },
    /** Whether the store holds exactly that, entry by entry. Throws UNAVAILABLE. */
    holds: async (): Promise<boolean> => {
      close();
      const check = async ({ digest, first, last, places }: Page<string>): Promise<boolean> => {
        const hashes = places.map((place) => (place ? keys.payloads(place[0]) : keys.log));
        const versions = places.map((place) => place?.[1] ?? '');
        const found = await unavailableWhenDown(() => runScript(redis, READBACK, [keys.log, ...hashes], [first, last, ...versions]));
        return found === digest;
      };
      for (let from = 0; from < pages.length; from += DEPTH) {
        const answers = await Promise.all(pages.slice(from, from + DEPTH).map(check));
        if (answers.includes(false)) return false;
      }
      return true;
    },
  };
};
