import type { Redis } from 'iovalkey';
import { type RowPlace, Rows, rowsUnder, withRowWriter } from './rows.js';

/** The rows of one index: where they are, and the beginnings that all their keys, and all those of their drafts, have. */
export type RowSpace = RowPlace & { readonly prefix: string; readonly drafts?: string };

/** Rows of one memory that no text is behind; `windows` is one more than the highest of them. */
export type Phantom<Space extends RowSpace> = { readonly space: Space; readonly memory: string; readonly windows: number };

/**
 * Finds the rows that nothing stands behind: those of memories whose vectors are no longer in the cache, and windows beyond
 * those that a memory has. A process that was killed leaves them, or one that wrote after a memory was forgotten. A draft of a
 * window that a memory has is none: its next write takes it in. Reads every key of the server once for each of `beginnings`, in
 * their order: what is renamed meanwhile is missed where its new name is not read after its old one. A memory may come twice.
 */
export async function* phantomsOf<Space extends RowSpace>(
  redis: Redis,
  beginnings: readonly string[],
  spaces: readonly Space[],
  signal: AbortSignal,
): AsyncGenerator<Phantom<Space>> {
  for (const beginning of beginnings) {
    for await (const keys of rowsUnder(redis, beginning)) {
      if (signal.aborted) return;
      yield* await phantomsAmong(redis, keys, spaces);
    }
  }
}

const phantomsAmong = async <Space extends RowSpace>(
  redis: Redis,
  keys: readonly string[],
  spaces: readonly Space[],
): Promise<readonly Phantom<Space>[]> => {
  const rows = keys.flatMap((key) => placed(key, spaces) ?? []);
  const pipeline = redis.pipeline();
  for (const { space, memory } of rows) {
    pipeline.exists(space.source?.(memory) ?? space.row(memory, 0));
    pipeline.hget(space.row(memory, 0), 'n');
    pipeline.hget(space.draft(memory, 0), 'n');
  }
  const replies = ((await pipeline.exec()) ?? []).map(([error, reply]) => (error ? undefined : reply));
  return rows.flatMap(({ space, memory, window }, i) => {
    const [there, stored, drafted] = replies.slice(3 * i);
    // What is no hash at all is not ours to judge.
    if (stored === undefined || drafted === undefined) return [];
    const windows = Math.max(Number(stored), Number(drafted));
    if (there !== 0 && (there !== 1 || window < windows)) return [];
    return [{ space, memory, windows: Math.max(windows, window + 1) }];
  });
};

/** Deletes them, and tells of which memories, by the index that found them. */
export const sweepPhantoms = async <Space extends RowSpace>(
  redis: Redis,
  beginnings: readonly string[],
  spaces: readonly Space[],
  signal: AbortSignal,
): Promise<ReadonlyMap<Space, ReadonlySet<string>>> => {
  const swept = new Map<Space, Set<string>>();
  await withRowWriter(redis, async (writer) => {
    for await (const { space, memory, windows } of phantomsOf(redis, beginnings, spaces, signal)) {
      await new Rows(redis, space, writer).trim(memory, windows);
      swept.set(space, (swept.get(space) ?? new Set()).add(memory));
    }
  });
  return swept;
};

const placed = <Space extends RowSpace>(key: string, spaces: readonly Space[]) => {
  for (const space of spaces) {
    const prefix = [space.prefix, space.drafts].find((beginning) => beginning !== undefined && key.startsWith(beginning));
    if (prefix === undefined) continue;
    const [, memory, window] = /^(.*):(\d{1,6})$/s.exec(key.slice(prefix.length)) ?? [];
    return memory === undefined ? undefined : { space, memory, window: Number(window) };
  }
  return undefined;
};
