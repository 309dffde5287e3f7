import { z } from 'zod';
import { DATA_NOTICE } from '../recalled.js';
import { defineTool } from '../tool.js';

export const whyDidYouMention = defineTool({
  name: 'why_did_you_mention',
  title: 'Why did you mention that',
  description: `Find the recall that brought something up: what was asked, when, by which client, at which rank, and what made the score.
Give query (what was mentioned, or what may have been asked), or key for the recalls that showed one memory. Queries are compared by their words, then by meaning (match_type says which).
The score of a result is similarity x surface x recency x experience x temporal of its parts, or 0.6 where reinstated is set; via names the fact whose score its source was given. Texts of queries are kept for a month and go when a memory they showed is forgotten: message says when some are gone.`,
  effect: 'reads',
  parameters: {
    query: z.string().optional().describe('What was mentioned, or what may have been asked.'),
    key: z.string().optional().describe('In place of query: key of a memory that was mentioned.'),
  },
  output: {
    notice: 'string',
    status: 'string',
    match_type: 'string',
    log_query: 'string',
    timestamp: 'string',
    result_keys: 'string[]',
    recalls: 'object[]',
    total: 'integer',
    looked_at: 'integer',
    texts_gone: 'integer',
    message: 'string',
  },
  cut: { list: 'recalls', from: 'end', say: (_answer, dropped) => ({ cut: { note: `${dropped.length} more recalls did not fit.` } }) },
  run: async (input, { app, call }) => ({ notice: DATA_NOTICE, ...(await app.queries.whyDidYouMention(input, call)) }),
});
