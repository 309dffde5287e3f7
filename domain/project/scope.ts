import { type ParsedDomains, parseDomains } from '../domains.js';
import type { ProjectDirectory } from './directory.js';

/** Projects that a name may have been meant for. Nothing was filed or searched under them because of it. */
export type ProjectSuggestion = { readonly did_you_mean: readonly string[]; readonly note: string };

/** Where domains led: to which projects each one, what no project declares, and what was taken for another name. */
export type DomainRouting = {
  readonly matched: Readonly<Record<string, readonly string[]>>;
  readonly unmatched: readonly string[];
  readonly aliased?: Readonly<Record<string, string>>;
  /** How many projects of a long list were left out. */
  readonly more?: Readonly<Record<string, number>>;
};

/** Projects that are told for each domain; the rest are counted. */
const TOLD = 20;

/** The same without the tail of long lists, each with the number that was left out. */
export const shortRouting = (routing: DomainRouting): DomainRouting => {
  const lists = Object.entries(routing.matched);
  const long = lists.filter(([, projects]) => projects.length > TOLD);
  if (long.length === 0) return routing;
  return {
    ...routing,
    matched: Object.fromEntries(lists.map(([domain, projects]) => [domain, projects.slice(0, TOLD)])),
    more: Object.fromEntries(long.map(([domain, projects]) => [domain, projects.length - TOLD])),
  };
};

/** What a read looks at. */
export type Scope = {
  /** Every name, as it was written, whose memories are looked at; absent: all of them. Empty: none. */
  readonly names: readonly string[] | undefined;
  readonly suggestion?: ProjectSuggestion;
  readonly routing?: DomainRouting;
  /** What became of the domains that were asked for, when not all of them led to a project. */
  readonly domainNotice?: string;
};

const quoted = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(', ');

/** Where something for the project `name` is filed: under what the name counts as, and otherwise exactly as it was given. */
export const filedUnder = (
  directory: ProjectDirectory,
  name: string,
): { readonly project: string; readonly suggestion?: ProjectSuggestion } => {
  const project = directory.canonical(name);
  const near = directory.near(project);
  if (near.length === 0) return { project };
  const [nearest = ''] = near;
  const note = `${quoted([name])} is a new project, and its name is close to ${quoted(near)}. It was filed as given. If they are one project, call merge_projects with from ${quoted([name])} and into ${quoted([nearest])}.`;
  return { project, suggestion: { did_you_mean: near, note } };
};

/** Unknown names that are compared with all that there are: each takes as long as there are projects. */
const LOOKED_UP = 10;

/** For names of which nothing is known, the first ten: what they may have been meant for. */
export const suggestionFor = (directory: ProjectDirectory, names: readonly string[]): ProjectSuggestion | undefined => {
  const asked = names.filter((name) => !directory.isKnown(name)).slice(0, LOOKED_UP);
  const unknown = asked.flatMap((name) => {
    const near = directory.near(name);
    return near.length > 0 ? [{ name, near }] : [];
  });
  if (unknown.length === 0) return undefined;
  const said = unknown.map(({ name, near }) => `Nothing is known of a project ${quoted([name])}; there is ${quoted(near)}.`);
  return {
    did_you_mean: [...new Set(unknown.flatMap(({ near }) => near))],
    note: `${said.join(' ')} Ask again with that name. If both are one project, merge_projects makes them one.`,
  };
};

/** Every name under which memories of these projects may be filed. */
export const allNames = (directory: ProjectDirectory, projects: readonly string[]): readonly string[] => [
  ...new Set(projects.flatMap((project) => directory.namesOf(project))),
];

/**
 * What a read with these filters looks at. Names that were merged are looked at together. Domains lead to the projects that
 * declare them and say nothing about a memory itself; where no project declares any of them the filter is left aside, and
 * said so; with both filters a project must be in both, and when none is, nothing is looked at.
 */
export const scopeOf = (
  directory: ProjectDirectory,
  { projects, domains }: { readonly projects?: readonly string[] | undefined; readonly domains?: string | readonly string[] | undefined },
): Scope => {
  const suggestion = projects && suggestionFor(directory, projects);
  const named = { ...(suggestion && { suggestion }) };
  const byName = projects && allNames(directory, projects);
  if (domains === undefined) return { names: byName, ...named };

  const parsed = parseDomains(domains);
  const routing = routingOf(directory, parsed);
  const led = [...new Set(Object.values(routing.matched).flat())];
  const common = { ...named, routing };
  const matched = Object.keys(routing.matched);
  if (matched.length === 0) return { names: byName, ...common, domainNotice: leftAside(routing.unmatched, projects !== undefined) };
  const some =
    routing.unmatched.length > 0
      ? `No project declares ${routing.unmatched.join(', ')}; only ${matched.join(', ')} narrowed this search.`
      : undefined;
  if (!projects) return { names: allNames(directory, led), ...common, ...(some !== undefined && { domainNotice: some }) };

  const wanted = new Set(projects.map((project) => directory.canonical(project)));
  const both = led.filter((project) => wanted.has(project));
  if (both.length > 0) return { names: allNames(directory, both), ...common, ...(some !== undefined && { domainNotice: some }) };
  const none = `No project of project_filter declares ${matched.join(' or ')}, so nothing was searched.`;
  return {
    names: [],
    ...common,
    domainNotice: [none, some && `No project at all declares ${routing.unmatched.join(', ')}.`].filter(Boolean).join(' '),
  };
};

const routingOf = (directory: ProjectDirectory, { domains, aliased, rejected }: ParsedDomains): DomainRouting => {
  const led = domains.map((domain) => [domain, directory.inDomain(domain)] as const);
  return {
    matched: Object.fromEntries(led.filter(([, projects]) => projects.length > 0)),
    unmatched: [...led.filter(([, projects]) => projects.length === 0).map(([domain]) => domain), ...rejected],
    ...(Object.keys(aliased).length > 0 && { aliased }),
  };
};

const leftAside = (unmatched: readonly string[], projectsNamed: boolean): string => {
  const why = unmatched.length === 0 ? 'domain_filter names no domain' : `No project declares ${unmatched.join(', ')}`;
  const searched = projectsNamed ? 'all of project_filter' : 'all projects';
  return `${why}, so domain_filter was left aside and ${searched} searched. compile_project_domains shows and declares the domains of a project.`;
};
