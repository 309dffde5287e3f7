import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CUTS, SECTIONS } from '../../../domain/briefing/sections.js';
import { type Sections, trimBriefing } from '../../../domain/briefing/trim.js';
import { estimateTokens } from '../../../domain/budget.js';

const entry = (i: number) => ({ key: `mem:episodic:${i}`, content: `entry ${i} ${'x'.repeat(60)}` });
const entries = (count: number) => Array.from({ length: count }, (_, i) => entry(i));

const WHOLE: Sections = {
  project_context: { name: 'shop', current_state: 'The basket works. '.repeat(40) },
  contradiction_warnings: entries(5),
  recent_memories: entries(5),
  experience_summary: { memories_with_experience: 3, graveyard: entries(10) },
  stale_memories: entries(10),
  suppressed_topics: ['weather', 'football'],
};
const size = (sections: Sections): number => estimateTokens(JSON.stringify(sections));

describe('a briefing with a budget', () => {
  it('is whole where it fits', () => {
    expect(trimBriefing(WHOLE, size(WHOLE))).toEqual({ sections: WHOLE, trimmed: {} });
  });

  it('loses the least useful first, from the end of its list, and says so', () => {
    const { sections, trimmed } = trimBriefing(WHOLE, size(WHOLE) - 60);
    expect(trimmed).toEqual({ suppressed_topics: 2, stale_memories: 2 });
    expect(sections.stale_memories).toEqual(entries(8));
    expect(sections.recent_memories).toEqual(entries(5));
  });

  it('cuts long texts of the context before it drops what blocks work', () => {
    const long: Sections = {
      project_context: { name: 'shop', description: 'd'.repeat(9_000), current_state: 's'.repeat(9_000) },
      contradiction_warnings: entries(1),
      preferences: entries(4),
    };
    const { sections, trimmed } = trimBriefing(long, 2_000);
    expect(trimmed).toEqual({ project_context: true });
    expect(sections.contradiction_warnings).toEqual(entries(1));
    expect(sections.preferences).toEqual(entries(4));
    expect(sections.project_context).toMatchObject({ current_state: expect.stringContaining('[cut: 9000 characters in all]') });
  });

  it('keeps an open contradiction and the first sentences of the context to the last', () => {
    const { sections, trimmed } = trimBriefing(WHOLE, 140);
    expect(Object.keys(sections)).toEqual(['project_context', 'contradiction_warnings']);
    expect(sections.project_context).toMatchObject({
      name: 'shop',
      current_state: expect.stringContaining('[cut: 720 characters in all]'),
    });
    expect(sections.contradiction_warnings).toEqual(entries(1));
    expect(trimmed).toMatchObject({ contradiction_warnings: 4, project_context: true, 'experience_summary.graveyard': 10 });
  });

  it('fits every budget that a cut context fits, and never adds anything', () => {
    fc.assert(
      fc.property(fc.integer({ min: 120, max: 3_000 }), fc.integer({ min: 0, max: 12 }), (budget, count) => {
        const { sections } = trimBriefing({ ...WHOLE, new_knowledge: entries(count) }, budget);
        expect(size(sections)).toBeLessThanOrEqual(budget);
      }),
    );
  });

  it('can cut every section down to nothing, but the context', () => {
    const emptied = CUTS.flatMap((cut) => ('part' in cut && cut.keep === 0 ? [cut.part] : []));
    expect([...emptied, 'project_context'].sort()).toEqual([...SECTIONS].sort());
  });
});
