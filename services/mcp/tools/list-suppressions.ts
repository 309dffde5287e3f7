import { DATA_NOTICE } from '../recalled.js';
import { defineTool } from '../tool.js';
import { asOf } from './parameters.js';

export const listSuppressions = defineTool({
  name: 'list_suppressions',
  title: 'List suppressed topics',
  description:
    'List the topics that are kept out of recall, with the reasons given. Look here when recall misses something that should be there.',
  effect: 'reads',
  parameters: { as_of: asOf },
  output: { notice: 'string', suppressed_topics: 'string[]', reasons: 'object', as_of: 'object', message: 'string', stale: 'object' },
  cut: {
    list: 'suppressed_topics',
    from: 'end',
    say: ({ reasons: _long }, dropped) => ({
      reasons: undefined,
      cut: { note: `${dropped.length} more topics and the reasons did not fit.` },
    }),
  },
  run: async (input, { app, call }) => ({ notice: DATA_NOTICE, ...(await app.queries.listSuppressions(input, call)) }),
});
