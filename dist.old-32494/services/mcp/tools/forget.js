import { z } from 'zod';
import { defineTool } from '../tool.js';
import { keyOrQuery } from './parameters.js';
const CUT_TARGETS = {
    list: 'targets',
    from: 'end',
    say: (_answer, dropped) => ({
        cut: { keys: dropped.map((target) => target.key), note: 'These are meant as well.' },
    }),
};
export const forget = defineTool({
    name: 'forget',
    title: 'Forget for good',
    description: `Erase memories for good: text, vectors and history. Only for "delete it permanently" or "wipe it"; otherwise use deprioritise.
Two steps. First without confirm: the answer previews what would go, with keys. Show it to the human. Then again with confirm: true and keys: exactly the keys of the preview. Nothing but those keys is erased, and a query is never run again to find more.
The text leaves memory at once and the files on disk shortly after (disk: pending).`,
    effect: 'destroys',
    idempotent: true,
    essential: true,
    parameters: {
        key_or_query: keyOrQuery,
        confirm: z.boolean().optional().describe('True to erase what the preview listed. Default false: preview only.'),
        keys: z.array(z.string()).optional().describe('With confirm: exactly the keys of the preview.'),
    },
    output: { status: 'string', targets: 'object[]', next: 'string', deleted_keys: 'string[]', erased: 'boolean', disk: 'string' },
    cut: CUT_TARGETS,
    run: (input, { app, call }) => app.commands.forget(input, call),
});
//# sourceMappingURL=forget.js.map