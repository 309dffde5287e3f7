import { ORIGIN } from '../../../domain/envelope.js';
import { DomainError } from '../../../domain/errors.js';
import { projectionsReached } from '../../../projections/checkpoint.js';
import { withServing } from '../../../projections/generation.js';
import { type MemoryRow, memories, readServingMemories } from '../../../projections/memories.js';
import { scanRows } from '../../../projections/rows.js';
import { readSuppressions, type Suppression, suppressions } from '../../../projections/suppressions.js';
import type { Store } from '../../ops/store.js';
import { unavailableWhenDown } from '../../valkey/errors.js';

export type StoreParts = Pick<Store, 'log' | 'redis' | 'keys'>;

/** Everything that is exported, as the views have it. */
export type Stored = {
  /** Of the memories there were when reading began, by name. */
  readonly keys: readonly string[];
  /** Pages of memories in the order of `keys`, without those that have gone meanwhile. */
  readonly pages: () => AsyncGenerator<readonly MemoryRow[]>;
  readonly topics: readonly Suppression[];
  /** Whether something was forgotten since reading began: then what was read may hold its text. */
  readonly forgotSomething: () => Promise<boolean>;
};

const PAGE = 200;
const PATIENCE_MS = 60_000;

/** Waits until the views have met the log, and looks what there is. Throws UNAVAILABLE when they do not come. */
export const readStored = async ({ log, redis, keys }: StoreParts, signal?: AbortSignal): Promise<Stored> => {
  const erasures = await log.erasures();
  const position = (await log.head())?.position ?? ORIGIN;
  const views = [memories.name, suppressions.name];
  if ((await projectionsReached(redis, keys, views, position, PATIENCE_MS, signal)) === 'late') {
    signal?.throwIfAborted();
    throw new DomainError('UNAVAILABLE', 'The views are behind the log, so an export would lack memories', 'Try again in a moment');
  }
  const names = await unavailableWhenDown(() =>
    withServing(redis, keys, memories.name, async (generation) => {
      const found = new Set<string>();
      for await (const rows of scanRows(redis, keys, memories.name, generation)) for (const row of rows) found.add(row);
      return [...found].sort();
    }),
  );
  return {
    keys: names,
    pages: async function* () {
      for (let from = 0; from < names.length; from += PAGE) {
        signal?.throwIfAborted();
        const page = names.slice(from, from + PAGE);
        const rows = await unavailableWhenDown(() => readServingMemories(redis, keys, page));
        yield [...rows.values()];
      }
    },
    topics: await unavailableWhenDown(() =>
      withServing(redis, keys, suppressions.name, (generation) => readSuppressions(redis, keys, generation)),
    ),
    forgotSomething: async () => (await log.erasures()) !== erasures,
  };
};
