import { DATA_NOTICE } from '../recalled.js';
import { defineTool } from '../tool.js';
import { asOf } from './parameters.js';
import { projectName } from './project-parameters.js';

export const getProjectContext = defineTool({
  name: 'get_project_context',
  title: 'Get project context',
  description: `Read what a project is and where it stands: description, stack, goals, current state, notes, domains and version. Use it when you start to work on a project.
Pass the version to update_project_state, so that nobody's text is lost.`,
  effect: 'reads',
  essential: true,
  parameters: { project_name: projectName, as_of: asOf },
  output: {
    notice: 'string',
    status: 'string',
    project_name: 'string',
    key: 'string',
    version: 'integer',
    description: 'string',
    stack: 'string',
    goals: 'string',
    current_state: 'string',
    notes: 'string',
    state: 'string',
    domains: 'string[]',
    also_called: 'string[]',
    compiled: 'string[]',
    created_at: 'string',
    updated_at: 'string',
    did_you_mean: 'string[]',
    note: 'string',
    as_of: 'object',
    message: 'string',
    stale: 'object',
  },
  run: async (input, { app, call }) => ({ notice: DATA_NOTICE, ...(await app.queries.getProjectContext(input, call)) }),
});
