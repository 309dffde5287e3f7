import { z } from 'zod';
import { defineTool } from '../tool.js';
import { confirm, force, includeContext, projectName } from './project-parameters.js';

export const deprioritiseProject = defineTool({
  name: 'deprioritise_project',
  title: 'Set a project aside',
  description: `Lower the weight of every active memory of a project in recall, for a project that is over or asleep. reinstate_project brings them back; nothing is lost.
Without confirm nothing changes and the answer counts what would, with project_names where several names were merged.`,
  effect: 'writes',
  idempotent: true,
  parameters: {
    project_name: projectName,
    confirm,
    reason: z.string().optional().describe('Why, for whoever meets one of these memories later.'),
    force,
    include_context: includeContext,
  },
  output: {
    status: 'string',
    project_name: 'string',
    project_names: 'string[]',
    would_deprioritise: 'object',
    deprioritised: 'object',
    total: 'integer',
    already_inactive: 'object',
    correlation: 'string',
    note: 'string',
    did_you_mean: 'string[]',
    visible: 'boolean',
  },
  run: (input, { app, call }) => app.commands.deprioritiseProject(input, call),
});
