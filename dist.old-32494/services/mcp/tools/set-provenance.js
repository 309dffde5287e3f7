import { z } from 'zod';
import { defineTool } from '../tool.js';
import { stampKeys } from './parameters.js';
export const setProvenance = defineTool({
    name: 'set_provenance',
    title: 'Set the provenance',
    description: `Say who speaks in memories: asserted (the human said it), concluded (worked out by an agent), retrieved (an outside source says it).
A document is stamped as a whole, and facts drawn from a memory follow it (cascaded). Never changes ranking.`,
    effect: 'writes',
    idempotent: true,
    parameters: { keys: stampKeys, provenance: z.string().describe('asserted, concluded or retrieved.') },
    output: { provenance: 'string', classified: 'integer', cascaded: 'integer', not_found: 'string[]', visible: 'boolean' },
    run: (input, { app, call }) => app.commands.setProvenance(input, call),
});
//# sourceMappingURL=set-provenance.js.map