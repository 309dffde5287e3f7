import { hasExperience } from '../../../domain/memory/experience.js';
import { experienceWeight } from '../../../domain/scoring.js';
import type { MemoryRow } from '../../../projections/memories.js';
import type { ExperienceFields } from '../../api.js';

export const rowHasExperience = (row: MemoryRow): boolean =>
  hasExperience({
    effort_score: row.effort_score,
    outcome: row.outcome,
    iterations: row.iterations,
    breakthrough: row.breakthrough,
    gotchas: row.gotchas,
    abandoned_approaches: [...row.abandoned_approaches],
  });

/** What is known of the work behind a memory; nothing for one of which nothing is. */
export const experienceFields = (row: MemoryRow): ExperienceFields => {
  const { effort_score, outcome, iterations, breakthrough, gotchas, abandoned_approaches } = row;
  return {
    ...(effort_score !== undefined && { effort_score }),
    ...(outcome !== undefined && { outcome }),
    ...(iterations !== undefined && { iterations }),
    ...((effort_score !== undefined || outcome !== undefined) && { experience_weight: experienceWeight(outcome, effort_score) }),
    ...(breakthrough !== undefined && { breakthrough }),
    ...(gotchas !== undefined && { gotchas }),
    ...(abandoned_approaches.length > 0 && { abandoned_approaches }),
  };
};
