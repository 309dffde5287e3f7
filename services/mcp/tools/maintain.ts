import { z } from 'zod';
import { DATA_NOTICE } from '../recalled.js';
import { defineTool } from '../tool.js';

export const maintain = defineTool({
  name: 'maintain',
  title: 'Maintain the memory',
  description: `Tidy up a project, or the whole store: archive older copies of a memory, flag contradictions, archive expired knowledge. It runs by itself every few briefings; call it when the human asks to tidy up.
It never deletes, changes a bounded number of memories (left says how many more there are), and undo with the correlation takes a run back whole. dry_run: true only says what it would do.`,
  effect: 'writes',
  parameters: {
    project: z.string().optional().describe('Look only at this project. Left out: the whole store.'),
    dry_run: z.boolean().optional().describe('Say what would be done and do nothing. Default false.'),
  },
  output: {
    notice: 'string',
    project_suggestion: 'object',
    status: 'string',
    project: 'string',
    correlation: 'string',
    duplicates_archived: 'object[]',
    contradictions_found: 'object[]',
    knowledge_expired: 'string[]',
    kept_for_experience: 'object[]',
    left: 'integer',
    visible: 'boolean',
    cut: 'object',
  },
  cut: {
    list: 'duplicates_archived',
    from: 'end',
    say: (_answer, dropped) => ({ cut: { count: dropped.length, note: `${dropped.length} more copies were archived as well.` } }),
  },
  run: async (input, { app, call }) => ({ notice: DATA_NOTICE, ...(await app.commands.maintain(input, call)) }),
});
