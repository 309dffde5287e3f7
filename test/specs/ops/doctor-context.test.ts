import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../domain/budget.js';
import { instructionsFor } from '../../../services/mcp/instructions.js';
import { listTools } from '../../../services/mcp/toolset.js';
import { contextCost, inspectContext } from '../../../services/ops/doctor-context.js';

describe('what the tools cost a client', () => {
  it('is measured on what a model is shown', () => {
    const { tools, toolTokens, instructionTokens, instructionBytes, dearest } = contextCost('full');
    const listed = listTools('full', false);
    expect(tools).toBe(listed.length);
    const tokensOf = ({ name, description, inputSchema }: (typeof listed)[number]) =>
      estimateTokens(JSON.stringify({ name, description, inputSchema }));
    expect(toolTokens).toBe(listed.map(tokensOf).reduce((a, b) => a + b));
    expect(instructionTokens).toBe(estimateTokens(instructionsFor('full')));
    expect(instructionBytes).toBe(Buffer.byteLength(instructionsFor('full')));
    expect(dearest[0]?.[1]).toBe(Math.max(...listed.map(tokensOf)));
  });

  it('is less for the essential toolset', () => {
    const [full, essential] = [contextCost('full'), contextCost('essential')];
    expect(essential.tools).toBeLessThan(full.tools);
    expect(essential.toolTokens).toBeLessThan(full.toolTokens / 2);
  });

  it.each(['full', 'essential'] as const)('is said as tokens and as a share, with how it was estimated, for %s', (toolset) => {
    const [finding] = inspectContext(toolset);
    const { toolTokens, instructionTokens } = contextCost(toolset);
    const tokens = toolTokens + instructionTokens;
    expect(finding?.part).toBe('context');
    expect(finding?.detail).toContain(`${tokens.toLocaleString('en-GB')} tokens, ${(tokens / 2_000).toFixed(1)} %`);
    expect(finding?.detail).toContain('3.5 characters to a token');
    expect(`${finding?.detail}${finding?.fix ?? ''}`.includes('OMNIMEM_TOOLSET=essential')).toBe(toolset === 'full');
  });
});
