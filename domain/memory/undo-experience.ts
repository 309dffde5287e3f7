import { lastRun, type Numbered, type Undoing } from '../last-run.js';
import type { Abandoned, MemoryEvent } from './events.js';
import { deadEndIdentity, type Experience, evolveExperience, NO_EXPERIENCE } from './experience.js';

/** `experience` is effort, outcome and attempts, which are always told together. */
export const EXPERIENCE_FIELDS = ['experience', 'breakthrough', 'gotchas', 'dead_ends'] as const;
export type ExperienceField = (typeof EXPERIENCE_FIELDS)[number];

export type ExperienceReversal = {
  /** Experience as it is to be; undefined when nothing changes. */
  readonly experience: Experience | undefined;
  readonly restored: readonly ExperienceField[];
  readonly kept: readonly ExperienceField[];
};

/** One event that told of experience, and what was known before and after it. */
type Step = { readonly n: number; readonly before: Experience; readonly after: Experience };

/** What an undo finds of one value: who wrote it last, and what was known before the undone events. */
type Found = 'none' | 'kept' | Experience;

/**
 * Takes back what the events at the versions `undone` changed of the experience of a memory. An event tells all that is
 * known, so what it wrote is what is different after it; each value, and each dead end, goes back by itself, unless another
 * event changed that one since.
 */
export const undoExperience = (events: readonly Numbered<MemoryEvent>[], undoing: Undoing): ExperienceReversal => {
  const steps = stepsOf(events);
  const now = steps.at(-1)?.after ?? NO_EXPERIENCE;
  const before = (read: (experience: Experience) => unknown): Found => {
    const writers = steps.filter((step) => !same(read(step.before), read(step.after)));
    const since = lastRun(writers, undoing);
    if (since === 'none') return 'none';
    const then = writers.find(({ n }) => n === since)?.before;
    if (then === undefined) return 'kept';
    const left = writers.findLast(({ n }) => undoing.undone.has(n))?.after ?? then;
    // Where the action left the value as it found it, what came of it since is not the action's.
    return same(read(then), read(left)) || same(read(then), read(now)) ? 'none' : then;
  };
  const [figures, breakthrough, gotchas] = [before(figuresOf), before((of) => of.breakthrough), before((of) => of.gotchas)];
  const deadEnds = new Map(identitiesIn(steps, undoing.undone).map((id) => [id, before((of) => deadEndsAt(of, id))]));
  const found: Record<ExperienceField, readonly Found[]> = {
    experience: [figures],
    breakthrough: [breakthrough],
    gotchas: [gotchas],
    dead_ends: [...deadEnds.values()],
  };
  const restored = EXPERIENCE_FIELDS.filter((field) => found[field].some((each) => typeof each === 'object'));
  const kept = EXPERIENCE_FIELDS.filter((field) => found[field].includes('kept'));
  if (restored.length === 0) return { experience: undefined, restored, kept };
  const or = (then: Found): Experience => (typeof then === 'object' ? then : now);
  const texts = { breakthrough: or(breakthrough).breakthrough, gotchas: or(gotchas).gotchas };
  const experience = { ...figuresOf(or(figures)), ...known(texts), abandoned_approaches: [...withDeadEndsOf(now, deadEnds, steps)] };
  return { experience, restored, kept };
};

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const stepsOf = (events: readonly Numbered<MemoryEvent>[]): readonly Step[] => {
  const steps: Step[] = [];
  let before = NO_EXPERIENCE;
  for (const event of events) {
    const after = evolveExperience(before, event);
    if (after !== before) steps.push({ n: event.n, before, after });
    before = after;
  }
  return steps;
};

const known = <Values extends object>(values: Values): Partial<Values> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<Values>;

const figuresOf = ({ effort_score, outcome, iterations }: Experience) => known({ effort_score, outcome, iterations });

const deadEndsAt = ({ abandoned_approaches }: Experience, id: string): readonly Abandoned[] =>
  abandoned_approaches.filter((one) => deadEndIdentity(one) === id);

const identitiesIn = (steps: readonly Step[], undone: ReadonlySet<number>): readonly string[] => {
  const touched = steps.filter(({ n }) => undone.has(n)).flatMap(({ before, after }) => [before, after]);
  return [...new Set(touched.flatMap(({ abandoned_approaches }) => abandoned_approaches.map(deadEndIdentity)))];
};

/** Those of now, with each that goes back as it was then, at the place that it had. */
const withDeadEndsOf = (
  { abandoned_approaches }: Experience,
  found: ReadonlyMap<string, Found>,
  steps: readonly Step[],
): readonly Abandoned[] => {
  const back = new Map([...found].filter((entry): entry is [string, Experience] => typeof entry[1] === 'object'));
  const list = abandoned_approaches.filter((one) => !back.has(deadEndIdentity(one)));
  const earliest = steps.find(({ before }) => [...back.values()].includes(before))?.before;
  // What is found then is put in its order then; one that was not known yet, in its own.
  for (const then of earliest === undefined ? [] : [earliest, ...back.values()]) {
    for (const [place, one] of then.abandoned_approaches.entries()) {
      const wanted = back.get(deadEndIdentity(one))?.abandoned_approaches.some((other) => same(other, one));
      if (!wanted || list.some((other) => same(other, one))) continue;
      const neighbour = then.abandoned_approaches.slice(0, place).findLast((other) => list.some((kept) => same(kept, other)));
      list.splice(neighbour ? list.findIndex((kept) => same(kept, neighbour)) + 1 : 0, 0, one);
    }
  }
  return list;
};
