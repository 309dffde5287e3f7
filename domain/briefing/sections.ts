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

/** One step of making a briefing shorter: a list down to so many entries, or the long texts of the context to so many UTF-16 units. */
export type Cut = { readonly part: SectionName; readonly keep: number } | { readonly contextTexts: number };

/**
 * What gives way, in this order, until a briefing fits. What can be looked up any time goes first; an open contradiction, which
 * blocks work, goes last, and the context keeps its first sentences.
 */
export const CUTS: readonly Cut[] = [
  { part: 'suppressed_topics', keep: 0 },
  { part: 'new_knowledge', keep: 0 },
  { part: 'stale_memories', keep: 0 },
  { contextTexts: 2_000 },
  { part: 'auto_maintenance', keep: 0 },
  { part: 'enrichment', keep: 0 },
  { part: 'reinstate_candidates', keep: 2 },
  { part: 'recent_memories', keep: 2 },
  { contextTexts: 800 },
  { part: 'preferences', keep: 3 },
  { part: 'reinstate_candidates', keep: 0 },
  { part: 'recent_memories', keep: 0 },
  { contextTexts: 300 },
  { part: 'experience_summary', keep: 0 },
  { part: 'preferences', keep: 0 },
  { part: 'contradiction_warnings', keep: 1 },
  { contextTexts: 160 },
  { part: 'contradiction_warnings', keep: 0 },
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
