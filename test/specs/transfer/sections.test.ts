import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutLong, splitSections } from '../../../services/transfer/markdown/sections.js';

const texts = (markdown: string): string[] => splitSections(markdown).map(({ text }) => text);

describe('sections of Markdown', () => {
  it('begin at headings, under the headings they stand under', () => {
    expect(splitSections('intro\n\n# A\none\n## B ##\ntwo\n# C\nthree\n')).toEqual([
      { headings: [], text: 'intro', line: 1 },
      { headings: ['A'], text: '# A\none', line: 3 },
      { headings: ['A', 'B'], text: '## B ##\ntwo', line: 5 },
      { headings: ['C'], text: '# C\nthree', line: 7 },
    ]);
  });

  it('do not begin in a fence of code', () => {
    expect(texts('# A\n```sh\n# no\n```\n~~~~\n# no\n~~~\n# no\n~~~~\n# B\nb')).toEqual([
      '# A\n```sh\n# no\n```\n~~~~\n# no\n~~~\n# no\n~~~~',
      '# B\nb',
    ]);
  });

  it('take headings without text along, the last ones with the section before', () => {
    expect(texts('# Title\n\n## Sub\ntext\n## End\n')).toEqual(['# Title\n\n## Sub\ntext\n## End']);
    expect(splitSections('# Title\n\n## Sub\ntext')[0]?.headings).toEqual(['Title', 'Sub']);
    expect(texts('# Only\n')).toEqual(['# Only']);
  });

  it('hold every line that is not blank, in order', () => {
    const line = fc.constantFrom(
      '# a',
      '## b',
      '###### c',
      '#no',
      'text',
      '  indented',
      '',
      '   ',
      '```',
      '~~~',
      '- item\r',
      '####### seven',
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const words = (text: string): string[] =>
          text
            .split('\n')
            .map((each) => each.trim())
            .filter((each) => each !== '');
        expect(words(texts(lines.join('\n')).join('\n'))).toEqual(words(lines.join('\n')));
      }),
    );
  });

  it('are cut where they are too long, and lose nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('word ', 'line\n', '\n\n', '🚢', 'x'.repeat(17)), { maxLength: 60 }), (parts) => {
        const text = parts.join('');
        const pieces = cutLong(text, 20);
        expect(pieces.join('')).toBe(text);
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(20);
          expect(piece).not.toMatch(/\p{Cs}/u);
        }
      }),
    );
    expect(cutLong('one two three', 9)).toEqual(['one two ', 'three']);
  });
});
