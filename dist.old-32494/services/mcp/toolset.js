import { TOOLS } from './tools/index.js';
/** By name; a tool that a small toolset does not list can still be called. */
export const toolsByName = new Map(TOOLS.map((tool) => [tool.name, tool]));
/** The answer to `tools/list`: the same for the same settings, byte by byte. */
export const listTools = (toolset, outputSchemas) => TOOLS.filter((tool) => toolset === 'full' || tool.essential).map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.inputSchema,
    ...(outputSchemas && { outputSchema: tool.outputSchema }),
    annotations: {
        readOnlyHint: tool.effect === 'reads',
        destructiveHint: tool.effect === 'destroys',
        idempotentHint: tool.idempotent,
        openWorldHint: false,
    },
    ...(tool.maxResultChars && { _meta: { 'anthropic/maxResultSizeChars': tool.maxResultChars } }),
}));
//# sourceMappingURL=toolset.js.map