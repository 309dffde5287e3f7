import { DomainError } from '../errors.js';
import { sameName } from '../graveyard/match.js';
import type { AbandonedType, Outcome } from '../vocabulary.js';
import type { Abandoned, MemoryEvent } from './events.js';

/** What is known of the work behind a memory. */
export type Experience = Omit<Extract<MemoryEvent, { type: 'ExperienceRecorded' }>['data'], 'reason'>;

export const NO_EXPERIENCE: Experience = { abandoned_approaches: [] };

/** The experience after one more event of its memory; the same object for an event that tells nothing of it. */
export const evolveExperience = (before: Experience, event: MemoryEvent): Experience => {
  if (event.type === 'ApproachAbandoned') return { ...before, abandoned_approaches: [...before.abandoned_approaches, event.data] };
  if (event.type !== 'ExperienceRecorded') return before;
  const { reason: _why, ...experience } = event.data;
  return experience;
};

/** What somebody records after the work; the rest stays as it was known before. */
export type RecordedExperience = {
  readonly effort_score: number;
  readonly outcome: Outcome;
  readonly iterations: number;
  readonly breakthrough?: string | undefined;
  readonly gotchas?: string | undefined;
  /** These are added to the dead ends known so far; one with the same name, type and reason is the same. */
  readonly abandoned_approaches: readonly Abandoned[];
};

/** Effort from which work counts as hard: dead ends of it are kept out of recall, and putting it aside is warned of. */
export const HARD_WORK = 4;

/** Overwrites effort, outcome and iterations, adds the dead ends, and keeps breakthrough and gotchas unless new ones are given. */
export const experienceAfter = (before: Experience, recorded: RecordedExperience): Experience => {
  const breakthrough = recorded.breakthrough ?? before.breakthrough;
  const gotchas = recorded.gotchas ?? before.gotchas;
  return {
    effort_score: recorded.effort_score,
    outcome: recorded.outcome,
    iterations: recorded.iterations,
    ...(breakthrough !== undefined && { breakthrough }),
    ...(gotchas !== undefined && { gotchas }),
    abandoned_approaches: [...before.abandoned_approaches, ...unknownDeadEnds(before, recorded.abandoned_approaches)],
  };
};

/** Those that are not known yet, each once. */
const unknownDeadEnds = ({ abandoned_approaches }: Experience, added: readonly Abandoned[]): readonly Abandoned[] => {
  const known = new Set(abandoned_approaches.map(deadEndIdentity));
  return added.filter((one) => {
    const isNew = !known.has(deadEndIdentity(one));
    known.add(deadEndIdentity(one));
    return isNew;
  });
};

/** The dead end that says the same already, or undefined. */
export const knownDeadEnd = ({ abandoned_approaches }: Experience, one: Abandoned): Abandoned | undefined =>
  abandoned_approaches.find((known) => deadEndIdentity(known) === deadEndIdentity(one));

/** A dead end that holds no longer: its name as people write it, apart or joined. `type` chooses among several of one name. */
export type LiftedDeadEnd = { readonly name: string; readonly type: AbandonedType; readonly reason: string };

/** The dead ends that are called that, whatever they were given up for. Throws NOT_FOUND when there is none. */
export const deadEndsCalled = ({ abandoned_approaches }: Experience, { name, type }: LiftedDeadEnd): readonly Abandoned[] => {
  const called = abandoned_approaches.filter((one) => sameName(one.name, name));
  const ofType = called.filter((one) => one.type === type);
  if (called.length > 0) return ofType.length > 0 ? ofType : called;
  throw new DomainError(
    'NOT_FOUND',
    'This memory carries no dead end of that name (any more)',
    'get_experience shows the dead ends of a memory; warn_if_abandoned names the memory that carries one',
  );
};

export const deadEndIdentity = ({ name, type, reason }: Abandoned): string => JSON.stringify([name.toLowerCase(), type, reason]);

/** Whether anything is known; a dead end is enough. */
export const hasExperience = (experience: Partial<Experience>): boolean =>
  [experience.effort_score, experience.outcome, experience.iterations, experience.breakthrough, experience.gotchas].some(
    (value) => value !== undefined,
  ) || (experience.abandoned_approaches ?? []).length > 0;

/**
 * Dead ends whose names recall is to leave out from now on: those of hard work that was given up. Of work that was given up
 * before only the new ones, since somebody may have let the others back in.
 */
export const deadEndsToSuppress = (before: Experience, after: Experience): readonly Abandoned[] => {
  if (!wasGivenUp(after)) return [];
  return wasGivenUp(before) ? after.abandoned_approaches.slice(before.abandoned_approaches.length) : after.abandoned_approaches;
};

const wasGivenUp = ({ effort_score = 0, outcome }: Experience): boolean => outcome === 'abandoned' && effort_score >= HARD_WORK;
