import type { Redis } from 'iovalkey';
import { pack } from 'msgpackr';
import type { Position } from '../domain/envelope.js';
import type { Batch } from './batch.js';
import { deadLetterFields } from './dead-letter.js';
import type { Keys } from './keys.js';
import type { Write } from './projection.js';
import { loadScript, runScript, type Script, scriptOf } from './scripts.js';

const APPLY = loadScript('projections/lua/apply.lua');

/**
 * For the generation that serves: a view may follow what the log has taken even at the memory limit, above all a forget.
 * A generation that is being built may not.
 */
const APPLY_AT_LIMIT = scriptOf('apply at the memory limit', APPLY.source.replace('#!lua', '#!lua flags=allow-oom'));

/** What a batch is fenced by. */
export type Fence = {
  readonly name: string;
  readonly generation: number;
  readonly token: number;
  readonly from: Position;
  /** Erasures counted before the entries were read. */
  readonly erasures: number;
  readonly mayExceedMemory: boolean;
};

export type Outcome =
  | { readonly kind: 'applied' }
  /** The checkpoint is at the batch's end or later. */
  | { readonly kind: 'already'; readonly checkpoint: Position }
  /** The lease ran out or was taken. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'moved'; readonly checkpoint: Position }
  /** Something was forgotten meanwhile: read again. */
  | { readonly kind: 'erased'; readonly erasures: number }
  /** Valkey would refuse what the entry at this position writes. */
  | { readonly kind: 'refused'; readonly origin: Position };

/** Applies a batch in one script call, whole or not at all. Rejects on an outage; sending the same batch again is harmless. */
export const applyBatch = async (redis: Redis, keys: Keys, fence: Fence, batch: Batch): Promise<Outcome> => {
  const encoded = encode(batch);
  if ('clash' in encoded) return { kind: 'refused', origin: encoded.clash };
  const { name, generation } = fence;
  const rows = keys.rows(name, generation);
  const [kind, detail] = await send(
    redis,
    fence.mayExceedMemory ? APPLY_AT_LIMIT : APPLY,
    [
      keys.lease(name),
      keys.generation(name, generation),
      keys.erasures,
      keys.degraded(name, generation),
      keys.deadLetter,
      ...encoded.rows.map((row) => `${rows}:${row}`),
    ],
    [fence.token, fence.from, batch.to, fence.erasures, batch.eventId ?? '', encoded.body],
  );
  switch (kind) {
    case 'applied':
    case 'lost':
    case 'gone':
      return { kind };
    case 'already':
    case 'moved':
      return { kind, checkpoint: String(detail) };
    case 'erased':
      return { kind, erasures: Number(detail) };
    case 'refused':
      return { kind, origin: originOf(batch, encoded.rows[Number(detail) - 1] ?? '') };
    default:
      throw new Error(`apply.lua answered ${kind}`);
  }
};

const send = async (redis: Redis, script: Script, names: readonly string[], args: readonly (string | number | Buffer)[]) =>
  (await runScript(redis, script, names, args)) as [string, (string | number)?];

const OPS = { set: 1, unset: 2, del: 3, add: 4, remove: 5 } as const;
type Encoded = { readonly rows: readonly string[]; readonly body: Buffer } | { readonly clash: Position };

/** `clash` is the first entry that uses a row both as a hash and as a set. */
const encode = (batch: Batch): Encoded => {
  const places = new Map<string, number>();
  const kinds: string[] = [];
  const writes: (readonly [number, number, readonly string[]])[] = [];

  for (const [i, write] of batch.writes.entries()) {
    const known = places.get(write.row);
    const place = known ?? kinds.push('');
    if (known === undefined) places.set(write.row, place);
    const kind = KINDS[write.op];
    const had = kinds[place - 1];
    if (kind && had && had !== kind) return { clash: batch.origins[i] ?? batch.to };
    if (kind) kinds[place - 1] = kind;
    switch (write.op) {
      case 'set': {
        const [kept, dropped] = split(write.fields);
        if (kept.length > 0) writes.push([OPS.set, place, kept]);
        if (dropped.length > 0) writes.push([OPS.unset, place, dropped]);
        break;
      }
      case 'del':
        writes.push([OPS.del, place, []]);
        break;
      default:
        writes.push([OPS[write.op], place, [write.member]]);
    }
  }
  const degraded = [...batch.degraded].flatMap(([subject, entry]) => [subject, JSON.stringify(entry)]);
  return { rows: [...places.keys()], body: pack([kinds, writes, degraded, batch.letters.map(deadLetterFields)]) };
};

const KINDS: Record<Write['op'], string> = { set: 'hash', del: '', add: 'zset', remove: 'zset' };

const split = (fields: Readonly<Record<string, string | undefined>>): readonly [kept: string[], dropped: string[]] => {
  const kept: string[] = [];
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) dropped.push(name);
    else kept.push(name, value);
  }
  return [kept, dropped];
};

const originOf = (batch: Batch, row: string): Position => {
  const first = batch.writes.findIndex((write) => write.row === row && KINDS[write.op] !== '');
  return batch.origins[first] ?? batch.to;
};
