import { z } from 'zod';
import { defineTool } from '../tool.js';
import { CUT_AFFECTED, LIFECYCLE_OUTPUT } from './lifecycle.js';
import { force, keyOrQuery } from './parameters.js';

export const archive = defineTool({
  name: 'archive',
  title: 'Archive',
  description: `Take a memory out of recall but keep it: recall_detail and memory_audit still show it, and reinstate brings it back.
With words in place of a key, the memories that say just these words, or nearly, are archived.`,
  effect: 'writes',
  parameters: { key_or_query: keyOrQuery, reason: z.string().optional().describe('Why; kept in the timeline.'), force },
  output: LIFECYCLE_OUTPUT,
  cut: CUT_AFFECTED,
  run: (input, { app, call }) => app.commands.archive(input, call),
});
