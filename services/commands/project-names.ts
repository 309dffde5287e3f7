import type { CommandParts } from './parts.js';

/** Every name that counts as the same project, the one it is known by first. */
export const projectNames = ({ index }: Pick<CommandParts, 'index'>, name: string): readonly string[] => index.projects.namesOf(name);

/** Whether two names count as one project. */
export const sameProject = ({ index }: Pick<CommandParts, 'index'>, a: string, b: string): boolean =>
  a === b || index.projects.canonical(a) === index.projects.canonical(b);
