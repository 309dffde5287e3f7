import { z } from 'zod';
import { DATA_NOTICE } from '../recalled.js';
import { defineTool } from '../tool.js';
import { namespace } from './parameters.js';

export const findDuplicates = defineTool({
  name: 'find_duplicates',
  title: 'Find duplicates',
  description: `Find memories of one namespace that say nearly the same, in clusters, largest first. Use it to tidy up: keep the best of a cluster and deprioritise or archive the rest, with the human's agreement.`,
  effect: 'reads',
  parameters: {
    namespace,
    threshold: z
      .number()
      .optional()
      .describe("Similarity from which two count as duplicates, 0 to 1. Default: the model's own, 0.92 for MiniLM."),
    project_filter: z.string().optional().describe('Look only at this project.'),
  },
  output: {
    notice: 'string',
    project_suggestion: 'object',
    namespace: 'string',
    clusters: 'object[]',
    scanned: 'integer',
    note: 'string',
    cut: 'object',
    stale: 'object',
  },
  cut: {
    list: 'clusters',
    from: 'end',
    say: (_answer, dropped) => ({
      cut: { note: `${dropped.length} smaller clusters did not fit. Deal with these first, or give project_filter.` },
    }),
  },
  run: async (input, { app, call }) => ({ notice: DATA_NOTICE, ...(await app.queries.findDuplicates(input, call)) }),
});
