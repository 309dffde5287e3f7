import { describe, expect, it } from 'vitest';
import { parseProvenance, provenanceForWrite } from '../../../domain/provenance.js';
import { NAMESPACES } from '../../../domain/vocabulary.js';

describe('a provenance', () => {
  it.each([
    ['retrieved', ['retrieved', 'external', 'source', 'looked-up', 'Looked Up', 'LOOKED_UP']],
    ['concluded', ['concluded', 'inferred', 'derived', 'reasoned', ' System ']],
    ['asserted', ['asserted', 'stated', 'user', 'human', 'dictated']],
  ])('%s is read from its aliases', (provenance, aliases) => expect(aliases.map(parseProvenance)).toEqual(aliases.map(() => provenance)));

  it.each(['', 'unknown', 'hearsay', 'constructor'])('"%s" is refused, naming the three classes', (text) => {
    expect(() => parseProvenance(text)).toThrow(
      expect.objectContaining({ code: 'VALIDATION', message: expect.stringMatching(/retrieved, concluded, asserted/) }),
    );
  });

  it('defaults by namespace when nothing is declared', () => {
    for (const declared of [undefined, '', ' '])
      expect(NAMESPACES.map((namespace) => provenanceForWrite(namespace, declared))).toEqual([
        'concluded',
        'concluded',
        'retrieved',
        'asserted',
      ]);
  });
  it('is taken from the call when declared', () => expect(provenanceForWrite('episodic', 'human')).toBe('asserted'));
});
