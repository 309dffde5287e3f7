/** The parts of a briefing, in the order in which they are shown. */
export const SECTIONS = [
  'project_context',
  'contradiction_warnings',
  'preferences',
  'recent_memories',
  'experience_summary',
  'reinstate_candidates',
  'stale_memories',
  'new_knowledge',
  'suppressed_topics',
  'auto_maintenance',
  'enrichment',
] as const;
export type SectionName = (typeof SECTIONS)[number];

/**
 * What gives way first when a briefing is too long. What blocks work (an open contradiction) and where the project stands go
 * last; what can be looked up any time goes first.
 */
export const LEAST_USEFUL_FIRST: readonly SectionName[] = [
  'suppressed_topics',
  'new_knowledge',
  'stale_memories',
  'auto_maintenance',
  'enrichment',
  'reinstate_candidates',
  'recent_memories',
  'preferences',
  'experience_summary',
  'contradiction_warnings',
  'project_context',
];

/** Most useful first within each list: what is cut is cut from the end. */
export const LIMITS_OF_LISTS = {
  contradiction_warnings: 5,
  preferences: 10,
  recent_memories: 7,
  reinstate_candidates: 5,
  stale_memories: 10,
  new_knowledge: 10,
  graveyard: 10,
  breakthroughs: 3,
} as const;
