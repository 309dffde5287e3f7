import { RANGES } from '../../../domain/range.js';
import { wholeUpTo } from '../bounds.js';
import { CUT_RESULTS, recallText, withNotices } from '../recalled.js';
import { defineTool } from '../tool.js';
import { asOf, maxTokens, recallParameters } from './parameters.js';

export const recallIndex = defineTool({
  name: 'recall_index',
  title: 'Recall, short',
  description: `Search memory at low cost: keys, scores and the passage around each match, in place of full texts. Use it to look widely, then fetch what you need with recall_detail.
Searches like recall. estimated_tokens says what each full text would cost; token_estimate compares this answer with the full one.`,
  effect: 'reads',
  essential: true,
  parameters: {
    query: recallParameters.query,
    top_k: wholeUpTo(RANGES.topK, 'How many results, 1 to 50. Default 10.'),
    namespaces: recallParameters.namespaces,
    project_filter: recallParameters.project_filter,
    domain_filter: recallParameters.domain_filter,
    snippet_length: wholeUpTo(RANGES.snippetLength, 'Characters of each passage, 50 to 500. Default 150.'),
    expand_queries: recallParameters.expand_queries,
    score_breakdown: recallParameters.score_breakdown,
    max_tokens: maxTokens,
    as_of: asOf,
  },
  output: {
    domain_filter_notice: 'string',
    notice: 'string',
    abandoned_warnings: 'object[]',
    results: 'object[]',
    token_estimate: 'object',
    message: 'string',
    nearest: 'object[]',
    domain_filter: 'object',
    project_suggestion: 'object',
    licence_notice: 'string',
    search: 'string',
    search_note: 'string',
    expanded_queries: 'string[]',
    stale: 'object',
    cut: 'object',
    as_of: 'object',
  },
  cut: CUT_RESULTS,
  text: recallText,
  maxResultChars: 200_000,
  run: async (input, { app, call, maxTokens: bound }) => withNotices(await app.queries.recallIndex({ ...input, max_tokens: bound }, call)),
});
