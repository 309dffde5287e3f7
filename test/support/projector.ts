import { expect } from 'vitest';
import { catalogue, type DomainEvent } from '../../domain/catalogue.js';
import type { Position } from '../../domain/envelope.js';
import { counters } from '../../projections/counters.js';
import type { ProjectorDeps } from '../../projections/deps.js';
import { servingGeneration } from '../../projections/generation.js';
import { type MemoryRow, memories, readMemories } from '../../projections/memories.js';
import type { Projection } from '../../projections/projection.js';
import { createRunner, type Runner, type RunnerOptions } from '../../projections/runner.js';
import { suppressions } from '../../projections/suppressions.js';
import { timeline } from '../../projections/timeline.js';
import { verify } from '../../projections/verify.js';
import type { SubjectWrite } from '../../services/eventlog/append.js';
import { appendOf, newKey, remembered, type TestLog } from './eventlog.js';

export const PROJECTIONS: readonly Projection[] = [memories, timeline, suppressions, counters];

/** What a projector works with on a test log, on a connection of its own. */
export const projectorDeps = ({ valkey, log, keys }: TestLog, fields: Partial<ProjectorDeps> = {}): ProjectorDeps => ({
  redis: valkey.client(),
  keys,
  log,
  fingerprint: catalogue.fingerprint,
  logger: { info: () => undefined, warn: () => undefined },
  ...fields,
});

export type RunningProjector = AsyncDisposable & {
  readonly runner: Runner;
  readonly deps: ProjectorDeps;
  readonly stop: () => Promise<void>;
};

/** A projector that runs until it is stopped; quick to look around, so that tests need not wait. */
export const startProjector = (
  deps: ProjectorDeps,
  projections: readonly Projection[] = PROJECTIONS,
  options: RunnerOptions = {},
): RunningProjector => {
  const stopping = new AbortController();
  const runner = createRunner(deps, projections, { tickMs: 20, leaseMs: 2_000, ...options });
  const running = runner.run(stopping.signal);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
  };
  return { runner, deps, stop, [Symbol.asyncDispose]: stop };
};

/** Appends the writes of one command; answers the place of the last event. */
export const appended = async ({ log }: TestLog, ...writes: readonly SubjectWrite[]): Promise<Position> => {
  const answer = await log.append(appendOf(writes));
  if (answer.outcome !== 'appended') throw new Error(`not appended: ${answer.outcome}`);
  return answer.events.at(-1)?.position ?? '';
};

/** Remembers `count` memories in commands of a few hundred; answers their keys. */
export const rememberMany = async (test: TestLog, count: number, content = (n: number) => `memory ${n}`): Promise<readonly string[]> => {
  const made = Array.from({ length: count }, (_, n) => ({ subject: newKey(), expected: 0, events: [remembered(content(n))] }));
  for (let first = 0; first < count; first += 500) await appended(test, ...made.slice(first, first + 500));
  return made.map(({ subject }) => subject);
};

/** One more event on a subject that stands at version `expected`. */
export const happens = (test: TestLog, subject: string, expected: number, ...events: readonly DomainEvent[]): Promise<Position> =>
  appended(test, { subject, expected, events });

export const forgets = async ({ log }: TestLog, subject: string, expected: number): Promise<Position> => {
  const { commandId, actor, at, result } = appendOf([]);
  const answer = await log.forget({ commandId, actor, at, result, subjects: [{ subject, expected, deletes: [] }] });
  if (answer.outcome !== 'appended') throw new Error(`not forgotten: ${answer.outcome}`);
  return answer.events.at(-1)?.position ?? '';
};

/** A memory as the serving view has it. */
export const memoryIn = async ({ redis, keys }: ProjectorDeps, key: string): Promise<MemoryRow | undefined> => {
  const generation = await servingGeneration(redis, keys, memories.name);
  return generation === undefined ? undefined : (await readMemories(redis, keys, generation, [key])).get(key);
};

/** Waits until the views have passed the head of the log. */
export const caughtUp = async ({ runner, deps }: Pick<RunningProjector, 'runner' | 'deps'>, timeoutMs = 20_000): Promise<void> => {
  const head = await deps.log.head();
  if (head) expect(await runner.waitFor(head.position, timeoutMs)).toBe('reached');
};

/** Fails unless every view is what a replay makes of the log. */
export const expectVerified = async (deps: ProjectorDeps, projections: readonly Projection[] = PROJECTIONS): Promise<void> => {
  const reports = await Promise.all(projections.map((projection) => verify(deps, projection)));
  expect(reports.filter(({ equal }) => !equal)).toEqual([]);
};
