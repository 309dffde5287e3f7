import { describe, expect, it } from 'vitest';
import { GUIDE, guideText } from '../../../services/mcp/guide.js';
import { INSTRUCTIONS, instructionsFor } from '../../../services/mcp/instructions.js';
import { namedIn, sayable, spoken } from '../../../services/mcp/naming.js';
import { listTools, toolsByName } from '../../../services/mcp/toolset.js';

const parametersOf = (tool: string): readonly string[] => Object.keys(toolsByName.get(tool)?.inputSchema.properties ?? {});

const expectRealNames = (texts: readonly string[]): void => {
  for (const { tool, parameters } of texts.flatMap(namedIn)) {
    expect([...toolsByName.keys()], tool).toContain(tool);
    for (const parameter of parameters) expect(parametersOf(tool), `${tool}: ${parameter}`).toContain(parameter);
  }
};

/** Whatever looks like a name of ours and is not written as one escapes the check. */
const unmarked = (texts: readonly string[]): readonly string[] =>
  texts.flatMap((text) => {
    const rest = text.replaceAll(/\{[^}]*\}/g, '');
    return [...toolsByName.keys()].filter((name) => name.includes('_') && rest.includes(name));
  });

describe('the instructions', () => {
  const texts = INSTRUCTIONS.flat();

  it('name tools and parameters that exist', () => {
    expectRealNames(texts);
    expect(unmarked(texts)).toEqual([]);
  });

  it.each(['essential', 'full'] as const)(
    'of the %s toolset stay below the length at which hosts cut, and speak of listed tools',
    (toolset) => {
      const text = instructionsFor(toolset);
      expect(Buffer.byteLength(text)).toBeLessThan(2_000);
      expect(text).not.toMatch(/[{}]/);
      const listed = listTools(toolset, false).map(({ name }) => name);
      const others = [...toolsByName.keys()].filter((name) => name.includes('_') && !listed.includes(name));
      expect(others.filter((name) => new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
    },
  );

  it('say in full when to call what', () => {
    const text = instructionsFor('full');
    const said = ['briefing', 'recall', 'warn_if_abandoned', 'remember', 'record_experience', 'log_abandoned', 'revise', 'deprioritise'];
    for (const tool of [...said, 'forget', 'update_project_state', 'health']) expect(text, tool).toMatch(new RegExp(`\\b${tool}\\b`));
    expect(text).toContain('blockers');
    expect(text.indexOf('briefing')).toBeLessThan(text.indexOf('recall'));
  });
});

describe('the guide', () => {
  const texts = GUIDE.flatMap(({ says }) => says);

  it('names tools and parameters that exist', () => {
    expectRealNames(texts);
  });

  it('is whole, and without a mark of ours', () => {
    const text = guideText();
    for (const { title } of GUIDE) expect(text).toContain(`## ${title}`);
    expect(text).not.toMatch(/\{[a-z_]+[:(}]/);
    expect(text.match(/^- /gm)).toHaveLength(texts.length);
  });
});

describe('names in texts', () => {
  it('are tools, calls with parameters, and parameters', () => {
    expect(namedIn('call {recall}, {recall(query, top_k)}, {briefing(project: "a shop")} with {remember:tags}, {health()}')).toEqual([
      { tool: 'recall', parameters: [] },
      { tool: 'recall', parameters: ['query', 'top_k'] },
      { tool: 'briefing', parameters: ['project'] },
      { tool: 'remember', parameters: ['tags'] },
      { tool: 'health', parameters: [] },
    ]);
  });

  it('are said without the marks', () => {
    expect(spoken('{recall(query)} takes {recall:query}; {health}')).toBe('recall(query) takes query; health');
  });

  it('take their sentence along when the tool is not listed, and the paragraph when nothing is left of it', () => {
    const text = [['Call {recall}.', 'Call {briefing}.'], ['{briefing} again.'], ['Be kind.']];
    expect(sayable(text, new Set(['recall']))).toEqual([['Call recall.'], ['Be kind.']]);
  });
});
