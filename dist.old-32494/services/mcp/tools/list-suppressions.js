import { defineTool } from '../tool.js';
export const listSuppressions = defineTool({
    name: 'list_suppressions',
    title: 'List suppressed topics',
    description: 'List the topics that are kept out of recall, with the reasons given. Look here when recall misses something that should be there.',
    effect: 'reads',
    parameters: {},
    output: { suppressed_topics: 'string[]', reasons: 'object' },
    cut: {
        list: 'suppressed_topics',
        from: 'end',
        say: ({ reasons: _long }, dropped) => ({
            reasons: undefined,
            cut: { note: `${dropped.length} more topics and the reasons did not fit.` },
        }),
    },
    run: (_input, { app, call }) => app.queries.listSuppressions(call),
});
//# sourceMappingURL=list-suppressions.js.map