import { namespaceOf } from '../../../domain/memory/key.js';
import { projectKey } from '../../../domain/project/key.js';
import { type Project, projectDecider } from '../../../domain/project/project.js';
import { NAMESPACES } from '../../../domain/vocabulary.js';
import type { Document } from '../../../projections/recall/document.js';
import type { Counts } from '../../api.js';
import { stateOf } from '../../eventlog/handle.js';
import type { CommandParts } from '../parts.js';

/** Memories filed under a project by any of its names, in the order of their keys; its context is none of them. */
export const memoriesOf = ({ index }: Pick<CommandParts, 'index'>, name: string): readonly Document[] => {
  const names = new Set(index.projects.namesOf(name));
  return [...index.documents.values()]
    .filter(({ project, context }) => context === undefined && project !== undefined && names.has(project))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
};

/** What a preview says where more than one name is meant; nothing otherwise. */
export const namesMeant = (
  { index }: Pick<CommandParts, 'index'>,
  name: string,
): { readonly fields: { readonly project_names?: readonly string[] }; readonly note: string } => {
  const names = index.projects.namesOf(name);
  if (names.length < 2) return { fields: {}, note: '' };
  const note = `Several names count as this project, and the memories of all of them are meant: ${names.map((one) => JSON.stringify(one)).join(', ')}. `;
  return { fields: { project_names: names }, note };
};

export type OwnSubject = { readonly name: string; readonly subject: string; readonly project: Project };

/** What is recorded of a project itself under each of its names. */
export const subjectsOf = async ({ index, log }: Pick<CommandParts, 'index' | 'log'>, name: string): Promise<readonly OwnSubject[]> => {
  const names = index.projects.namesOf(name);
  const histories = await log.load(names.map(projectKey));
  return histories.map((history, i) => ({
    name: names[i] ?? name,
    subject: history.subject,
    project: stateOf(projectDecider, history).state,
  }));
};

/** How many of each namespace; contexts are counted as `context`. */
export const countKeys = (keys: readonly string[]): Counts => {
  const counts: Record<string, number> = {};
  for (const key of keys) {
    const namespace = namespaceOf(key) ?? 'context';
    counts[namespace] = (counts[namespace] ?? 0) + 1;
  }
  return Object.fromEntries([...NAMESPACES, 'context'].flatMap((namespace) => (counts[namespace] ? [[namespace, counts[namespace]]] : [])));
};

/** The keys in batches of at most `size`. */
export const inBatches = (keys: readonly string[], size: number): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(keys.length / size) }, (_, i) => keys.slice(i * size, (i + 1) * size));
