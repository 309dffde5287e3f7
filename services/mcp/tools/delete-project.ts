import { defineTool } from '../tool.js';
import { confirm, includeContext, projectName } from './project-parameters.js';

export const deleteProject = defineTool({
  name: 'delete_project',
  title: 'Delete a project for good',
  description: `Erase every memory of a project for good, with the facts drawn from them. Only when the human asks for it; a project that is merely over is set aside with deprioritise_project.
Without confirm nothing is erased and the answer counts what would go, and lists project_names where several names were merged: the memories of all of them go. The context of the project stays unless include_context is true. A call that was interrupted goes on when it is repeated.`,
  effect: 'destroys',
  idempotent: true,
  parameters: { project_name: projectName, confirm, include_context: includeContext },
  output: {
    status: 'string',
    project_name: 'string',
    project_names: 'string[]',
    would_delete: 'object',
    deleted: 'object',
    total: 'integer',
    facts: 'integer',
    correlation: 'string',
    disk: 'string',
    backups_note: 'string',
    note: 'string',
    did_you_mean: 'string[]',
    visible: 'boolean',
  },
  run: (input, { app, call }) => app.commands.deleteProject(input, call),
});
