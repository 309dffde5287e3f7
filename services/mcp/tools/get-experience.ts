import { DATA_NOTICE } from '../recalled.js';
import { defineTool } from '../tool.js';
import { asOf, key } from './parameters.js';

export const getExperience = defineTool({
  name: 'get_experience',
  title: 'Experience of a memory',
  description: `Read what is known of the work behind one memory: effort, outcome, attempts, breakthrough, gotchas and dead ends.
Answers found, no_experience when nothing was recorded, or not_found.`,
  effect: 'reads',
  parameters: { key, as_of: asOf },
  output: {
    notice: 'string',
    status: 'string',
    key: 'string',
    state: 'string',
    project: 'string',
    effort_score: 'integer',
    outcome: 'string',
    iterations: 'integer',
    experience_weight: 'number',
    breakthrough: 'string',
    gotchas: 'string',
    abandoned_approaches: 'object[]',
    as_of: 'object',
    message: 'string',
    stale: 'object',
  },
  run: async (input, { app, call }) => ({ notice: DATA_NOTICE, ...(await app.queries.getExperience(input, call)) }),
});
