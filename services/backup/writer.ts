import type { Redis } from 'iovalkey';
import { Packr } from 'msgpackr';
import { ORIGIN, type Position } from '../../domain/envelope.js';
import { erases } from '../../domain/erasure.js';
import { DomainError } from '../../domain/errors.js';
import type { Keys } from '../../projections/keys.js';
import { loadScript, runScript } from '../../projections/scripts.js';
import { SETS_CONTENT } from '../eventlog/encode.js';
import { RECALL_COUNTERS } from '../eventlog/forget.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import { bytesOf, factsOf, type RawEntry } from './entry.js';
import { erasedBelow, type Fate } from './fate.js';
import type { Side } from './side.js';

const RESTORE = loadScript('services/backup/restore.lua');
const SIDE = loadScript('services/backup/side.lua');
const SIDE_BATCH = 1_000;
// Plain maps and lists: what the server's own library reads.
const packr = new Packr({ useRecords: false, moreTypes: false, variableMapSize: true });

export type WriterParts = {
  readonly redis: Redis;
  readonly keys: Keys;
  readonly token: string;
  readonly fates: ReadonlyMap<string, Fate>;
  readonly forgotten: ReadonlySet<string>;
  /** Physical keys that hold a subject's text beside its payloads, in a store that already had it. */
  readonly textKeys: ((subject: string) => readonly string[]) | undefined;
  /** Claims by subject that are taken with its first event, and then left out of this map: for a store that held nothing. */
  readonly claims?: Map<string, string> | undefined;
};

/** What the first batch does to a store that held nothing. */
export type Birth = { readonly deletes: readonly string[]; readonly meta: Readonly<Record<string, string>> };

/**
 * Writes entries behind the end of the log in single steps, each of which checks that the log still ends where the last one
 * left it. A step may be sent while the one before is under way. Throws CONFLICT when somebody else wrote.
 */
export const createWriter = (parts: WriterParts, start: { readonly length: number; readonly head: Position }) => {
  const { redis, keys, token, textKeys } = parts;
  let { length, head } = start;
  let before: Promise<unknown> = Promise.resolve();
  /** Where the log ends after each step that was sent, in their order. */
  const ends: { readonly length: number; readonly head: Position }[] = [];

  const send = async (entries: readonly RawEntry[], birth: Birth | undefined): Promise<void> => {
    const scriptKeys = [
      keys.restoring,
      keys.log,
      keys.meta,
      keys.erasures,
      keys.counter(RECALL_COUNTERS.count),
      keys.counter(RECALL_COUNTERS.last),
      keys.claims,
    ];
    const key = (name: string): number => scriptKeys.push(name);
    const args: Buffer[] = [Buffer.alloc(0)];
    const arg = (bytes: Buffer): number => args.push(bytes);
    const claims: string[] = [];
    const plan = {
      t: token,
      l: length,
      h: head === ORIGIN ? '' : head,
      i: textKeys !== undefined,
      x: (birth?.deletes ?? []).map(key),
      ...(birth && { m: Object.entries(birth.meta).flat() }),
      e: entries.map((entry) => ({
        p: entry.position,
        ...fieldsPlan(entry, arg),
        ...payloadPlan(parts, entry, key, arg, claims),
      })),
      c: claims,
    };
    args[0] = packr.pack(plan);
    const earlier = before;
    length = (birth ? 0 : length) + entries.length;
    head = entries.at(-1)?.position ?? head;
    const step = ends.push({ length, head }) - 1;
    const run = async (): Promise<Answer> => (await unavailableWhenDown(() => runScript(redis, RESTORE, scriptKeys, args))) as Answer;
    const answer = await run();
    if (isDone(answer, step)) return;
    // A server that was started anew did not know the script: the step before may have come in behind this one.
    await earlier;
    const again = await run();
    if (!isDone(again, step)) throw disturbed(again[0]);
  };

  /** A call that was sent twice after a broken connection finds its own work, or that of a later step. */
  const isDone = ([outcome, found, last]: Answer, step: number): boolean =>
    outcome === 'ok' || (outcome === 'moved' && ends.slice(step).some((end) => end.length === found && end.head === last));

  return (entries: readonly RawEntry[], birth?: Birth): Promise<void> => {
    const step = send(entries, birth);
    before = step.catch(() => undefined);
    return step;
  };
};

type Answer = readonly [outcome: 'ok' | 'lost' | 'moved', length?: number, last?: string];

const fieldsPlan = ({ fields }: RawEntry, arg: (bytes: Buffer) => number): Readonly<Record<string, unknown>> => {
  if (fields.every((field) => typeof field === 'string')) return { f: fields };
  const bytes: (readonly [number, number])[] = [];
  const texts = fields.map((field, i) => {
    if (typeof field === 'string') return field;
    bytes.push([i + 1, arg(bytesOf(field))]);
    return '';
  });
  return { f: texts, b: bytes };
};

const payloadPlan = (
  parts: WriterParts,
  entry: RawEntry,
  key: (name: string) => number,
  arg: (bytes: Buffer) => number,
  claimed: string[],
): Readonly<Record<string, unknown>> => {
  const { subject, n, type } = factsOf(entry);
  if (subject === undefined || n === undefined || entry.state === 'b') return {};
  const below = erasedBelow(parts, subject);
  const payload = below !== undefined && n < below ? undefined : entry.payload;
  const address = { k: key(parts.keys.payloads(subject)), n };
  if (erases(type) && payload) {
    return { ...address, y: arg(payload), g: subject, d: (parts.textKeys?.(subject) ?? []).map(key) };
  }
  // A project may have a new context after it was deleted.
  if (payload && entry.state === 'p' && (below === undefined || n > below)) {
    const claims = parts.claims?.get(subject);
    const version = String(n);
    const fields = ['v', version];
    if (SETS_CONTENT.has(type ?? '')) fields.push('cv', version);
    if (claims) {
      parts.claims?.delete(subject);
      fields.push('c', claims);
      claimed.push(...(claims.match(/\S+/g) ?? []).flatMap((claim) => [claim, subject]));
    }
    return { ...address, y: arg(payload), w: fields };
  }
  return {
    ...address,
    ...(payload && { y: arg(payload) }),
    ...(entry.state !== 'm' && { v: true }),
    ...(below !== undefined && { o: below }),
  };
};

const disturbed = (answer: string): DomainError =>
  answer === 'lost'
    ? new DomainError('CONFLICT', 'Another restore took over this store', 'Wait for it to end.')
    : new DomainError(
        'CONFLICT',
        'Somebody wrote into the store while it was being restored',
        'Stop the other program, then restore again.',
      );

export type SideParts = Pick<WriterParts, 'redis' | 'keys' | 'token'> & {
  readonly forgotten: ReadonlySet<string>;
  /** Claims by subject, '' for a subject that holds none; only these subjects are touched. */
  readonly claims: ReadonlyMap<string, string>;
};

/** Counters (never lowered), the erasure number, the list of models, and the claims. */
export const writeSide = async ({ redis, keys, token, forgotten, claims }: SideParts, side: Side): Promise<void> => {
  const counts = Object.entries(side.counters).flatMap(([name, hash]) =>
    Object.entries(hash).flatMap(([subject, value]) => (forgotten.has(subject) ? [] : [{ name, subject, value }])),
  );
  const held = [...claims];
  const batches = Math.max(1, Math.ceil(counts.length / SIDE_BATCH), Math.ceil(held.length / SIDE_BATCH));
  for (let i = 0; i < batches; i++) {
    const scriptKeys = [keys.restoring, keys.erasures, keys.models, keys.claims];
    const args: string[] = [''];
    const key = (name: string): number => scriptKeys.push(name);
    const slice = <T>(all: readonly T[]): readonly T[] => all.slice(i * SIDE_BATCH, (i + 1) * SIDE_BATCH);
    args[0] = JSON.stringify({
      t: token,
      ...(i === 0 && { e: side.erasures }),
      m: i === 0 ? side.models.map((model) => args.push(model)) : [],
      n: slice(counts).map(({ name, subject, value }) => ({
        k: key(keys.counter(name)),
        p: key(keys.payloads(subject)),
        s: args.push(subject),
        c: args.push(value),
      })),
      c: slice(held).map(([subject, text]) => ({
        p: key(keys.payloads(subject)),
        s: args.push(subject),
        ...(text !== '' && { c: args.push(text) }),
      })),
    });
    const answer = await unavailableWhenDown(() => runScript(redis, SIDE, scriptKeys, args));
    if (Number(answer) !== 1) throw disturbed('lost');
  }
};
