import { ORIGIN } from '../../../domain/envelope.js';
import { DomainError } from '../../../domain/errors.js';
import { projectKey, projectOf } from '../../../domain/project/key.js';
import { projectDecider } from '../../../domain/project/project.js';
import type { ContextTexts } from '../../../domain/project/text.js';
import { projectionsReached } from '../../../projections/checkpoint.js';
import { withServing } from '../../../projections/generation.js';
import { type MemoryRow, memories, readServingMemories } from '../../../projections/memories.js';
import { scanRows } from '../../../projections/rows.js';
import { readSuppressions, type Suppression, suppressions } from '../../../projections/suppressions.js';
import { stateOf } from '../../eventlog/handle.js';
import type { Store } from '../../ops/store.js';
import { contextsFrom } from '../../queries/projects/read.js';
import { unavailableWhenDown } from '../../valkey/errors.js';

export type StoreParts = Pick<Store, 'log' | 'redis' | 'keys'>;

export type StoredContext = ContextTexts & { readonly domains: readonly string[] | undefined };

/** Everything that is exported, as the views have it. */
export type Stored = {
  /** Of the memories there were when reading began, by name. */
  readonly keys: readonly string[];
  /** Pages of memories in the order of `keys`, without those that have gone meanwhile. */
  readonly pages: () => AsyncGenerator<readonly MemoryRow[]>;
  readonly topics: readonly Suppression[];
  /** Of the contexts among these rows, by key: drawn parts written out, with what the project declares. */
  readonly contexts: (rows: readonly MemoryRow[]) => Promise<ReadonlyMap<string, StoredContext>>;
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
    contexts: async (rows) => {
      const names = rows.flatMap(({ key, context }) => (context === undefined ? [] : (projectOf(key) ?? [])));
      if (names.length === 0) return new Map();
      const read = (wanted: readonly string[]) => unavailableWhenDown(() => readServingMemories(redis, keys, wanted));
      const [contexts, histories] = await Promise.all([
        contextsFrom(read, { namesOf: (name) => [name] }, names),
        log.load(names.map(projectKey)),
      ]);
      return new Map(
        names.flatMap((name, i) => {
          const [context, history] = [contexts.get(name), histories[i]];
          const domains = history && stateOf(projectDecider, history).state.domains;
          return context ? [[context.key, { ...context.texts, domains }] as const] : [];
        }),
      );
    },
    forgotSomething: async () => (await log.erasures()) !== erasures,
  };
};
