import type { ListToolsResult } from '@modelcontextprotocol/server';
import type { Tool } from './tool.js';
import { TOOLS } from './tools/index.js';

export type Toolset = 'essential' | 'full';

/** By name; a tool that a small toolset does not list can still be called. */
export const toolsByName: ReadonlyMap<string, Tool> = new Map(TOOLS.map((tool) => [tool.name, tool]));

/** The answer to `tools/list`: the same for the same settings, byte by byte. */
export const listTools = (toolset: Toolset, outputSchemas: boolean): ListToolsResult['tools'] =>
  TOOLS.filter((tool) => toolset === 'full' || tool.essential).map((tool) => ({
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
