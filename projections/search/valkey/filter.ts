import { createHash } from 'node:crypto';
import type { Facets, Filter } from '../ports.js';
import type { IndexField } from './info.js';

/** The fields that filters use, as the hashes spell them. */
export const FILTER_FIELDS: readonly IndexField[] = [
  { name: 'state', type: 'TAG', caseSensitive: true },
  { name: 'namespace', type: 'TAG', caseSensitive: true },
  { name: 'project', type: 'TAG', caseSensitive: true },
  { name: 'licence', type: 'TAG', caseSensitive: true },
  { name: 'created_at', type: 'NUMERIC' },
];

/** Matches every document of ours: `*` is allowed beside KNN only. */
export const EVERYTHING = '@created_at:[-inf +inf]';

/** An expression for the server, and what is to be looked at once more in each hit because the expression does not say it. */
export type CompiledFilter = { readonly expression: string; readonly after: Filter | undefined };

/** The module takes 500 clauses and 10,240 bytes; this keeps well below both. */
const MOST_CLAUSES = 100;
/** Read the same, unescaped, by every version of the module. */
const PLAIN = /^[A-Za-z0-9_.:/-]{1,64}$/;

/**
 * A project's name as a tag. Names that the query language would read as something else (commas, braces, stars, outer
 * blanks) go by a digest, so that every name can be asked for.
 */
export const tagOf = (name: string | undefined): string => {
  if (name === undefined || PLAIN.test(name)) return name ?? '';
  return `p#${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
};

/** `nothing` when no memory can match. */
export const compileFilter = (filter: Filter): CompiledFilter | 'nothing' => {
  const { states, namespaces, projects, licences, createdFrom, createdTo } = filter;
  if ([states, namespaces, projects, licences].some((values) => values?.length === 0)) return 'nothing';
  const tags = projects && [...new Set(projects.map(tagOf))].filter((tag) => tag !== '');
  if (tags?.length === 0) return 'nothing';
  const [from, to] = [createdFrom ?? Number.NEGATIVE_INFINITY, createdTo ?? Number.POSITIVE_INFINITY];
  if (!(from <= to)) return 'nothing';
  const after: { projects?: readonly string[]; createdFrom?: number; createdTo?: number } = {};
  const clauses = [anyOf('state', states), anyOf('namespace', namespaces), anyOf('licence', licences)];
  if (projects && tags && tags.length > MOST_CLAUSES) after.projects = projects;
  else clauses.push(anyOf('project', tags));
  if (createdFrom !== undefined || createdTo !== undefined) {
    const range = [from, to].map(decimal);
    if (range.includes(undefined)) Object.assign(after, { createdFrom: from, createdTo: to });
    else clauses.push(`@created_at:[${range.join(' ')}]`);
  }
  const expression = clauses.filter((clause) => clause !== undefined).join(' ');
  return { expression: expression || '*', after: Object.keys(after).length > 0 ? after : undefined };
};

/** The filter once more, for the fields of hits. */
export const passing = (filter: Filter): ((facets: StoredFacets) => boolean) => {
  const { states, namespaces, projects, licences, createdFrom, createdTo } = filter;
  const tags = projects && new Set(projects.map(tagOf).filter((tag) => tag !== ''));
  return (facets) =>
    listed(states, facets.state) &&
    listed(namespaces, facets.namespace) &&
    listed(licences, facets.licence) &&
    (tags?.has(facets.project) ?? true) &&
    (createdFrom === undefined || facets.createdAt >= createdFrom) &&
    (createdTo === undefined || facets.createdAt <= createdTo);
};

/** The filterable side as a hash holds it: `project` as a tag, empty for none. */
export type StoredFacets = {
  readonly state: string;
  readonly namespace: string;
  readonly project: string;
  readonly licence: string;
  readonly createdAt: number;
};

/** Field names and values for HSET. */
export const facetFields = ({ state, namespace, project, licence, createdAt }: Facets): string[] => [
  ...['state', state, 'namespace', namespace, 'project', tagOf(project)],
  ...['licence', licence, 'created_at', decimal(createdAt) ?? ''],
];

export const storedFacets = (field: (name: string) => string): StoredFacets => ({
  state: field('state'),
  namespace: field('namespace'),
  project: field('project'),
  licence: field('licence'),
  createdAt: Number(field('created_at')),
});

const listed = (values: readonly string[] | undefined, value: string): boolean => values?.includes(value) ?? true;

/** Alternatives as clauses: inside one pair of braces old versions take them for one value. */
const anyOf = (field: string, values: readonly string[] | undefined): string | undefined => {
  if (values === undefined) return undefined;
  const clauses = [...new Set(values)].map((value) => `@${field}:{${value}}`);
  return clauses.length === 1 ? clauses[0] : `(${clauses.join(' | ')})`;
};

/** Undefined for what JavaScript spells with an exponent: only 1.2 reads that. */
const decimal = (value: number): string | undefined => {
  if (value === Number.POSITIVE_INFINITY) return '+inf';
  if (value === Number.NEGATIVE_INFINITY) return '-inf';
  const text = String(value);
  return /^-?\d+(\.\d+)?$/.test(text) ? text : undefined;
};
