import { z } from 'zod';
import { defineTool } from '../tool.js';
import { force } from './parameters.js';

export const resolveContradiction = defineTool({
  name: 'resolve_contradiction',
  title: 'Resolve a contradiction',
  description: `Settle a flagged contradiction once the human has said which memory holds. Recall no longer marks the two.
keep names the one that holds; the other is deprioritised with a reason that names it, and can be reinstated. keep: both says that the flag was wrong. A settled pair is not flagged again unless one of the texts is revised.`,
  effect: 'writes',
  parameters: {
    key_a: z.string().describe('Key of one memory of the pair.'),
    key_b: z.string().describe('Key of the other.'),
    keep: z.string().optional().describe('Key of the one that holds, or both. Default both.'),
    deprioritise: z.boolean().optional().describe('Whether the one that does not hold is deprioritised. Default true.'),
    note: z.string().optional().describe('Why, in a sentence.'),
    force,
  },
  output: {
    status: 'string',
    key_a: 'string',
    key_b: 'string',
    kept: 'string',
    deprioritised: 'string',
    note: 'string',
    visible: 'boolean',
  },
  run: (input, { app, call }) => app.commands.resolveContradiction(input, call),
});
