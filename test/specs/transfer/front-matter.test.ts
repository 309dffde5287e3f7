import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MemoryRow } from '../../../projections/memories.js';
import { noteText } from '../../../services/transfer/export/note.js';
import { memoryFields, suppressedTopics } from '../../../services/transfer/markdown/fields.js';
import { splitFrontMatter } from '../../../services/transfer/markdown/front-matter.js';

const NOW = Date.UTC(2026, 4, 3);

describe('front matter', () => {
  it('is what stands between the first two lines of dashes; a rule on top is none', () => {
    expect(splitFrontMatter('---\na: 1\n---\n---\nbody\n')).toEqual({ fields: { a: 1 }, body: '---\nbody\n', bodyLine: 4 });
    expect(splitFrontMatter('---\r\na: b\r\n---\r\n text')).toEqual({ fields: { a: 'b' }, body: ' text', bodyLine: 4 });
    expect(splitFrontMatter('---\nonly a rule\n').body).toBe('---\nonly a rule\n');
    expect(splitFrontMatter('---\n---\n')).toEqual({ fields: {}, body: '', bodyLine: 3 });
  });

  it('that is no YAML, or no map, is refused with its place', () => {
    expect(() => splitFrontMatter('---\na: 1\nb: [x\nc: 2\n---\n')).toThrow(/no YAML \(line \d, column \d+\)/);
    expect(() => splitFrontMatter('---\n- one\n---\n')).toThrow(/no map of names/);
    const bomb = `a: &a [x]\n${['b', 'c', 'd', 'e', 'f', 'g'].map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[i]}`).join(',')}]`).join('\n')}`;
    expect(() => splitFrontMatter(`---\n${bomb}\n---\n`)).toThrow(/refers to itself/);
  });

  it('says what a memory is, under the names people use; what is not understood is left', () => {
    const { candidate, left } = memoryFields(
      { license: 'MIT', date: '2024-05-03', tags: 'one, two', state: 'draft', mood: 'calm', provenance: 'human', constructor: 'x' },
      NOW,
      'fallback',
    );
    expect(candidate).toMatchObject({
      licence: 'open',
      licence_note: 'MIT',
      created: Date.UTC(2024, 4, 3),
      state: 'active',
      provenance: 'asserted',
      project: 'fallback',
    });
    expect(left).toEqual({ state: 'draft', mood: 'calm', constructor: 'x' });
  });

  it('of a file with a key is taken at its word, or refused', () => {
    const key = 'mem:episodic:01HZX3V0000000000000000A01';
    expect(() => memoryFields({ key, state: 'draft' }, NOW, undefined)).toThrow(/state/);
    expect(() => memoryFields({ key: 'mem:nonsense:1' }, NOW, undefined)).toThrow(/no key of a memory/);
    expect(() => memoryFields({ license: 'whatever-2.0' }, NOW, undefined)).toThrow(/licence/i);
  });

  it('holds suppressed topics, whose time is never ahead', () => {
    expect(suppressedTopics({ suppressed_topics: [{ topic: 'CRM', since: '2999-01-01', reason: 'gone' }, 'plain'] }, NOW)).toEqual([
      { topic: 'crm', said: 'CRM', reason: 'gone', at: new Date(NOW).toISOString() },
      { topic: 'plain', said: 'plain', at: new Date(NOW).toISOString() },
    ]);
    expect(suppressedTopics({}, NOW)).toBeUndefined();
  });

  it('of an exported memory reads back as it was, whatever is in it', () => {
    const line = fc.string({ unit: 'binary', maxLength: 30 }).filter((text) => text !== '' && !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text));
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), line, line, fc.array(line, { minLength: 1 }), (content, tag, reason, reinstate_hints) => {
        const { fields, body } = splitFrontMatter(
          noteText({ ...ROW, content, tags: [tag], deprioritised_reason: reason, reinstate_hints }),
        );
        expect(body).toBe(content);
        const { candidate, left } = memoryFields(fields, NOW, 'not this one');
        expect(candidate).toMatchObject({ key: ROW.key, tags: [tag], reason, reinstate_hints, state: 'deprioritised', project: 'harbour' });
        expect(candidate).toMatchObject({ licence: 'restricted', licence_note: 'Paywalled', provenance: 'retrieved', mode: 'full' });
        expect(left).toEqual({});
      }),
    );
  });
});

const ROW: MemoryRow = {
  key: 'mem:knowledge:01HZX3V0000000000000000A01',
  namespace: 'knowledge',
  content: '',
  state: 'deprioritised',
  project: 'harbour',
  tags: [],
  licence: 'restricted',
  licence_note: 'Paywalled',
  provenance: 'retrieved',
  created_at: '2024-05-03T08:00:00.000Z',
  updated_at: '2024-05-04T08:00:00.000Z',
  deprioritised_reason: undefined,
  reinstate_hints: [],
  doc_id: undefined,
  chunk_index: undefined,
  chunk_strategy: undefined,
  enriched_from: undefined,
  source_doc_id: undefined,
  event_date: undefined,
  source_url: undefined,
  title: undefined,
  expires_at: undefined,
  effort_score: undefined,
  outcome: undefined,
  iterations: undefined,
  breakthrough: undefined,
  gotchas: undefined,
  abandoned_approaches: [],
  scope: undefined,
  mode: 'full',
  base_surface: 1,
  content_version: 1,
  version: 2,
};
