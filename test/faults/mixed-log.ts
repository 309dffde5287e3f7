import type { DomainEvent } from '../../domain/catalogue.js';
import type { LogEntry } from '../../domain/envelope.js';
import { isDomainError } from '../../domain/errors.js';
import { openTestApp, type TestApp, type TestAppOptions } from '../support/app.js';
import { testModel } from '../support/models.js';
import { DEEDS } from './mixed-log-deeds.js';
import { answerOf, type Clock, PROJECTS, seededWorld, type World } from './mixed-log-world.js';

export type MixedLog = {
  readonly test: TestApp;
  readonly world: World;
  readonly clock: Clock;
  /** Does things until the log has so many events. */
  readonly upTo: (events: number, onProgress?: (events: number) => void) => Promise<void>;
};

/** Whoever runs a server of its own takes the leases of the dead, and rewrites its file. */
export const supervised = () => ({ state: 'running', mode: 'normal', answering: true, pid: 1, restarts: 0, lastExit: undefined }) as const;

/**
 * The product on a Valkey, driven by chances, times and ids that follow from the seed: first each deed once, then by weight.
 * What the rules refuse is left undone; anything else that is thrown is a fault. With several `lanes` as many things are done at
 * once, and the order in which they come about is not the seed's alone.
 */
export const openMixedLog = async (
  seed: number,
  size: number,
  options: TestAppOptions & { readonly lanes?: number } = {},
): Promise<MixedLog> => {
  const { options: seeded, pass, worldOf } = seededWorld(seed, size);
  const model = testModel(answerOf);
  const test = await openTestApp({
    ...options,
    env: { ENRICHMENT_MAX_ATTEMPTS: '1', ...options.env },
    options: { ...seeded, model, enrichmentBackoff: { first: 5, longest: 10 }, supervised, ...options.options },
  });
  const world = worldOf(test);
  const names = Object.keys(DEEDS) as (keyof typeof DEEDS)[];
  const total = names.reduce((sum, name) => sum + DEEDS[name].weight, 0);
  const byWeight = (): keyof typeof DEEDS => {
    let left = world.chance() * total;
    for (const name of names) {
      left -= DEEDS[name].weight;
      if (left < 0) return name;
    }
    return 'remember';
  };
  const step = async (name: keyof typeof DEEDS): Promise<void> => {
    pass();
    try {
      await DEEDS[name].run(world);
      world.done.set(name, (world.done.get(name) ?? 0) + 1);
    } catch (error) {
      const allowed = isDomainError(error, 'CONFLICT') || isDomainError(error, 'NOT_FOUND') || isDomainError(error, 'VALIDATION');
      // A machine that is too busy for its views in two seconds.
      const late = isDomainError(error, 'UNAVAILABLE');
      if (!allowed && !late) throw new Error(`${name} failed (TEST_SEED=${seed})`, { cause: error });
      const what = `${name} ${error.code}`;
      world.refused.set(what, (world.refused.get(what) ?? 0) + 1);
    }
  };
  return {
    test,
    world,
    clock: world.clock,
    upTo: async (events, onProgress) => {
      // Something to do it to, then everything once, whatever the rules refuse at first.
      while (world.live.length < 12) await step('remember');
      for (const name of names) for (let tries = 0; tries < 10 && !world.done.has(name); tries++) await step(name);
      let told = 0;
      const lane = async (): Promise<void> => {
        for (let size = 0; size < events; size = await test.log.size()) {
          await step(byWeight());
          if (size < told) continue;
          onProgress?.(size);
          told = size + 1_000;
        }
      };
      await Promise.all(Array.from({ length: options.lanes ?? 1 }, lane));
    },
  };
};

/** What is asked of two stores that should answer the same. */
export const questionsOf = ({ text }: World) => [
  ...Array.from({ length: 5 }, () => ({ query: text(4) })),
  { query: 'which staging server listens on which port' },
  { query: text(3), project_filter: PROJECTS[0] },
  { query: text(3), namespaces: ['knowledge', 'preference'] as const },
];
export type Questions = ReturnType<typeof questionsOf>;

/** Keys and scores of every answer, best first; as of a place always by the exact scan. */
export const answersOf = async (there: Pick<TestApp, 'app'>, questions: Questions, as_of?: string) =>
  (await toldOf(there, questions, as_of)).answers;

/** The same, and whether the answers were told to lack vectors of texts of that time: then they may differ from another store's. */
export const toldOf = async ({ app }: Pick<TestApp, 'app'>, questions: Questions, as_of?: string) => {
  const answers: (readonly (readonly [string, number])[])[] = [];
  let lacking = false;
  for (const question of questions) {
    const { results, ...told } = await app.queries.recall({ ...question, top_k: 20, as_of }, { actor: 'test' });
    answers.push(results.map(({ key, score }) => [key, score] as const));
    lacking ||= told.as_of?.note?.includes('have no vector') ?? false;
  }
  return { answers, lacking };
};

/** Digests of every subject's events in their order; the system's own days are left out. */
export const historiesOf = (entries: readonly LogEntry<DomainEvent>[]): Map<string, string[]> => {
  const histories = new Map<string, string[]>();
  for (const entry of entries) {
    if (entry.kind === 'fault') throw new Error(`${entry.fault.code} at ${entry.fault.position}`);
    const { subject, digest } = (entry.kind === 'event' ? entry.event : entry.husk).envelope;
    if (!subject.startsWith('system:')) histories.set(subject, [...(histories.get(subject) ?? []), digest]);
  }
  return histories;
};
