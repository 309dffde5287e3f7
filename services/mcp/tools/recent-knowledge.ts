import { z } from 'zod';
import { RANGES } from '../../../domain/range.js';
import { wholeUpTo } from '../bounds.js';
import { CUT_RESULTS, DATA_NOTICE } from '../recalled.js';
import { defineTool } from '../tool.js';
import { maxTokens } from './parameters.js';

export const recentKnowledge = defineTool({
  name: 'recent_knowledge',
  title: 'Recent knowledge',
  description: `List knowledge of the last days, newest first: articles, facts drawn from memories, and what was stored under knowledge. Use it to see what is new; to answer a question use recall.
What has expired or was put aside is left out. Each result names its source, licence and provenance. more: true means that there is more than limit.`,
  effect: 'reads',
  parameters: {
    days: wholeUpTo(RANGES.knowledgeDays, 'How many days back, 1 to 365. Default 7.'),
    feed_name: z.string().optional().describe('Only what came from this feed.'),
    topics: z.array(z.string()).optional().describe('Only what has one of these topics among its tags.'),
    limit: wholeUpTo(RANGES.knowledgeLimit, 'How many at most, 1 to 50. Default 20.'),
    max_tokens: maxTokens,
  },
  output: {
    notice: 'string',
    results: 'object[]',
    message: 'string',
    more: 'boolean',
    licence_notice: 'string',
    stale: 'object',
    cut: 'object',
  },
  cut: CUT_RESULTS,
  run: async (input, { app, call }) => ({ notice: DATA_NOTICE, ...(await app.queries.recentKnowledge(input, call)) }),
});
