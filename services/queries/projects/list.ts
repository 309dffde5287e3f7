import { clip } from '../../../domain/passage.js';
import { NAMESPACES, type Namespace } from '../../../domain/vocabulary.js';
import type { Asked, Call, ListedProject, ListProjectsResult } from '../../api.js';
import { askEarlier, told } from '../../history/as-of.js';
import type { QueryParts } from '../parts.js';
import type { Searched } from '../rank.js';
import { storedRows } from '../rows.js';
import { contextsFrom, type ReadContext } from './read.js';

const SHOWN = 80;

/** Every project that has a context or memories, by name without regard to case. */
export const listProjects = async (parts: QueryParts, { as_of }: Asked, call: Call): Promise<ListProjectsResult> => {
  if (as_of !== undefined) {
    const { answer, ...earlier } = await askEarlier(parts, as_of, call, ({ index }, moment) => listOf(index, (keys) => moment.rows(keys)));
    return { ...answer, ...told(earlier) };
  }
  const stale = await parts.fresh();
  return { ...(await listOf(parts.index, (keys) => storedRows(parts, keys))), ...(stale && { stale }) };
};

type Filing = Pick<Searched, 'projects' | 'documents'>;

const listOf = async (index: Filing, read: Parameters<typeof contextsFrom>[0]): Promise<ListProjectsResult> => {
  const names = [...index.projects.names()].sort(byName);
  const contexts = await contextsFrom(read, index.projects, names);
  const filed = filedUnder(index, names);
  return { projects: names.map((name) => listed(index, name, contexts.get(name), filed.get(name))), total: names.length };
};

const byName = (a: string, b: string): number => {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()];
  if (x === y) return a < b ? -1 : 1;
  return x < y ? -1 : 1;
};

type Filed = { readonly counts: Map<Namespace, number>; newest: number };

/** Memories of each project by namespace, and when the newest was made, in one walk. */
const filedUnder = (index: Filing, names: readonly string[]): ReadonlyMap<string, Filed> => {
  const canonical = new Map(names.flatMap((name) => index.projects.namesOf(name).map((spelling) => [spelling, name] as const)));
  const all = new Map<string, Filed>();
  for (const { project, namespace, createdAt, context } of index.documents.values()) {
    const name = project === undefined || context !== undefined ? undefined : canonical.get(project);
    if (name === undefined) continue;
    const filed = all.get(name) ?? { counts: new Map(), newest: 0 };
    filed.counts.set(namespace, (filed.counts.get(namespace) ?? 0) + 1);
    filed.newest = Math.max(filed.newest, createdAt);
    all.set(name, filed);
  }
  return all;
};

const listed = (index: Filing, name: string, context: ReadContext | undefined, filed: Filed | undefined): ListedProject => {
  const { active, deprioritised } = index.projects.memoriesOf(name);
  const withoutContext = active > 0 || !filed ? 'active' : deprioritised > 0 ? 'deprioritised' : 'archived';
  const domains = index.projects.domainsOf(name);
  const others = index.projects.namesOf(name).filter((other) => other !== name);
  const counts = NAMESPACES.flatMap((namespace) => {
    const count = filed?.counts.get(namespace);
    return count === undefined ? [] : [[namespace, count] as const];
  });
  const changed = [context?.updated_at, filed && new Date(filed.newest).toISOString()].filter((time) => time !== undefined).sort();
  const updated_at = changed.at(-1);
  return {
    project_name: name,
    ...(context?.texts.description && { description: clip(context.texts.description, SHOWN) }),
    state: context?.state ?? withoutContext,
    ...(domains && domains.length > 0 && { domains }),
    ...(others.length > 0 && { also_called: others }),
    has_context: context !== undefined,
    memory_count: counts.reduce((sum, [, count]) => sum + count, 0),
    ...(counts.length > 0 && { by_namespace: Object.fromEntries(counts) }),
    ...(updated_at !== undefined && { updated_at }),
  };
};
