import type { Redis } from 'iovalkey';
import type { DomainEvent } from '../domain/catalogue.js';
import { comparePositions, type LogEntry, type Position, positionOf } from '../domain/envelope.js';
import { applyBatch } from './apply.js';
import { type Batch, planBatch, rowsRead } from './batch.js';
import type { Degraded } from './dead-letter.js';
import type { Keys } from './keys.js';
import type { LogReader } from './log-reader.js';
import { createPages } from './pages.js';
import type { Projection, Row } from './projection.js';

/** One generation of one projection, as its writer sees it. `checkpoint` and `degraded` follow what was applied. */
export type Target = {
  readonly projection: Projection;
  readonly name: string;
  readonly generation: number;
  readonly token: number;
  /** A view that serves may follow the log past the memory limit. */
  readonly serving: boolean;
  /** Whether poison goes to the dead letters; not from a shadow. */
  readonly buries: boolean;
  checkpoint: Position;
  readonly degraded: Map<string, Degraded>;
};

/** `lost`: the lease or generation is no longer ours, or its checkpoint is not where we left it. */
export type Advance = { readonly entries: number; readonly lost: readonly Target[] };

export type Follower = {
  /** Applies one page of the log to targets that stand at the same place; `until` is the last position wanted. */
  readonly advance: (targets: readonly Target[], until?: Position) => Promise<Advance>;
};

/** Entries read at once where nothing else is said. */
export const PAGE = 200;

export type FollowerDeps = {
  readonly redis: Redis;
  readonly keys: Keys;
  readonly log: LogReader;
  /** Entries read at once. Default `PAGE`. */
  readonly page?: number;
  /** UTF-16 units of rows in one script call. Default 4 million. */
  readonly batchSize?: number;
};

type Entries = readonly LogEntry<DomainEvent>[];

/** Reads the log page by page, the next ones while the last is applied. Not for two callers at once. */
export const createFollower = ({ redis, keys, log, page = PAGE, batchSize = 4_000_000 }: FollowerDeps): Follower => {
  const pages = createPages(log.read, page);
  // Counted before the payloads were read; when it moved since, the server refuses the batch and names the new count.
  let erasures: number | undefined;

  /** Applies entries to one target. False: the target is lost. Stops early when something was forgotten meanwhile. */
  const follow = async (target: Target, entries: Entries): Promise<boolean> => {
    const condemned = new Set<Position>();
    let rest = entries;
    while (rest.length > 0) {
      const { rows, broken } = await fetchRows(redis, keys, target, rest);
      for (const position of broken) condemned.add(position);
      const { projection, name, generation, degraded } = target;
      const planned = planBatch({ projection, name, generation, degraded, condemned, rows, size: batchSize }, rest);
      const batch = target.buries ? planned : { ...planned, letters: [] };
      const fence = {
        name,
        generation,
        token: target.token,
        from: target.checkpoint,
        erasures: erasures ?? 0,
        mayExceedMemory: target.serving,
      };
      const outcome = await applyBatch(redis, keys, fence, batch);
      switch (outcome.kind) {
        case 'already':
          if (outcome.checkpoint !== batch.to) return false;
          settle(target, batch);
          break;
        case 'applied':
          settle(target, batch);
          break;
        case 'refused':
          if (condemned.has(outcome.origin)) throw new Error(`${name}: the writes of ${outcome.origin} were refused twice`);
          condemned.add(outcome.origin);
          continue;
        case 'erased':
          erasures = outcome.erasures;
          pages.forget();
          return true;
        default:
          return false;
      }
      rest = rest.slice(batch.entries);
    }
    return true;
  };

  return {
    advance: async (targets, until) => {
      const first = targets[0];
      if (!first) return { entries: 0, lost: [] };
      erasures ??= await log.erasures();
      const read = await pages.take(first.checkpoint);
      const wanted = until === undefined ? read : read.filter((entry) => comparePositions(positionOf(entry), until) <= 0);
      if (wanted.length === 0) return { entries: 0, lost: [] };
      const kept = await Promise.all(targets.map((target) => follow(target, wanted)));
      return { entries: wanted.length, lost: targets.filter((_, i) => !kept[i]) };
    },
  };
};

const settle = (target: Target, batch: Batch): void => {
  target.checkpoint = batch.to;
  for (const [subject, entry] of batch.degraded) target.degraded.set(subject, entry);
};

/** The rows that these entries read; an entry whose row is no hash is `broken`. */
const fetchRows = async (
  redis: Redis,
  keys: Keys,
  { projection, name, generation }: Target,
  entries: Entries,
): Promise<{ readonly rows: ReadonlyMap<string, Row>; readonly broken: readonly Position[] }> => {
  const wanted = rowsRead(projection, entries);
  if (wanted.length === 0) return { rows: new Map(), broken: [] };
  const pipeline = redis.pipeline();
  for (const row of wanted) pipeline.hgetall(keys.row(name, generation, row));
  const replies = (await pipeline.exec()) ?? [];
  const rows = new Map<string, Row>();
  const unreadable = new Set<string>();
  for (const [i, row] of wanted.entries()) {
    const [error, fields] = replies[i] ?? [new Error('The connection to Valkey broke')];
    if (error?.message.startsWith('WRONGTYPE')) unreadable.add(row);
    else if (error) throw error;
    else if (Object.keys(fields as Row).length > 0) rows.set(row, fields as Row);
  }
  if (unreadable.size === 0) return { rows, broken: [] };
  const broken = entries.flatMap((entry) =>
    entry.kind === 'event' && rowsRead(projection, [entry]).some((row) => unreadable.has(row)) ? [entry.event.position] : [],
  );
  return { rows, broken };
};
