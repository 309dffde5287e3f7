import type { ProjectDirectory } from '../../../domain/project/directory.js';
import type { NoSuchProject } from '../../api.js';

/** The answer where nothing is known of a project, with the names that may have been meant. */
export const noSuchProject = ({ index }: { readonly index: { readonly projects: ProjectDirectory } }, name: string): NoSuchProject => {
  const near = index.projects.near(name);
  return { status: 'not_found', project_name: name, ...(near.length > 0 && { did_you_mean: near }) };
};
