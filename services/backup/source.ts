import type { Redis } from 'iovalkey';
import type { Position } from '../../domain/envelope.js';
import type { Keys } from '../../projections/keys.js';
import { loadScript, runScriptBuffer } from '../../projections/scripts.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import { type EnvelopeFacts, factsOf, payloadDigest, type RawEntry, toWire, type WireField } from './entry.js';

const PAYLOADS = loadScript('services/eventlog/payloads.lua');

/** Entries after a place, byte for byte, with their payloads. Throws UNAVAILABLE. */
export const readRaw = async (redis: Redis, keys: Keys, after: Position, count: number): Promise<readonly RawEntry[]> =>
  withPayloads(redis, keys, await readFields(redis, keys, `(${after}`, '+', count));

/** The entries from one place to another, both included, with their payloads as they are now. */
export const readRawBetween = async (redis: Redis, keys: Keys, first: Position, last: Position): Promise<readonly RawEntry[]> => {
  const all: RawEntry[] = [];
  for (let from = first; ; ) {
    const page = await readFields(redis, keys, from, last, PAGE);
    all.push(...(await withPayloads(redis, keys, page)));
    const end = page.at(-1);
    if (!end || page.length < PAGE) return all;
    from = `(${end.position}`;
  }
};

const PAGE = 500;

export type RawFields = Pick<RawEntry, 'position' | 'fields'>;

/** Entries after a place without their payloads. */
export const readFieldsAfter = (redis: Redis, keys: Keys, after: Position, count: number): Promise<readonly RawFields[]> =>
  readFields(redis, keys, `(${after}`, '+', count);

const readFields = async (redis: Redis, keys: Keys, from: string, to: string, count: number): Promise<readonly RawFields[]> => {
  const found = await unavailableWhenDown(() => redis.callBuffer('XRANGE', [keys.log, from, to, 'COUNT', count]));
  return (found as [Buffer, Buffer[]][]).map(([position, fields]) => ({ position: position.toString(), fields: fields.map(toWire) }));
};

type Found = RawFields & { readonly facts: EnvelopeFacts };
type Addressed = RawFields & { readonly facts: EnvelopeFacts & { readonly subject: string; readonly n: number } };
const isAddressed = (entry: Found): entry is Addressed => entry.facts.subject !== undefined && entry.facts.n !== undefined;

const withPayloads = async (redis: Redis, keys: Keys, page: readonly RawFields[]): Promise<RawEntry[]> => {
  const found: Found[] = page.map((entry) => ({ ...entry, facts: factsOf(entry) }));
  const addressed = found.filter(isAddressed);
  const replies =
    addressed.length === 0
      ? []
      : ((await unavailableWhenDown(() =>
          runScriptBuffer(
            redis,
            PAYLOADS,
            addressed.map(({ facts }) => keys.payloads(facts.subject)),
            addressed.map(({ facts }) => facts.n),
          ),
        )) as (Buffer | null)[]);
  let at = 0;
  return found.map((entry): RawEntry => {
    const { position, fields, facts } = entry;
    if (!isAddressed(entry)) return { position, fields, state: 'b', payload: undefined };
    const payload = replies[2 * at] ?? undefined;
    const erasedBelow = Number(replies[2 * at + 1]?.toString() ?? 0);
    at += 1;
    if (!payload) return { position, fields, state: (facts.n ?? 0) < erasedBelow ? 'h' : 'm', payload };
    return { position, fields, state: payloadDigest(payload) === facts.digest ? 'p' : 'd', payload };
  });
};

/** Text of a field list as one comparable string. */
export const sameFields = (a: readonly WireField[], b: readonly WireField[]): boolean => JSON.stringify(a) === JSON.stringify(b);
