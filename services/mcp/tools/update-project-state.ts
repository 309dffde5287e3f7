import { noticedWhere } from '../recalled.js';
import { defineTool } from '../tool.js';
import { currentState, force, notes, projectName, readVersion } from './project-parameters.js';

export const updateProjectState = defineTool({
  name: 'update_project_state',
  title: 'Update project state',
  description: `Record where a project stands now: what was done, what is open, what comes next. Use it at the end of a session or after a milestone.
Pass the version that briefing or get_project_context answered: without it a client that the server cannot tell from others replaces whatever is there, and learns what only from replaced.
It replaces the current state and answers what was there (replaced). If somebody else changed the state after you read it, the answer is CONFLICT with their text, and nothing is written: put both together and send it again with the version it names.`,
  effect: 'writes',
  idempotent: true,
  essential: true,
  parameters: { project_name: projectName, current_state: currentState, notes, version: readVersion, force },
  output: {
    notice: 'string',
    status: 'string',
    project_name: 'string',
    version: 'integer',
    replaced: 'object',
    did_you_mean: 'string[]',
    note: 'string',
    visible: 'boolean',
  },
  run: async (input, { app, call }) => noticedWhere(await app.commands.updateProjectState(input, call), ['replaced']),
});
