import { suggestionFor } from '../../domain/project/scope.js';
import type { ProjectNote } from '../api.js';
import type { CommandParts } from './parts.js';

/** Every name that counts as the same project, the one it is known by first. */
export const projectNames = ({ index }: Pick<CommandParts, 'index'>, name: string): readonly string[] => index.projects.namesOf(name);

/** What a name of which nothing is known may have been meant for, for the answer. */
export const suggested = ({ index }: Pick<CommandParts, 'index'>, name: string | undefined): ProjectNote => {
  const suggestion = name === undefined ? undefined : suggestionFor(index.projects, [name]);
  return suggestion ? { project_suggestion: suggestion } : {};
};

/** Whether two names count as one project. */
export const sameProject = ({ index }: Pick<CommandParts, 'index'>, a: string, b: string): boolean =>
  a === b || index.projects.canonical(a) === index.projects.canonical(b);
