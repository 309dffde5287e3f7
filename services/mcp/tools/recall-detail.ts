import { z } from 'zod';
import { LIMITS } from '../../../domain/vocabulary.js';
import { CUT_RESULTS, DATA_NOTICE, recallText } from '../recalled.js';
import type { Fields } from '../shorter.js';
import { defineTool } from '../tool.js';
import { maxTokens } from './parameters.js';

export const recallDetail = defineTool({
  name: 'recall_detail',
  title: 'Fetch memories',
  description: `Fetch the full text of memories by key, archived ones too. Use it after recall_index, or for keys that an answer named in cut. With each comes what is known of the work behind it: effort, outcome, gotchas, dead ends.
A key without a memory answers status not_found in its place.`,
  effect: 'reads',
  essential: true,
  parameters: {
    keys: z.array(z.string()).describe(`Keys of memories. The first ${LIMITS.detailKeys} are answered, and cut names the rest.`),
    max_tokens: maxTokens,
    offset: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe('With one key: character at which its text begins, to read on in one that was cut (content_truncated).'),
  },
  output: { notice: 'string', results: 'object[]', cut: 'object', stale: 'object' },
  cut: {
    ...CUT_RESULTS,
    say: (answer, dropped) => {
      const said = CUT_RESULTS.say(answer, dropped);
      const none = Array.isArray(answer.results) && dropped.length === answer.results.length;
      return none ? { cut: { ...(said.cut as Fields), note: 'Not even one fits: give more max_tokens.' } } : said;
    },
  },
  text: recallText,
  maxResultChars: 200_000,
  run: async (input, { app, call, maxTokens: bound }) => ({
    notice: DATA_NOTICE,
    ...(await app.queries.recallDetail({ ...input, max_tokens: bound }, call)),
  }),
});
