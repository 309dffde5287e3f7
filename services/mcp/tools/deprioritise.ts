import { z } from 'zod';
import { defineTool } from '../tool.js';
import { CUT_AFFECTED, LIFECYCLE_OUTPUT } from './lifecycle.js';
import { force, keyOrQuery } from './parameters.js';

export const deprioritise = defineTool({
  name: 'deprioritise',
  title: 'Deprioritise',
  description: `Put a memory aside without losing it: it counts for a fifth in recall from then on. This is what "forget about X" mostly means; reinstate takes it back.
Always give the reason. With reinstate_hints recall offers the memory again when a question touches one of them. With words in place of a key, the active memories that say just these words, or nearly, are put aside.`,
  effect: 'writes',
  essential: true,
  parameters: {
    key_or_query: keyOrQuery,
    reason: z.string().describe('Why it matters less now.'),
    reinstate_hints: z.array(z.string()).optional().describe('Subjects that would make it matter again.'),
    force,
  },
  output: LIFECYCLE_OUTPUT,
  cut: CUT_AFFECTED,
  run: (input, { app, call }) => app.commands.deprioritise(input, call),
});
