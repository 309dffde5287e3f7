import type { Outcome } from '../vocabulary.js';
import type { Abandoned, MemoryEvent } from './events.js';

/** What is known of the work behind a memory. */
export type Experience = Extract<MemoryEvent, { type: 'ExperienceRecorded' }>['data'];

export const NO_EXPERIENCE: Experience = { abandoned_approaches: [] };

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

/** Overwrites effort, outcome and iterations, adds the dead ends, and keeps breakthrough and gotchas unless new ones are given. */
export const experienceAfter = (before: Experience, recorded: RecordedExperience): Experience => {
  const breakthrough = recorded.breakthrough ?? before.breakthrough;
  const gotchas = recorded.gotchas ?? before.gotchas;
  const known = new Set(before.abandoned_approaches.map(identity));
  return {
    effort_score: recorded.effort_score,
    outcome: recorded.outcome,
    iterations: recorded.iterations,
    ...(breakthrough !== undefined && { breakthrough }),
    ...(gotchas !== undefined && { gotchas }),
    abandoned_approaches: [...before.abandoned_approaches, ...recorded.abandoned_approaches.filter((one) => !known.has(identity(one)))],
  };
};

const identity = ({ name, type, reason }: Abandoned): string => JSON.stringify([name.toLowerCase(), type, reason]);
