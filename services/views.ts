import { contradictions } from '../projections/contradictions.js';
import { correlations } from '../projections/correlations.js';
import { counters } from '../projections/counters.js';
import { enrichment } from '../projections/enrichment.js';
import { experience } from '../projections/experience.js';
import { maintenance } from '../projections/maintenance.js';
import { memories } from '../projections/memories.js';
import { recent } from '../projections/recent.js';
import { suppressions } from '../projections/suppressions.js';
import { timeline } from '../projections/timeline.js';

/** The read models, in the order they are applied. */
export const PROJECTIONS = [
  memories,
  timeline,
  suppressions,
  counters,
  recent,
  contradictions,
  maintenance,
  experience,
  enrichment,
  correlations,
] as const;
export const VIEW_NAMES = PROJECTIONS.map(({ name }) => name);
