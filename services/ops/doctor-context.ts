import { estimateTokens } from '../../domain/budget.js';
import { instructionsFor } from '../mcp/instructions.js';
import { listTools, type Toolset } from '../mcp/toolset.js';
import { type Finding, ok, warn } from './doctor-finding.js';

/** A client that loads every tool at once pays this much of its context for each session. */
const DEAR_TOKENS = 15_000;

export const inspectContext = (toolset: Toolset): readonly Finding[] => {
  const instructions = estimateTokens(instructionsFor(toolset));
  const costs = { full: costOf('full'), essential: costOf('essential') };
  const { tools, tokens } = costs[toolset];
  const detail = `${tools} tools and the instructions cost a client about ${tokens + instructions} tokens (instructions ${instructions})`;
  const fix = `OMNIMEM_TOOLSET=essential lists ${costs.essential.tools} tools for about ${costs.essential.tokens} tokens.`;
  return [tokens > DEAR_TOKENS ? warn('context', detail, fix) : ok('context', toolset === 'full' ? `${detail}; ${fix}` : detail)];
};

/** As a model is shown them: names, descriptions and parameters. */
const costOf = (toolset: Toolset): { readonly tools: number; readonly tokens: number } => {
  const tools = listTools(toolset, false);
  const shown = tools.map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema }));
  return { tools: tools.length, tokens: estimateTokens(shown.join('\n')) };
};
