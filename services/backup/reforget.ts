import { erases } from '../../domain/erasure.js';
import { type Needle, needlesOf } from '../erasure/needles.js';
import { QueryTexts } from '../erasure/queries.js';
import type { Random } from '../eventlog/random.js';
import type { SubjectHistory } from '../eventlog/subject.js';
import type { Store } from '../ops/store.js';
import { keysHoldingAny } from './target.js';

const BATCH = 200;
const ATTEMPTS = 5;

export type ForgetAgain = {
  readonly actor: string;
  readonly random: Random;
  readonly now: () => number;
  /** Only what has text here, and no event for what came without. */
  readonly textOnly?: boolean | undefined;
};

/**
 * Forgets, in this store, what was forgotten elsewhere: for each subject that is here and whose last event is no forgetting,
 * `MemoryForgotten` is appended (`ProjectDeleted` for a project), and whatever is left of its text goes. Answers the subjects.
 */
export const forgetAgain = async (
  { log, redis, keys }: Pick<Store, 'log' | 'redis' | 'keys'>,
  forgotten: ReadonlySet<string>,
  { actor, random, now, textOnly = false }: ForgetAgain,
): Promise<readonly string[]> => {
  const gone: string[] = [];
  const texts = new QueryTexts({ redis, keys, now });
  const load = async (step: readonly string[]): Promise<readonly SubjectHistory[]> =>
    (await log.load(step)).filter(
      ({ version, events }) => version > 0 && !erases(events.at(-1)?.type) && !(textOnly && events.length === 0),
    );
  const all = [...forgotten];
  const steps = Array.from({ length: Math.ceil(all.length / BATCH) }, (_, i) => all.slice(i * BATCH, (i + 1) * BATCH));
  for (const [i, step] of steps.entries()) {
    await texts.ahead(steps.slice(i), async (next) => piecesOf(await load(next)));
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const left = await load(step);
      if (left.length === 0) break;
      const deletes = await keysHoldingAny(
        redis,
        keys,
        left.map(({ subject }) => subject),
      );
      const answer = await texts.erasing(piecesOf(left), () =>
        log.forget({
          commandId: random.ulid(now()),
          actor,
          at: new Date(now()).toISOString(),
          subjects: left.map(({ subject, version }) => ({ subject, expected: version, deletes: deletes.get(subject) ?? [] })),
          result: { forgotten: left.length },
        }),
      );
      if (!('events' in answer)) continue;
      gone.push(...left.map(({ subject }) => subject));
      break;
    }
  }
  return gone;
};

const piecesOf = (histories: readonly SubjectHistory[]): readonly Needle[] =>
  histories.flatMap(({ subject, events }) => needlesOf(subject, events));
