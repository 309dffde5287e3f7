import { z } from 'zod';
import type { Cut } from '../ceiling.js';
import { defineTool } from '../tool.js';

const CUT_RESTORED: Cut = {
  list: 'restored',
  from: 'end',
  say: (_answer, dropped) => ({ cut: { count: dropped.length, note: `${dropped.length} more were put back as well.` } }),
};

export const undo = defineTool({
  name: 'undo',
  title: 'Undo an action',
  description: `Take back everything that one call did: states, tags, wordings, licences, provenances, suppressed topics, contexts, domains and merges of projects, on everything it touched.
explain_memory names the correlation of each event; a command_id you chose is the correlation of that call. A field that another call wrote since is kept and listed. What the call had remembered is archived. Forgetting cannot be undone. Undoing undo_correlation does it again.`,
  effect: 'writes',
  idempotent: true,
  parameters: { correlation: z.string().describe('The correlation of the action: 26 letters and digits.') },
  output: {
    status: 'string',
    correlation: 'string',
    undo_correlation: 'string',
    restored: 'object[]',
    kept: 'object[]',
    irreversible: 'object[]',
    note: 'string',
    visible: 'boolean',
    cut: 'object',
  },
  cut: CUT_RESTORED,
  run: (input, { app, call }) => app.commands.undo(input, call),
});
