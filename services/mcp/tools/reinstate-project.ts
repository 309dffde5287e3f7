import { defineTool } from '../tool.js';
import { confirm, includeContext, projectName } from './project-parameters.js';

export const reinstateProject = defineTool({
  name: 'reinstate_project',
  title: 'Bring a project back',
  description: `Make every deprioritised or archived memory of a project active again, for a project that is taken up once more.
Without confirm nothing changes and the answer counts what would, with project_names where several names were merged. Facts keep half the weight of the memories they were drawn from.`,
  effect: 'writes',
  idempotent: true,
  parameters: { project_name: projectName, confirm, include_context: includeContext },
  output: {
    status: 'string',
    project_name: 'string',
    project_names: 'string[]',
    would_reinstate: 'object',
    reinstated: 'object',
    total: 'integer',
    already_active: 'integer',
    correlation: 'string',
    note: 'string',
    did_you_mean: 'string[]',
    visible: 'boolean',
  },
  run: (input, { app, call }) => app.commands.reinstateProject(input, call),
});
