import { parseProjectName } from '../../../domain/project/name.js';
import type { CommandParts } from '../parts.js';

/** The name that a project goes by, once the views have met what is in the log. Throws VALIDATION. */
export const projectNamed = async ({ index, fresh }: Pick<CommandParts, 'index' | 'fresh'>, text: string): Promise<string> => {
  const name = parseProjectName(text);
  await fresh();
  return index.projects.canonical(name);
};
