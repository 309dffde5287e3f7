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
import { projectDecider } from '../../../domain/project/project.js';
import { suggestionFor } from '../../../domain/project/scope.js';
import { readServingMemories } from '../../../projections/memories.js';
import type { Call, CompileProjectDomainsInput, CompileProjectDomainsResult } from '../../api.js';
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
  const { result, appended } = expectFree(
    await handleCommand(parts.log, projectDecider, [projectKey(name)], stampOf(parts, call), ([project]) => {
      const existing = project?.state.domains;
      const suggested = evidence.suggested(existing ?? []);
      const merged =
        given?.domains ??
        mergedDomains(
          existing ?? [],
          suggested.map(({ domain }) => domain),
        );
      const saves = given !== undefined || input.auto_save === true;
      const events = saves ? declareDomains(existing, merged) : [];
      const status = events.length > 0 ? 'saved' : saves ? 'unchanged' : 'draft';
      return { writes: [{ subject: projectKey(name), events }], result: { status, ...(existing && { existing }), suggested, merged } };
    }),
  );
  const { status, existing, suggested, merged } = result as unknown as Decided;
  return {
    status,
    project_name: name,
    ...(existing && { existing }),
    suggested: suggested.map(({ domain }) => domain),
    merged,
    evidence: Object.fromEntries(suggested.map(({ domain, evidence }) => [domain, evidence])),
    ...(given && Object.keys(given.aliased).length > 0 && { aliased: given.aliased }),
    ...(given && given.rejected.length > 0 && { rejected: given.rejected }),
    memories_read: evidence.read,
    ...(status === 'draft' && { note: 'Nothing was written. Pass auto_save: true to declare merged, or domains to declare others.' }),
    ...(await visibility(parts, appended)),
  };
};

type Decided = {
  readonly status: 'draft' | 'saved' | 'unchanged';
  readonly existing?: readonly string[];
  readonly suggested: readonly DomainSuggestion[];
  readonly merged: readonly string[];
};

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
