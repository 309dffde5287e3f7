import { clip } from '../../../domain/passage.js';
import { parseProjectName } from '../../../domain/project/name.js';
import { suggestionFor } from '../../../domain/project/scope.js';
import { breakthroughs, experience, experienceFigures, mostEffortful } from '../../../projections/experience.js';
import type { MemoryRow } from '../../../projections/memories.js';
import type { Scope } from '../../../projections/scope.js';
import type { View } from '../../../projections/view.js';
import type { Call, ExperienceSummaryInput, ExperienceSummaryResult } from '../../api.js';
import { told } from '../../history/as-of.js';
import { earlierSources } from '../../history/briefing.js';
import { type BriefingSources, presentSources } from '../briefing/sources.js';
import type { QueryParts } from '../parts.js';
import { newestDeadEnds } from './buried.js';

const EFFORTFUL = 5;
const BREAKTHROUGHS = 3;
const GRAVEYARD = 50;
const HEAD = 80;

/** Reads memories by key; those that are gone are left out. */
export type ReadRows = (keys: readonly string[]) => Promise<ReadonlyMap<string, MemoryRow>>;

/** How hard the work of a project, or of all, was, how it ended and what was given up. Archived memories do not count. */
export const experienceSummary = async (parts: QueryParts, input: ExperienceSummaryInput, call: Call): Promise<ExperienceSummaryResult> => {
  const name = input.project === undefined ? undefined : parseProjectName(input.project);
  if (input.as_of !== undefined) {
    const { answer, ...moment } = await earlierSources(parts, input.as_of, call, [experience], (sources) => summarise(sources, name));
    return { ...answer, ...told(moment) };
  }
  const stale = await parts.fresh();
  return { ...(await summarise(presentSources(parts), name)), ...(stale && { stale }) };
};

const summarise = async ({ projects, rows, view }: BriefingSources, name: string | undefined): Promise<ExperienceSummaryResult> => {
  const scopes = name === undefined ? (['all'] as const) : projects.namesOf(name).map((project) => ({ project }));
  const suggestion = name === undefined ? undefined : suggestionFor(projects, [name]);
  return {
    ...(name !== undefined && { project: projects.canonical(name) }),
    ...(await view(experience, (read) => summaryOf(read, scopes, rows))),
    ...(suggestion && { project_suggestion: suggestion }),
  };
};

/** The same of any state of the experience view. */
export const summaryOf = async (view: View, scopes: readonly Scope[], read: ReadRows): Promise<ExperienceSummaryResult> => {
  const [{ memories, efforts, outcomes }, hardest, best, dead] = await Promise.all([
    experienceFigures(view, scopes),
    mostEffortful(view, scopes, EFFORTFUL),
    breakthroughs(view, scopes, BREAKTHROUGHS),
    newestDeadEnds(view, scopes, read, GRAVEYARD),
  ]);
  const rows = await read([...new Set([...hardest, ...best])]);
  return {
    memories_with_experience: memories,
    average_effort_score: average(efforts),
    outcome_breakdown: outcomes,
    top_5_most_effortful: hardest.flatMap((key) => {
      const row = rows.get(key);
      if (row?.effort_score === undefined) return [];
      const { content, effort_score, outcome } = row;
      return [{ key, content: clip(content, HEAD), effort_score, ...(outcome !== undefined && { outcome }) }];
    }),
    graveyard: dead.shown,
    ...(dead.more && {
      graveyard_cut: { shown: dead.shown.length, note: 'There are older dead ends; warn_if_abandoned looks through all of them.' },
    }),
    top_3_breakthroughs: best.flatMap((key) => {
      const row = rows.get(key);
      if (row?.breakthrough === undefined) return [];
      const { breakthrough, effort_score } = row;
      return [{ key, ...(effort_score !== undefined && { effort_score }), breakthrough }];
    }),
  };
};

/** To 2 digits; `efforts` counts the memories of effort 1, 2 and so on. */
const average = (efforts: readonly number[]): number => {
  const count = efforts.reduce((sum, each) => sum + each, 0);
  const total = efforts.reduce((sum, each, i) => sum + each * (i + 1), 0);
  return count === 0 ? 0 : Math.round((total / count) * 100) / 100;
};
