import { LIMITS_OF_LISTS, SECTIONS, type SectionName } from '../../../domain/briefing/sections.js';
import { trimBriefing } from '../../../domain/briefing/trim.js';
import { DomainError, isDomainError } from '../../../domain/errors.js';
import { parseProjectName } from '../../../domain/project/name.js';
import { suggestionFor } from '../../../domain/project/scope.js';
import type { BriefingInput, BriefingResult, BriefingSections, Call } from '../../api.js';
import { earlierSources } from '../../history/briefing.js';
import type { QueryParts } from '../parts.js';
import { BRIEFED, type Briefed, GATHER } from './sections.js';
import { type BriefingSources, presentSources } from './sources.js';

const DEFAULT_TOKENS = 4_000;
const LEAST_TOKENS = 400;
/** Tokens that what stands around the sections may take. */
const SPARE = 200;

/**
 * What whoever begins work should know: each part from a view, the least useful left out first when the budget is small. Throws
 * VALIDATION for a part that is none, or a name that is no project's.
 */
export const briefing = async (parts: QueryParts, input: BriefingInput, call: Call): Promise<BriefingResult> => {
  const wanted = parseSections(input);
  const asked = input.project === undefined ? undefined : parseProjectName(input.project);
  if (input.as_of !== undefined) {
    const { answer, as_of, beginning } = await earlierSources(parts, input.as_of, call, BRIEFED, (sources) =>
      compose(parts, sources, asked, wanted, input),
    );
    return { ...answer, as_of, ...(beginning !== undefined && { message: beginning }) };
  }
  const stale = await parts.fresh();
  const answer = await compose(parts, presentSources(parts), asked, wanted, input);
  const context = answer.project_context;
  if (context && 'version' in context) parts.reads.note(call.session, context.key, context.version);
  if (asked !== undefined) parts.onBriefed(parts.index.projects.canonical(asked));
  return { ...answer, ...(stale && { stale }) };
};

const compose = async (
  parts: QueryParts,
  sources: BriefingSources,
  asked: string | undefined,
  wanted: readonly SectionName[],
  { max_tokens }: BriefingInput,
): Promise<BriefingResult> => {
  const { projects } = sources;
  const project = asked === undefined ? undefined : { name: projects.canonical(asked), names: projects.namesOf(asked) };
  const briefed: Briefed = { project, staleDays: parts.staleMemoryDays };
  const gathered = await Promise.all(wanted.map((name) => gather(name, sources, briefed)));
  const missing = gathered.flatMap(({ name, error }) => (error ? [[name, error.message] as const] : []));
  const [failure] = gathered.flatMap(({ error }) => error ?? []);
  if (failure && missing.length === wanted.length) throw failure;
  const sections = toldOnce(
    Object.fromEntries(gathered.filter(({ section }) => hasContent(section)).map(({ name, section }) => [name, section])),
  );
  const budget = Math.min(parts.maxTokens, Math.max(LEAST_TOKENS, max_tokens ?? DEFAULT_TOKENS));
  const { sections: kept, trimmed } = trimBriefing(sections, budget - SPARE);
  const suggestion = asked === undefined ? undefined : suggestionFor(projects, [asked]);
  return {
    ...(suggestion && { project_suggestion: suggestion }),
    ...(kept as BriefingSections),
    ...(missing.length > 0 && { unavailable: Object.fromEntries(missing) }),
    ...(Object.keys(sections).length === 0 && missing.length === 0 && { message: 'Nothing is remembered that belongs in a briefing.' }),
    ...(Object.keys(trimmed).length > 0 && {
      trimmed,
      trimmed_note: `Left out for the budget of ${budget} tokens. Ask for one part with include, or for more with max_tokens.`,
    }),
  };
};

/** What a warning or an experience tells need not be told again among the newest. */
const toldOnce = ({ recent_memories, ...sections }: BriefingSections): BriefingSections => {
  const { top_3_breakthroughs = [], gotchas = [] } = sections.experience_summary ?? {};
  const told = new Set([
    ...(sections.contradiction_warnings ?? []).flatMap(({ key, contradicts }) => [key, ...contradicts]),
    ...[...top_3_breakthroughs, ...gotchas].map(({ key }) => key),
  ]);
  const rest = recent_memories?.filter(({ key }) => !told.has(key)).slice(0, LIMITS_OF_LISTS.recent_memories);
  return inOrder({ ...sections, ...(rest && rest.length > 0 && { recent_memories: rest }) });
};

const inOrder = (sections: BriefingSections): BriefingSections =>
  Object.fromEntries(SECTIONS.flatMap((name) => (sections[name] === undefined ? [] : [[name, sections[name]]])));

type Gathered = { readonly name: SectionName; readonly section?: unknown; readonly error?: DomainError };

/** A part whose view is not there yet costs itself and not the briefing. */
const gather = async (name: SectionName, sources: BriefingSources, briefed: Briefed): Promise<Gathered> => {
  try {
    return { name, section: await GATHER[name](sources, briefed) };
  } catch (error) {
    if (isDomainError(error, 'UNAVAILABLE')) return { name, error };
    throw error;
  }
};

const hasContent = (section: unknown): boolean => section !== undefined && !(Array.isArray(section) && section.length === 0);

const parseSections = ({ include, include_knowledge = true }: BriefingInput): readonly SectionName[] => {
  const unknown = include?.find((name) => !SECTIONS.includes(name));
  if (unknown !== undefined || include?.length === 0) {
    throw new DomainError('VALIDATION', `include must name some of ${SECTIONS.join(', ')}`, 'Leave it out for all parts');
  }
  return SECTIONS.filter((name) => (include ? include.includes(name) : name !== 'new_knowledge' || include_knowledge));
};
