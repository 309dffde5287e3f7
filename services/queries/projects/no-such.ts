import type { ProjectDirectory } from '../../../domain/project/directory.js';
import type { NoSuchProject } from '../../api.js';

const NO_CONTEXT =
  'There are memories of this project and no context. Say what it is with set_project_context, or draft one from the memories with compile_project_context and auto_save: true.';

/** The answer where a project has no context, with what to do where it has memories, and the names that may have been meant. */
export const noSuchProject = ({ index }: { readonly index: { readonly projects: ProjectDirectory } }, name: string): NoSuchProject => {
  const near = index.projects.near(name);
  const { active, deprioritised } = index.projects.memoriesOf(name);
  return {
    status: 'not_found',
    project_name: name,
    ...(near.length > 0 && { did_you_mean: near }),
    ...(active + deprioritised > 0 && { note: NO_CONTEXT }),
  };
};
