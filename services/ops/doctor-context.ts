import { estimateTokens } from '../../domain/budget.js';
import { guideText } from '../mcp/guide.js';
import { instructionsFor } from '../mcp/instructions.js';
import { listTools, type Toolset } from '../mcp/toolset.js';
import { type Finding, ok, warn } from './doctor-finding.js';

/** A client that loads every tool at once pays this much of its context for each session. */
const DEAR_TOKENS = 15_000;
/** The context that shares are of, in tokens. */
const CONTEXT_TOKENS = 200_000;
const DEAREST_SHOWN = 3;

export type ContextCost = {
  readonly tools: number;
  /** Names, descriptions and parameters, as a model is shown them. */
  readonly toolTokens: number;
  readonly instructionTokens: number;
  readonly instructionBytes: number;
  /** The tools that cost most, with their tokens. */
  readonly dearest: readonly (readonly [name: string, tokens: number])[];
};

/**
 * What a toolset costs a client that loads it whole, in tokens of 3.5 characters: an estimate, since each model counts by a
 * tokenizer of its own.
 */
export const contextCost = (toolset: Toolset): ContextCost => {
  const costs = listTools(toolset, false).map(
    ({ name, description, inputSchema }) => [name, estimateTokens(JSON.stringify({ name, description, inputSchema }))] as const,
  );
  const instructions = instructionsFor(toolset);
  return {
    tools: costs.length,
    toolTokens: costs.reduce((sum, [, tokens]) => sum + tokens, 0),
    instructionTokens: estimateTokens(instructions),
    instructionBytes: Buffer.byteLength(instructions),
    dearest: [...costs].sort(([, a], [, b]) => b - a).slice(0, DEAREST_SHOWN),
  };
};

export const inspectContext = (toolset: Toolset): readonly Finding[] => {
  const costs = { full: contextCost('full'), essential: contextCost('essential') };
  const { instructionTokens, instructionBytes, dearest, toolTokens } = costs[toolset];
  const dear = dearest.map(([name, tokens]) => `${name} ${figure(tokens)}`).join(', ');
  const detail = [
    `the ${toolset} toolset: ${said(costs[toolset])}`,
    `instructions ${figure(instructionTokens)} of it (${figure(instructionBytes)} of 2,048 bytes that hosts keep); dearest tools ${dear}`,
    `estimated at 3.5 characters to a token; a client that searches for tools, as Claude Code does, pays for names and instructions first; the guide, when it is asked for, ${figure(estimateTokens(guideText()))} tokens`,
  ].join('\n');
  const fix = `OMNIMEM_TOOLSET=essential: ${said(costs.essential)}. The other tools can still be called.`;
  return [
    toolTokens > DEAR_TOKENS && toolset === 'full'
      ? warn('context', detail, fix)
      : ok('context', toolset === 'full' ? `${detail}\n${fix}` : detail),
  ];
};

const said = ({ tools, toolTokens, instructionTokens }: ContextCost): string => {
  const tokens = toolTokens + instructionTokens;
  return `${tools} tools and the instructions cost about ${figure(tokens)} tokens, ${share(tokens)} of a context of ${figure(CONTEXT_TOKENS)}`;
};

const figure = (value: number): string => value.toLocaleString('en-GB');
const share = (tokens: number): string => `${((100 * tokens) / CONTEXT_TOKENS).toFixed(1)} %`;
