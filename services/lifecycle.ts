import { DomainError, isDomainError } from '../domain/errors.js';

/** One Ctrl-C can arrive twice: from the terminal, and passed on by npm. */
const ECHO_MS = 300;

/**
 * Runs until SIGINT or SIGTERM (or the terminal closes; under nohup it does not count), then gives `run` `graceMs` (default 10 s) to finish what it holds; a second signal or the
 * end of the grace exits with code 1. Returns, or throws what `run` throws, when `run` ends; the listeners are gone then.
 */
export const runUntilStopped = async (run: (signal: AbortSignal) => Promise<void>, graceMs = 10_000): Promise<void> => {
  const stopping = new AbortController();
  let grace: NodeJS.Timeout | undefined;
  let first = 0;
  const onSignal = (): void => {
    if (stopping.signal.aborted) {
      if (performance.now() - first > ECHO_MS) process.exit(1);
      return;
    }
    first = performance.now();
    grace = setTimeout(() => process.exit(1), graceMs);
    grace.unref();
    stopping.abort();
  };
  const signals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', ...(process.stdin.isTTY ? ['SIGHUP' as const] : [])];
  for (const name of signals) process.on(name, onSignal);
  try {
    await run(stopping.signal);
  } finally {
    clearTimeout(grace);
    for (const name of signals) process.off(name, onSignal);
  }
};

export type StepState = 'waiting' | 'running' | 'ok' | 'failed';

export type StepReport = {
  readonly name: string;
  readonly state: StepState;
  /** What was found or done, how far it is, or why it failed and what to do. */
  readonly detail: string;
  /** Milliseconds that the last run took; undefined before its end. */
  readonly ms: number | undefined;
};

export type Step = {
  readonly name: string;
  /** Names of steps that must be `ok` before this one runs. */
  readonly after?: readonly string[];
  /** Does the work and may be called again. `progress` shows how far it is; the result is the final detail. */
  readonly run: (progress: (detail: string) => void, signal: AbortSignal) => Promise<string>;
};

export type StartupOptions = {
  readonly signal: AbortSignal;
  /** Called at each change of a step's state or detail. */
  readonly onChange?: (report: StepReport) => void;
};

/** Independent named steps with explicit dependencies. A failed step holds back only those that name it, and they say so. */
export type Startup = {
  /** Runs every step that is not `ok`, side by side where they do not depend on each other. Never throws: read the report. */
  readonly run: () => Promise<readonly StepReport[]>;
  /** Runs one step again whatever its state, then those that depend on it and are not `ok`. NOT_FOUND for an unknown name. */
  readonly rerun: (name: string) => Promise<readonly StepReport[]>;
  readonly report: () => readonly StepReport[];
};

/** Throws VALIDATION for a name given twice, an unknown dependency or a circle. */
export const createStartup = (steps: readonly Step[], { signal, onChange }: StartupOptions): Startup => {
  const ordered = inOrder(steps);
  const reports = new Map(ordered.map(({ name }): [string, StepReport] => [name, { name, state: 'waiting', detail: '', ms: undefined }]));
  const running = new Map<string, Promise<void>>();

  const set = (name: string, state: StepState, detail: string, ms?: number): void => {
    const report = { name, state, detail, ms };
    reports.set(name, report);
    onChange?.(report);
  };

  const perform = async ({ name, after = [], run }: Step): Promise<void> => {
    await Promise.all(after.map((dependency) => running.get(dependency)));
    const blocking = after.find((dependency) => reports.get(dependency)?.state !== 'ok');
    if (blocking !== undefined) return set(name, 'waiting', `waits for ${blocking}, which is ${reports.get(blocking)?.state ?? 'missing'}`);
    if (signal.aborted) return set(name, 'waiting', 'stopped before it began');
    const begun = performance.now();
    const elapsed = (): number => Math.round(performance.now() - begun);
    set(name, 'running', '');
    try {
      set(name, 'ok', await run((detail) => set(name, 'running', detail), signal), elapsed());
    } catch (error) {
      set(name, 'failed', reasonOf(error), elapsed());
    }
  };

  const runAll = async (wanted: (step: Step) => boolean): Promise<readonly StepReport[]> => {
    for (const step of ordered) {
      if (running.has(step.name) || !wanted(step)) continue;
      running.set(
        step.name,
        perform(step).finally(() => running.delete(step.name)),
      );
    }
    await Promise.all(running.values());
    return report();
  };

  const report = (): readonly StepReport[] => steps.flatMap(({ name }) => reports.get(name) ?? []);
  const notOk = ({ name }: Step): boolean => reports.get(name)?.state !== 'ok';

  return {
    run: () => runAll(notOk),
    rerun: (name) => {
      if (!reports.has(name))
        throw new DomainError('NOT_FOUND', `There is no start-up step ${name}`, `Steps: ${[...reports.keys()].join(', ')}`);
      const affected = new Set([name]);
      for (const step of ordered) if (step.after?.some((dependency) => affected.has(dependency))) affected.add(step.name);
      return runAll((step) => step.name === name || (affected.has(step.name) && notOk(step)));
    },
    report,
  };
};

const reasonOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  return isDomainError(error) && error.hint ? `${message}. ${error.hint}` : message;
};

/** Dependencies before those that name them. */
const inOrder = (steps: readonly Step[]): readonly Step[] => {
  const byName = new Map(steps.map((step) => [step.name, step]));
  if (byName.size !== steps.length) throw new DomainError('VALIDATION', 'Two start-up steps have one name');
  const placed = new Set<Step>();
  const place = (step: Step, path: readonly string[]): void => {
    if (placed.has(step)) return;
    if (path.includes(step.name))
      throw new DomainError('VALIDATION', `Start-up steps wait for each other: ${[...path, step.name].join(' > ')}`);
    for (const name of step.after ?? []) {
      const dependency = byName.get(name);
      if (!dependency) throw new DomainError('VALIDATION', `Start-up step ${step.name} waits for ${name}, which does not exist`);
      place(dependency, [...path, step.name]);
    }
    placed.add(step);
  };
  for (const step of steps) place(step, []);
  return [...placed];
};
