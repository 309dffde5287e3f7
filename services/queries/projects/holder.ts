import { projectKey } from '../../../domain/project/key.js';
import type { RecallIndex } from '../../../projections/recall/recall-index.js';

/**
 * The name that a project's context is kept under: the one it goes by, unless only a name that was merged into it has a
 * context. A project that was given a new name keeps its context so.
 */
export const holderOf = (
  { projects, documents }: Pick<RecallIndex, 'projects'> & { readonly documents: ReadonlyMap<string, unknown> },
  name: string,
): string => {
  const names = projects.namesOf(name);
  return names.find((one) => documents.has(projectKey(one))) ?? names[0] ?? name;
};
