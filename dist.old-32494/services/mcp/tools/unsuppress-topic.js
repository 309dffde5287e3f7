import { z } from 'zod';
import { defineTool } from '../tool.js';
export const unsuppressTopic = defineTool({
    name: 'unsuppress_topic',
    title: 'Lift a suppression',
    description: 'Let a suppressed topic appear in recall again. Lifting one that was not suppressed changes nothing.',
    effect: 'writes',
    idempotent: true,
    parameters: { topic: z.string().describe('The topic, as list_suppressions names it.') },
    output: { topic: 'string', visible: 'boolean' },
    run: (input, { app, call }) => app.commands.unsuppressTopic(input, call),
});
//# sourceMappingURL=unsuppress-topic.js.map