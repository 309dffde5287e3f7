import { LIMITS_OF_LISTS, type SectionName } from '../../../domain/briefing/sections.js';
import { clip } from '../../../domain/passage.js';
import type { State } from '../../../domain/vocabulary.js';
import { contradictions, readOpenPairs } from '../../../projections/contradictions.js';
import { countEnrichment, enrichment } from '../../../projections/enrichment.js';
import { experience } from '../../../projections/experience.js';
import { maintenance, readLastMaintenance } from '../../../projections/maintenance.js';
import type { MemoryRow } from '../../../projections/memories.js';
import { newestFirst, oldestFirst, recent, recentRows } from '../../../projections/recent.js';
import type { View } from '../../../projections/view.js';
import type { BriefedContext, BriefedExperience, BriefingSections } from '../../api.js';
import { summaryOf } from '../experience/summary.js';
import { contextsFrom } from '../projects/read.js';
import type { BriefingSources } from './sources.js';

/** Whom a briefing is for: one project under all its names, or whoever works in none. */
export type Briefed = {
  readonly project: { readonly name: string; readonly names: readonly string[] } | undefined;
  readonly staleDays: number;
};

/** The views that a briefing is read from. */
export const BRIEFED = [contradictions, enrichment, experience, maintenance, recent] as const;

const DAY = 86_400_000;
const HEAD = 80;
/** What is read for its content and not as a pointer is shown longer. */
const TOLD = 240;
const NEWS_DAYS = 7;
/** Read beyond what is shown, since some of it may be expired, suppressed or of other projects. */
const SPARE = 4;

type Gather<Name extends SectionName> = (sources: BriefingSources, briefed: Briefed) => Promise<BriefingSections[Name]>;

const contextOf: Gather<'project_context'> = async (sources, { project }) => {
  if (!project) return undefined;
  const { name } = project;
  const context = (await contextsFrom(sources.rows, sources.projects, [name])).get(name);
  if (!context) return notFound(sources, name);
  const { description, stack, goals, current_state, notes = '' } = context.texts;
  const domains = sources.projects.domainsOf(name) ?? [];
  const others = project.names.filter((other) => other !== name);
  return {
    name,
    key: context.key,
    version: context.version,
    ...(description !== '' && { description }),
    ...(stack !== '' && { stack }),
    ...(goals !== '' && { goals }),
    ...(current_state !== '' && { current_state }),
    ...(notes !== '' && { notes }),
    ...(domains.length > 0 && { domains }),
    ...(others.length > 0 && { also_called: others }),
    ...(context.state !== 'active' && {
      state: context.state,
      ...(context.deprioritised_reason !== undefined && { reason: context.deprioritised_reason }),
    }),
    updated_at: context.updated_at,
  };
};

const notFound = ({ projects }: BriefingSources, name: string): BriefedContext => {
  const { active, deprioritised } = projects.memoriesOf(name);
  const near = projects.near(name);
  return { name, note: `not_found: ${howToBegin(active, deprioritised, near)}`, memories: active + deprioritised };
};

const howToBegin = (active: number, deprioritised: number, near: readonly string[]): string => {
  if (near.length > 0) {
    const names = near.map((one) => JSON.stringify(one)).join(' or ');
    return `nothing is known under this name, and there is ${names}. Ask the human whether that is meant before a new project is begun.`;
  }
  if (active > 0) return 'there are memories and no context. compile_project_context with auto_save: true drafts one from them.';
  if (deprioritised > 0) return `its ${deprioritised} memories are set aside; reinstate_project brings them back.`;
  return 'nothing is known of this project. Ask the human about it and call set_project_context.';
};

const contradictionsOf: Gather<'contradiction_warnings'> = async (sources, { project }) => {
  const pairs = await sources.view(contradictions, (view) =>
    readOpenPairs(view, { projects: project?.names, limit: LIMITS_OF_LISTS.contradiction_warnings }),
  );
  const rows = await sources.rows(pairs.flatMap(({ key_a, key_b }) => [key_a, key_b]));
  return pairs.flatMap(({ key_a, key_b, cue, since }) => {
    const [a, b] = [rows.get(key_a), rows.get(key_b)];
    if (!a || !b || !mayBeShown(sources, a) || !mayBeShown(sources, b)) return [];
    const says = clip(b.content, TOLD);
    return [{ key: key_a, content: clip(a.content, TOLD), contradicts: [key_b], says, ...(cue !== undefined && { cue }), since }];
  });
};

const preferencesOf: Gather<'preferences'> = async (sources, { project }) => {
  // What a source says is no rule of the human, whoever filed it as one.
  const wanted = (row: MemoryRow): boolean => active(row) && row.provenance !== 'retrieved';
  const sets = [undefined, ...(project?.names ?? [])].map(recentRows.preference);
  const rows = await listed(sources, LIMITS_OF_LISTS.preferences, sets, wanted);
  return rows.map(({ key, content, project: filed, provenance, enriched_from }) => ({
    key,
    content: clip(content, TOLD),
    ...(filed !== undefined && { project: filed }),
    ...(provenance !== 'asserted' && { provenance }),
    ...(enriched_from !== undefined && { enriched_from }),
  }));
};

const recentOf: Gather<'recent_memories'> = async (sources, { project }) => {
  const sets = project ? project.names.map(recentRows.episodic) : [recentRows.episodic()];
  // More than are shown: those that another part tells are left out afterwards.
  const rows = await listed(sources, 3 * LIMITS_OF_LISTS.recent_memories, sets, active);
  const distinct = rows.filter(({ content }, i) => rows.findIndex((other) => other.content === content) === i);
  return distinct.map(({ key, content, updated_at, outcome }) => ({
    key,
    content: clip(content, TOLD),
    updated_at,
    ...(outcome !== undefined && { outcome }),
  }));
};

const experienceOf: Gather<'experience_summary'> = async (sources, { project }): Promise<BriefedExperience | undefined> => {
  const scopes = project ? project.names.map((name) => ({ project: name })) : (['all'] as const);
  const summary = await sources.view(experience, (view) => summaryOf(view, scopes, sources.rows));
  const { memories_with_experience, average_effort_score, outcome_breakdown } = summary;
  const graveyard = summary.graveyard.slice(0, LIMITS_OF_LISTS.graveyard).map(({ name, type, reason, key, attempted_at }) => ({
    name,
    type,
    reason: clip(reason, TOLD),
    key,
    attempted_at,
  }));
  const breakthroughs = summary.top_3_breakthroughs.map(({ key, breakthrough }) => ({ key, breakthrough: clip(breakthrough, TOLD) }));
  const hardest = await sources.rows(summary.top_5_most_effortful.map(({ key }) => key));
  const gotchas = summary.top_5_most_effortful.flatMap(({ key }) => {
    const text = hardest.get(key)?.gotchas;
    return text === undefined ? [] : [{ key, gotchas: clip(text, TOLD) }];
  });
  if (memories_with_experience === 0 && graveyard.length === 0) return undefined;
  const rated = Object.values(outcome_breakdown).some((count) => count > 0);
  return {
    memories_with_experience,
    ...(rated && { average_effort_score, outcome_breakdown }),
    ...(graveyard.length > 0 && { graveyard }),
    ...(breakthroughs.length > 0 && { top_3_breakthroughs: breakthroughs }),
    ...(gotchas.length > 0 && { gotchas }),
  };
};

const reinstateOf: Gather<'reinstate_candidates'> = async (sources, { project }) => {
  const sets = project ? project.names.map(recentRows.reinstate) : [recentRows.reinstate()];
  const rows = await listed(sources, LIMITS_OF_LISTS.reinstate_candidates, sets, ({ state }) => state === 'deprioritised');
  return rows.map(({ key, content, deprioritised_reason: reason, reinstate_hints }) => ({
    key,
    content: clip(content, HEAD),
    ...(reason !== undefined && { reason }),
    reinstate_hints,
  }));
};

const staleOf: Gather<'stale_memories'> = async (sources, { project, staleDays }) => {
  const until = new Date(sources.now - staleDays * DAY).toISOString();
  const sets = project ? project.names.map(recentRows.episodic) : [recentRows.episodic()];
  const limit = LIMITS_OF_LISTS.stale_memories;
  const rows = await gathered(
    sources,
    sets,
    limit,
    (view, set) => oldestFirst(view, set, { until, limit: SPARE * limit }),
    'oldest',
    active,
  );
  return rows.map(({ key, content, updated_at }) => ({
    key,
    content: clip(content, HEAD),
    days_stale: Math.floor((sources.now - Date.parse(updated_at)) / DAY),
  }));
};

/** What came from outside. A fact that was drawn from a memory is no news, and knowledge filed under another project is not for this one. */
const newsOf: Gather<'new_knowledge'> = async (sources, { project }) => {
  const since = new Date(sources.now - NEWS_DAYS * DAY).toISOString();
  const limit = LIMITS_OF_LISTS.new_knowledge;
  const mine = ({ project: filed, source_url }: MemoryRow): boolean =>
    !project || filed === undefined || source_url !== undefined || project.names.includes(filed);
  const rows = await gathered(
    sources,
    [recentRows.knowledge],
    limit,
    (view, set) => newestFirst(view, set, { since, limit: SPARE * limit }),
    'newest',
    (row) => active(row) && row.enriched_from === undefined && mine(row),
  );
  return rows.map(({ key, content, title, source_url, licence, licence_note, provenance }) => ({
    key,
    ...(title !== undefined && { title }),
    content: clip(content, HEAD),
    ...(source_url !== undefined && { source_url }),
    licence,
    ...(licence_note !== undefined && { licence_note }),
    provenance,
  }));
};

const suppressedOf: Gather<'suppressed_topics'> = async ({ suppressed }) => [...suppressed.topics.keys()].sort();

const maintenanceOf: Gather<'auto_maintenance'> = async (sources, { project }) => {
  const run = await sources.view(maintenance, (view) => readLastMaintenance(view, project?.names));
  if (!run || sources.now - Date.parse(run.ran_at) > NEWS_DAYS * DAY) return undefined;
  const { ran_at, correlation, duplicates_archived, contradictions_found, knowledge_expired, left } = run;
  if (duplicates_archived.length + contradictions_found.length + knowledge_expired.length === 0) return undefined;
  return {
    ran_at,
    correlation,
    ...(duplicates_archived.length > 0 && { duplicates_archived }),
    ...(contradictions_found.length > 0 && { contradictions_found }),
    ...(knowledge_expired.length > 0 && { knowledge_expired }),
    ...(left > 0 && { left }),
  };
};

const enrichmentOf: Gather<'enrichment'> = async (sources) => {
  const { parked } = await sources.view(enrichment, countEnrichment);
  if (parked === 0) return undefined;
  return { parked, note: 'Facts could not be drawn from so many memories; queue_status names them.' };
};

/** How each part is gathered. */
export const GATHER: { readonly [Name in SectionName]: Gather<Name> } = {
  project_context: contextOf,
  contradiction_warnings: contradictionsOf,
  preferences: preferencesOf,
  recent_memories: recentOf,
  experience_summary: experienceOf,
  reinstate_candidates: reinstateOf,
  stale_memories: staleOf,
  new_knowledge: newsOf,
  suppressed_topics: suppressedOf,
  auto_maintenance: maintenanceOf,
  enrichment: enrichmentOf,
};

const active = ({ state }: MemoryRow): boolean => state === ('active' satisfies State);

const mayBeShown = ({ suppressed, now }: BriefingSources, row: MemoryRow): boolean =>
  suppressed.matches(row.content) === undefined && (row.expires_at === undefined || Date.parse(row.expires_at) > now);

const listed = (
  sources: BriefingSources,
  limit: number,
  sets: readonly string[],
  wanted: (row: MemoryRow) => boolean,
): Promise<readonly MemoryRow[]> =>
  gathered(sources, sets, limit, (view, set) => newestFirst(view, set, { limit: SPARE * limit }), 'newest', wanted);

/** The first rows of several sets in one order that may be shown and are wanted. */
const gathered = async (
  sources: BriefingSources,
  sets: readonly string[],
  limit: number,
  read: (view: View, set: string) => Promise<readonly { readonly at: string; readonly key: string }[]>,
  order: 'newest' | 'oldest',
  wanted: (row: MemoryRow) => boolean,
): Promise<readonly MemoryRow[]> => {
  const pages = await sources.view(recent, (view) => Promise.all(sets.map((set) => read(view, set))));
  const turn = order === 'newest' ? -1 : 1;
  const dated = pages.flat().sort((a, b) => turn * (a.at < b.at ? -1 : a.at > b.at ? 1 : a.key < b.key ? -1 : 1));
  const candidates = dated.slice(0, SPARE * limit).map(({ key }) => key);
  const rows = await sources.rows(candidates);
  return candidates
    .flatMap((key) => rows.get(key) ?? [])
    .filter((row) => wanted(row) && mayBeShown(sources, row))
    .slice(0, limit);
};
