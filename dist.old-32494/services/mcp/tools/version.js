import { defineTool } from '../tool.js';
export const version = defineTool({
    name: 'version',
    title: 'Version',
    description: 'Say which version of OmniMem answers. For bug reports.',
    effect: 'reads',
    needsStore: false,
    parameters: {},
    output: { version: 'string' },
    run: async (_input, { app }) => app.queries.version(),
});
//# sourceMappingURL=version.js.map