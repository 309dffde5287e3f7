import { z } from 'zod';
import { defineTool } from '../tool.js';
import { force, key } from './parameters.js';

export const retag = defineTool({
  name: 'retag',
  title: 'Retag',
  description: `Change the tags of a memory: replace them all with tags, or use add and remove. An empty list for tags clears them.
Give either tags, or add and remove (remove is applied first). Removing is by exact match. Recall searches texts; by tags it finds a memory only when they are all that is asked.`,
  effect: 'writes',
  idempotent: true,
  parameters: {
    key,
    tags: z.array(z.string()).optional().describe('The new tags, in place of the old ones.'),
    add: z.array(z.string()).optional().describe('Tags to add.'),
    remove: z.array(z.string()).optional().describe('Tags to take away.'),
    force,
  },
  output: { status: 'string', key: 'string', tags: 'string[]', previous_tags: 'string[]', visible: 'boolean' },
  run: (input, { app, call }) => app.commands.retag(input, call),
});
