import { defineTool } from '../tool.js';
import { CUT_AFFECTED, LIFECYCLE_OUTPUT } from './lifecycle.js';
import { keyOrQuery } from './parameters.js';
export const reinstate = defineTool({
    name: 'reinstate',
    title: 'Reinstate',
    description: `Make a deprioritised or archived memory active again, with its full weight in recall.
Use it when recall shows a reinstate_candidate and the human agrees that it matters again.`,
    effect: 'writes',
    parameters: { key_or_query: keyOrQuery },
    output: LIFECYCLE_OUTPUT,
    cut: CUT_AFFECTED,
    run: (input, { app, call }) => app.commands.reinstate(input, call),
});
//# sourceMappingURL=reinstate.js.map