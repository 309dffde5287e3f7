import { DomainError } from './errors.js';
import { clip } from './passage.js';

/** Kinds of work: one vocabulary for what projects declare and for what skills are compiled for. */

/** Domains that one project may declare. */
export const MAX_DOMAINS = 20;

/** Names that are read at once, domains or not. */
export const MAX_NAMED_DOMAINS = 100;
/** UTF-16 units of what is told of a name that is no domain. */
const TOLD = 80;

/** Other names of a domain. Resolved wherever a domain is asked for or declared, so that the two can never drift apart. */
export const DOMAIN_ALIASES: ReadonlyMap<string, string> = new Map([
  ['py', 'python'],
  ['python3', 'python'],
  ['js', 'javascript'],
  ['ts', 'typescript'],
  ['golang', 'go'],
  ['rs', 'rust'],
  ['k8s', 'kubernetes'],
  ['postgres', 'postgresql'],
]);

const VALID = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const BETWEEN = /[,/|+&\n;]|\s+and\s+/i;

/** Trimmed, lower case, blanks as hyphens. Not yet resolved, and not necessarily valid. */
export const normaliseDomain = (text: string): string => text.trim().toLowerCase().replace(/\s+/g, '-');

/** Whether a normalised text is a domain: 1 to 64 of a-z, 0-9, dot, underscore and hyphen, a letter or digit first. */
export const isDomain = (text: string): boolean => VALID.test(text);

/** The domain that a text names, by its alias where it is one; undefined when it names none. */
export const resolveDomain = (text: string): string | undefined => {
  const normalised = normaliseDomain(text);
  return isDomain(normalised) ? (DOMAIN_ALIASES.get(normalised) ?? normalised) : undefined;
};

export type ParsedDomains = {
  /** In the order first named, each once. */
  readonly domains: readonly string[];
  /** What was written, and the domain it was taken for. */
  readonly aliased: Readonly<Record<string, string>>;
  /** What names no domain, as it was written. */
  readonly rejected: readonly string[];
};

/** The separate names in a text: of JSON its entries, else what stands between `, / | + & ;`, line ends and a spaced `and`. */
export const namesIn = (text: string): readonly string[] => jsonList(text) ?? text.split(BETWEEN);

const jsonList = (text: string): readonly string[] | undefined => {
  if (!text.trim().startsWith('[')) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.map(String) : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Reads domains from a list, a JSON array as text, or free text; an entry of a list that is no domain is read as text, since
 * some clients wrap a text in a list. Whatever is no domain is reported and never guessed. Throws VALIDATION for more than 100 names.
 */
export const parseDomains = (given: string | readonly string[]): ParsedDomains => {
  const domains = new Set<string>();
  const aliased = new Map<string, string>();
  const rejected = new Set<string>();
  const names = typeof given === 'string' ? namesIn(given) : given.flatMap((entry) => (resolveDomain(entry) ? [entry] : namesIn(entry)));
  if (names.length > MAX_NAMED_DOMAINS) {
    throw new DomainError(
      'VALIDATION',
      `${names.length} domains are named, at most ${MAX_NAMED_DOMAINS} are read`,
      'Name the kinds of work that matter here.',
    );
  }
  for (const name of names) {
    const written = name.trim();
    if (written === '') continue;
    const domain = resolveDomain(written);
    if (domain === undefined) {
      rejected.add(clip(written, TOLD));
      continue;
    }
    if (domain !== normaliseDomain(written)) aliased.set(written, domain);
    domains.add(domain);
  }
  return { domains: [...domains], aliased: Object.fromEntries(aliased), rejected: [...rejected] };
};

/** The same for what a project is to declare. Throws VALIDATION for more than 20. */
export const parseDeclaredDomains = (given: string | readonly string[]): ParsedDomains => {
  const parsed = parseDomains(given);
  if (parsed.domains.length <= MAX_DOMAINS) return parsed;
  throw new DomainError(
    'VALIDATION',
    `There are ${parsed.domains.length} domains, at most ${MAX_DOMAINS} fit`,
    'Keep the kinds of work that somebody would look for.',
  );
};
