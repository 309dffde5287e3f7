import { z } from 'zod';
import { defineTool } from '../tool.js';
import { content, force, key } from './parameters.js';

export const revise = defineTool({
  name: 'revise',
  title: 'Revise',
  description: `Correct a memory: give it a new wording, under the same key. Use it when a fact changed or was stored wrongly, in place of remembering a second one.
Recall finds the new text from then on; the old wording stays in the timeline that explain_memory shows. Give the whole new text, not a difference.
A contradiction that the new wording ends is settled: contradictions_settled names the other memories.`,
  effect: 'writes',
  idempotent: true,
  essential: true,
  parameters: {
    key,
    content,
    reason: z.string().optional().describe('Why it changed; kept in the timeline.'),
    force,
  },
  output: { status: 'string', key: 'string', embedding: 'string', contradictions_settled: 'string[]', visible: 'boolean' },
  run: (input, { app, call }) => app.commands.revise(input, call),
});
