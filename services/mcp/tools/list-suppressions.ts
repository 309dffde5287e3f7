import { estimateTokens } from '../../../domain/budget.js';
import { DATA_NOTICE } from '../recalled.js';
import { defineTool } from '../tool.js';
import { asOf } from './parameters.js';

/** Tokens that are left for what is said beside the lists. */
const SPARE = 100;

type Listed = { readonly reasons?: Readonly<Record<string, string>> };

/** All topics, and as many of the reasons, from the first, as fit beside them: a topic says more than the reason of another. */
export const withReasonsThatFit = <A extends Listed>(
  answer: A,
  maxTokens: number,
): A | (A & { readonly cut: { readonly note: string } }) => {
  const size = (value: object): number => estimateTokens(JSON.stringify(value));
  if (answer.reasons === undefined || size(answer) <= maxTokens) return answer;
  const all = Object.entries(answer.reasons);
  const { reasons: _all, ...bare } = answer;
  let room = maxTokens - SPARE - size(bare);
  const first = all.findIndex(([topic, reason]) => {
    room -= size({ [topic]: reason });
    return room < 0;
  });
  const count = first === -1 ? all.length : first;
  return {
    ...answer,
    reasons: count === 0 ? undefined : Object.fromEntries(all.slice(0, count)),
    cut: { note: `The reasons of ${all.length - count} topics did not fit.` },
  };
};

export const listSuppressions = defineTool({
  name: 'list_suppressions',
  title: 'List suppressed topics',
  description:
    'List the topics that are kept out of recall, with the reasons given. Look here when recall misses something that should be there.',
  effect: 'reads',
  parameters: { as_of: asOf },
  output: {
    notice: 'string',
    suppressed_topics: 'string[]',
    reasons: 'object',
    as_of: 'object',
    message: 'string',
    stale: 'object',
    cut: 'object',
  },
  cut: {
    list: 'suppressed_topics',
    from: 'end',
    say: ({ reasons, cut }, dropped) => {
      const left = Object.entries(reasons ?? {}).filter(([topic]) => !dropped.includes(topic));
      const without = reasons !== undefined || cut !== undefined ? ' and reasons' : '';
      return {
        reasons: left.length > 0 ? Object.fromEntries(left) : undefined,
        cut: { note: `${dropped.length} more topics${without} did not fit.` },
      };
    },
  },
  run: async (input, { app, call, maxTokens: bound }) =>
    withReasonsThatFit({ notice: DATA_NOTICE, ...(await app.queries.listSuppressions(input, call)) }, bound),
});
