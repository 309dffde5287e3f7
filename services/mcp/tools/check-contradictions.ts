import { z } from 'zod';
import { DATA_NOTICE } from '../recalled.js';
import { defineTool } from '../tool.js';
import { namespace } from './parameters.js';

export const checkContradictions = defineTool({
  name: 'check_contradictions',
  title: 'Check for contradictions',
  description: `Find pairs of memories that say opposite things, or give one thing two values, such as another port or version. Call it when memories seem to disagree, and before you build on several of them.
With query it compares the 20 nearest memories, else the newest 200. Rules find the pairs; use_api: true asks a model about each and keeps what it confirms. Reported pairs are flagged: recall marks both with contradicts until resolve_contradiction settles them. Ask the human which one holds.`,
  effect: 'writes',
  idempotent: true,
  parameters: {
    query: z.string().optional().describe('Look among the memories nearest to this. Left out: among the newest.'),
    namespace,
    project_filter: z.string().optional().describe('Look only at this project.'),
    use_api: z.boolean().optional().describe('Keep only what a model confirms. Needs a key on the server. Default false.'),
  },
  output: {
    notice: 'string',
    project_suggestion: 'object',
    contradictions: 'object[]',
    checked: 'integer',
    note: 'string',
    visible: 'boolean',
    cut: 'object',
  },
  cut: {
    list: 'contradictions',
    from: 'end',
    say: (_answer, dropped) => ({ cut: { note: `${dropped.length} more pairs did not fit. Settle these first, then call again.` } }),
  },
  run: async (input, { app, call }) => ({ notice: DATA_NOTICE, ...(await app.commands.checkContradictions(input, call)) }),
});
