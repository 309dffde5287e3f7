import { z } from 'zod';
import { ABANDONED_TYPES } from '../../../domain/vocabulary.js';
import { defineTool } from '../tool.js';
import { force, key } from './parameters.js';

export const logAbandoned = defineTool({
  name: 'log_abandoned',
  title: 'Log a dead end',
  description: `Note something that was tried and given up, as it happens, on the memory it belongs to. From then on recall and warn_if_abandoned warn of it by name, in every session.
Give the name as people would ask for it (pg-boss, event sourcing), and in the reason what went wrong and what would have to change for another try.
When it works again, call it once more with lift: true and the reason why: the name no longer warns from this memory, and the history says since when.`,
  effect: 'writes',
  essential: true,
  idempotent: true,
  parameters: {
    key,
    name: z.string().describe('What was given up, at most 200 characters.'),
    type: z.enum(ABANDONED_TYPES).describe('What kind of thing it is.'),
    reason: z.string().describe('Why it was given up; with lift, why it works again.'),
    lift: z.boolean().optional().describe('True takes the dead end of that name off the memory instead. Default: false.'),
    force,
  },
  output: { key: 'string', abandoned_count: 'integer', latest_entry: 'object', lifted: 'string', note: 'string', visible: 'boolean' },
  run: async ({ lift, ...input }, { app, call }) =>
    lift === true ? await app.commands.liftDeadEnd(input, call) : await app.commands.logAbandoned(input, call),
});
