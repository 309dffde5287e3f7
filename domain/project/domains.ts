import { MAX_DOMAINS, namesIn, resolveDomain } from '../domains.js';
import type { ProjectEvent } from './events.js';

/** Most domains that are suggested at once. */
const SUGGESTED = 10;
/** Active episodic memories from which a tag counts as a kind of work. */
const RECURRING = 2;
/** Words of a phrase that may be one domain; longer ones are sentences. */
const PHRASE = 3;

/** Words of a stack that name no kind of work (specification). */
const STOP_WORDS: ReadonlySet<string> = new Set(
  'and or the a an with using etc plus via for on in of some various misc other others custom cli app apps stack based'.split(' '),
);
/** `3.12`, `v8`, `>=20`, `^4.1.x`: which version says nothing of the kind of work. */
const VERSION = /^[\^~<>=v]*\d[\d.]*[+x]?$/i;

/** Why a domain is suggested. */
export type DomainEvidence = {
  /** The words of the stack that it was read from. */
  readonly stack?: string;
  /** How many active episodic memories have it as a tag. */
  readonly tagged?: number;
};

export type DomainSuggestion = { readonly domain: string; readonly evidence: DomainEvidence };

/**
 * The kinds of work that a stack names, in its order, each with the words it was read from. Stop words and versions fall
 * away. Of a phrase of several words those that are `known` as domains are taken, else the phrase as one.
 */
export const domainsOfStack = (stack: string, known: ReadonlySet<string> = new Set()): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const name of namesIn(stack).flatMap((text) => text.split(/[()[\]:]|\.\s/))) {
    for (const phrase of phrasesOf(name)) {
      for (const domain of domainsOfPhrase(phrase, known)) if (!found.has(domain)) found.set(domain, phrase.join(' '));
    }
  }
  return found;
};

/** What stands between stop words, without versions. */
const phrasesOf = (text: string): readonly (readonly string[])[] => {
  const phrases: string[][] = [[]];
  for (const word of text.split(/\s+/)) {
    const bare = word.replace(/-based$/i, '').replace(/[.,:!?'"`]+$/, '');
    if (bare === '' || VERSION.test(bare)) continue;
    if (STOP_WORDS.has(bare.toLowerCase())) phrases.push([]);
    else phrases.at(-1)?.push(bare);
  }
  return phrases.filter((phrase) => phrase.length > 0);
};

const domainsOfPhrase = (phrase: readonly string[], known: ReadonlySet<string>): readonly string[] => {
  const whole = resolveDomain(phrase.join(' '));
  if (phrase.length === 1 || (whole !== undefined && known.has(whole))) return whole === undefined ? [] : [whole];
  const parts = phrase.flatMap((word) => resolveDomain(word) ?? []).filter((domain) => known.has(domain));
  if (parts.length > 0) return parts;
  return whole === undefined || phrase.length > PHRASE ? [] : [whole];
};

/** Tags as domains, with how many of these memories have each. A memory counts once, however it spells one domain. */
export const countedTags = (memories: Iterable<readonly string[]>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const tags of memories) {
    for (const domain of new Set(tags.flatMap((tag) => resolveDomain(tag) ?? []))) counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  return counts;
};

/** Tags that recur on two of these memories or more: the most frequent first, then by name. `notThese` are left out, such as names of the project. */
export const domainsOfTags = (counts: ReadonlyMap<string, number>, notThese: ReadonlySet<string>): ReadonlyMap<string, number> =>
  new Map(
    [...counts]
      .filter(([domain, count]) => count >= RECURRING && !notThese.has(domain) && !SAYS_HOW.has(domain))
      .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)),
  );

/** Tags that our guide tells agents to use for the intent or the outcome of a memory: they are no kinds of work. */
const SAYS_HOW: ReadonlySet<string> = new Set(
  'bug bugfix bug-fix fix decision decisions pattern constraint gotcha breakthrough lesson abandoned pivoted succeeded workaround preference note todo'.split(
    ' ',
  ),
);

/** What a project does not declare yet and seems to be: from its stack first, then from its tags; at most ten. */
export const suggestDomains = (
  existing: readonly string[],
  stack: ReadonlyMap<string, string>,
  tags: ReadonlyMap<string, number>,
): readonly DomainSuggestion[] =>
  [...new Set([...stack.keys(), ...tags.keys()])]
    .filter((domain) => !existing.includes(domain))
    .slice(0, SUGGESTED)
    .map((domain) => {
      const [words, tagged] = [stack.get(domain), tags.get(domain)];
      return { domain, evidence: { ...(words !== undefined && { stack: words }), ...(tagged !== undefined && { tagged }) } };
    });

/** What a project declares after taking more on: its own first, at most 20. */
export const mergedDomains = (existing: readonly string[], more: readonly string[]): readonly string[] =>
  [...new Set([...existing, ...more])].slice(0, MAX_DOMAINS);

/** Declares these domains, unless just they are declared. An empty list says that the project was considered and none is derivable. */
export const declareDomains = (existing: readonly string[] | undefined, domains: readonly string[]): readonly ProjectEvent[] =>
  existing && existing.join() === domains.join() ? [] : [{ type: 'ProjectDomainsDeclared', data: { domains: [...domains] } }];

/** The domains that an imported context is given by its stack; empty: considered, and none derivable. */
export const seedDomains = (stack: string): readonly string[] => [...domainsOfStack(stack).keys()].slice(0, MAX_DOMAINS);
