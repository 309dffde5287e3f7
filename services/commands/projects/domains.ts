import { fold } from '../../../domain/decider.js';
import { type ParsedDomains, parseDeclaredDomains, resolveDomain } from '../../../domain/domains.js';
import { DomainError } from '../../../domain/errors.js';
import {
  countedTags,
  type DomainSuggestion,
  declareDomains,
  domainsOfStack,
  domainsOfTags,
  mergedDomains,
  suggestDomains,
} from '../../../domain/project/domains.js';
import { projectKey } from '../../../domain/project/key.js';
import { parseProjectName } from '../../../domain/project/name.js';
import { type ProjectHistoryEvent, projectDecider } from '../../../domain/project/project.js';
import { suggestionFor } from '../../../domain/project/scope.js';
import { readServingMemories } from '../../../projections/memories.js';
import type { Call, CompileProjectDomainsInput, CompileProjectDomainsResult } from '../../api.js';
import type { Appended } from '../../eventlog/append.js';
import { handleCommand } from '../../eventlog/handle.js';
import { unavailableWhenDown } from '../../valkey/errors.js';
import { type CommandParts, stampOf, visibility } from '../parts.js';
import { expectFree } from '../retag.js';

/** Memories whose tags are counted: the newest. */
const MOST = 5_000;
const BATCH = 500;

/**
 * The kinds of work in a project: what it declares, what its stack and its recurring tags suggest, and both together. Writes
 * the list only when told to, or exactly `domains` when they are given. Throws VALIDATION.
 */
export const compileProjectDomains = async (
  parts: CommandParts,
  input: CompileProjectDomainsInput,
  call: Call,
): Promise<CompileProjectDomainsResult> => {
  const given = input.domains === undefined ? undefined : domainsGiven(input.domains);
  const named = parseProjectName(input.project_name);
  await parts.fresh();
  const { projects } = parts.index;
  const name = projects.canonical(named);
  if (!projects.isKnown(name)) {
    const suggestion = suggestionFor(projects, [named]);
    const note = 'Nothing is known of this project. Remember something under its name, or call set_project_context.';
    return { status: 'not_found', project_name: named, note, ...(suggestion && { project_suggestion: suggestion }) };
  }
  const evidence = given ? { suggested: () => [], read: 0 } : await evidenceOf(parts, name);
  const decide = (existing: readonly string[] | undefined): Decided => {
    const suggested = evidence.suggested(existing ?? []);
    const added = suggested.map(({ domain }) => domain);
    return { existing, suggested, merged: given?.domains ?? mergedDomains(existing ?? [], added) };
  };
  const saves = given !== undefined || input.auto_save === true;
  let decided = decide(undefined);
  const { result, appended } = expectFree(
    await handleCommand(parts.log, projectDecider, [projectKey(name)], stampOf(parts, call), ([project]) => {
      decided = decide(project?.state.domains);
      const events = saves ? declareDomains(decided.existing, decided.merged) : [];
      const status = events.length > 0 ? 'saved' : saves ? 'unchanged' : 'draft';
      // Kept for a day, so it holds none of the text.
      return { writes: [{ subject: projectKey(name), events }], result: { status } };
    }),
  );
  if (appended?.outcome === 'repeated') {
    const declared = await declaredBy(parts, appended);
    decided = { ...decide(declared.existing), ...declared };
  }
  const { status } = result as Pick<Extract<CompileProjectDomainsResult, { merged: unknown }>, 'status'>;
  const { existing, suggested, merged } = decided;
  return {
    status,
    project_name: name,
    ...(existing && { existing }),
    suggested: suggested.map(({ domain }) => domain),
    merged,
    evidence: Object.fromEntries(suggested.map(({ domain, evidence }) => [domain, evidence])),
    ...(given && notTaken(given)),
    memories_read: evidence.read,
    ...(status === 'draft' && { note: 'Nothing was written. Pass auto_save: true to declare merged, or domains to declare others.' }),
    ...(await visibility(parts, appended)),
  };
};

type Decided = {
  readonly existing: readonly string[] | undefined;
  readonly suggested: readonly DomainSuggestion[];
  readonly merged: readonly string[];
};

/** What a command that is met again declared, and what was declared before it, read from the log: nothing that was erased since. */
const declaredBy = async (
  { log }: CommandParts,
  { events }: Appended,
): Promise<Pick<Decided, 'existing'> & Partial<Pick<Decided, 'merged'>>> => {
  const [entry] = await log.at(events.map(({ position }) => position));
  if (entry?.kind !== 'event' || entry.event.type !== 'ProjectDomainsDeclared') return { existing: undefined };
  const { envelope, data } = entry.event;
  const [history] = await log.load([envelope.subject]);
  const past = (history?.events ?? []).filter(({ n }) => n < envelope.n) as readonly ProjectHistoryEvent[];
  return { existing: fold(projectDecider, past).domains, merged: data.domains };
};

/** What of these was read as another domain, and what as none. */
export const notTaken = ({ aliased, rejected }: ParsedDomains): Partial<Pick<ParsedDomains, 'aliased' | 'rejected'>> => ({
  ...(Object.keys(aliased).length > 0 && { aliased }),
  ...(rejected.length > 0 && { rejected }),
});

/** Domains that somebody declares. Throws VALIDATION for more than 20, and where none of them is a domain. */
export const domainsGiven = (text: string | readonly string[]): ParsedDomains => {
  const parsed = parseDeclaredDomains(text);
  if (parsed.domains.length > 0 || parsed.rejected.length === 0) return parsed;
  throw new DomainError(
    'VALIDATION',
    `None of these is a domain: ${parsed.rejected.slice(0, 5).join(', ')}`,
    'A domain is 1 to 64 of a-z, 0-9, dot, underscore and hyphen, such as python or wcag-accessibility; [] says that there is none',
  );
};

/** What the stack and the tags speak for, whatever is declared. */
const evidenceOf = async (parts: CommandParts, name: string) => {
  const { documents, projects } = parts.index;
  const names = projects.namesOf(name);
  const keys = [...documents.values()]
    .filter(
      ({ namespace, state, project }) => namespace === 'episodic' && state === 'active' && project !== undefined && names.includes(project),
    )
    .map(({ key }) => key)
    .sort()
    .slice(-MOST);
  const tags: (readonly string[])[] = [];
  for (let from = 0; from < keys.length; from += BATCH) {
    const rows = await unavailableWhenDown(() => readServingMemories(parts.redis, parts.keys, keys.slice(from, from + BATCH)));
    tags.push(...[...rows.values()].map((row) => row.tags));
  }
  const counts = countedTags(tags);
  const stack = names.map((one) => documents.get(projectKey(one))?.context?.stack).find((text) => text !== undefined) ?? '';
  const ofStack = domainsOfStack(stack, new Set([...counts.keys(), ...projects.domains()]));
  const itself = new Set(names.flatMap((one) => resolveDomain(one) ?? []));
  return {
    suggested: (existing: readonly string[]) => suggestDomains(existing, ofStack, domainsOfTags(counts, itself)),
    read: keys.length,
  };
};
