import { z } from 'zod';
import { NAMESPACES } from '../../../domain/vocabulary.js';
import { defineTool } from '../tool.js';

export const reindex = defineTool({
  name: 'reindex',
  title: 'Reindex',
  description: `Rebuild the views and the search index from the log, beside those that serve, and switch when they are done. Use it when health says that the index and the store disagree; nothing else needs it, and it changes no memory.
Answers for each namespace how much the index held before and after, how many memories there are, and what was taken out because no memory is behind it (removed_phantoms).
status: running means that it goes on in the background: call reindex again, and it waits for that one and answers its result.`,
  effect: 'writes',
  idempotent: true,
  parameters: {
    namespace: z
      .enum(NAMESPACES)
      .optional()
      .describe('Report on this namespace only; everything is rebuilt all the same. Default: all four.'),
  },
  output: {
    status: 'string',
    started_at: 'string',
    seconds: 'number',
    reindexed: 'object[]',
    total_phantoms_removed: 'integer',
    views: 'object',
    phase: 'string',
    done: 'integer',
    total: 'integer',
    next: 'string',
  },
  run: (input, { app, call }) => app.commands.reindex(input, call),
});
