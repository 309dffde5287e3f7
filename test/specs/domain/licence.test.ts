import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LICENCE_LABELS, licenceForStamp, licenceForWrite, licenceNotice, parseLicence } from '../../../domain/licence.js';
import { LICENCES, NAMESPACES } from '../../../domain/vocabulary.js';

/** The alias table of the specification, written out again by hand. */
const EXPECTED: Readonly<Record<string, readonly [licence: string, note?: string]>> = {
  own: ['own'],
  open: ['open'],
  restricted: ['restricted'],
  unknown: ['unknown'],
  self: ['own'],
  internal: ['own'],
  'in-house': ['own'],
  original: ['own'],
  '': ['unknown'],
  undetermined: ['unknown'],
  unclassified: ['unknown'],
  tbd: ['unknown'],
  ogl: ['open', 'OGL v3.0'],
  'ogl-3': ['open', 'OGL v3.0'],
  'ogl-3.0': ['open', 'OGL v3.0'],
  'ogl-uk-3.0': ['open', 'OGL v3.0'],
  'open-government-licence': ['open', 'OGL v3.0'],
  'public-domain': ['open', 'Public domain'],
  pd: ['open', 'Public domain'],
  cc0: ['open', 'CC0 1.0'],
  'cc0-1.0': ['open', 'CC0 1.0'],
  'cc-by': ['open', 'CC BY 4.0'],
  'cc-by-4.0': ['open', 'CC BY 4.0'],
  'cc-by-3.0': ['open', 'CC BY 3.0'],
  'cc-by-sa': ['open', 'CC BY-SA 4.0'],
  'cc-by-sa-4.0': ['open', 'CC BY-SA 4.0'],
  'cc-by-sa-3.0': ['open', 'CC BY-SA 3.0'],
  mit: ['open', 'MIT'],
  apache: ['open', 'Apache 2.0'],
  'apache-2.0': ['open', 'Apache 2.0'],
  bsd: ['open', 'BSD'],
  'bsd-2-clause': ['open', 'BSD 2-Clause'],
  'bsd-3-clause': ['open', 'BSD 3-Clause'],
  gfdl: ['open', 'GFDL'],
  'cc-by-nc': ['restricted', 'CC BY-NC 4.0'],
  'cc-by-nc-4.0': ['restricted', 'CC BY-NC 4.0'],
  'cc-by-nd': ['restricted', 'CC BY-ND 4.0'],
  'cc-by-nd-4.0': ['restricted', 'CC BY-ND 4.0'],
  'cc-by-nc-sa': ['restricted', 'CC BY-NC-SA 4.0'],
  'cc-by-nc-sa-4.0': ['restricted', 'CC BY-NC-SA 4.0'],
  'cc-by-nc-nd': ['restricted', 'CC BY-NC-ND 4.0'],
  'cc-by-nc-nd-4.0': ['restricted', 'CC BY-NC-ND 4.0'],
  'all-rights-reserved': ['restricted', 'All rights reserved'],
  arr: ['restricted', 'All rights reserved'],
  copyright: ['restricted', 'All rights reserved'],
  proprietary: ['restricted', 'Proprietary'],
  commercial: ['restricted', 'Commercial'],
  paywalled: ['restricted', 'Paywalled'],
  'crown-copyright': ['restricted', 'Crown copyright (not under OGL)'],
};

describe('a licence identifier', () => {
  it.each(Object.entries(EXPECTED))('%s is read', (identifier, [licence, note]) => {
    expect(parseLicence(identifier)).toEqual({ licence, ...(note && { note }) });
  });

  it('matches whatever its case and separators', () => {
    const separator = fc.constantFrom('-', '_', ' ', '  ', ' - ', '\t');
    const identifiers = Object.keys(EXPECTED).filter((identifier) => identifier !== '');
    fc.assert(
      fc.property(fc.constantFrom(...identifiers), separator, fc.boolean(), (identifier, blank, upper) => {
        const spelt = ` ${identifier.replaceAll('-', blank)} `;
        expect(parseLicence(upper ? spelt.toUpperCase() : spelt)).toEqual(parseLicence(identifier));
      }),
    );
  });

  it.each(['wtfpl', 'cc-by-5.0', 'constructor', '__proto__', 'mit or apache'])('%s is refused, naming the four classes', (identifier) => {
    expect(() => parseLicence(identifier)).toThrow(
      expect.objectContaining({ code: 'VALIDATION', message: expect.stringMatching(/own, open, restricted, unknown/) }),
    );
  });

  it('has a label for each class', () => expect(Object.keys(LICENCE_LABELS)).toEqual([...LICENCES]));
});

describe('a write', () => {
  it('that declares nothing is own work, but unknown in knowledge', () => {
    for (const declared of [undefined, '', '  '])
      expect(NAMESPACES.map((namespace) => licenceForWrite(namespace, declared).licence)).toEqual(['own', 'own', 'unknown', 'own']);
  });
  it('keeps the canonical note, and a given note instead of it', () => {
    expect(licenceForWrite('knowledge', 'CC BY 4.0')).toEqual({ licence: 'open', note: 'CC BY 4.0' });
    expect(licenceForWrite('knowledge', 'cc-by', '  by\n the   team ')).toEqual({ licence: 'open', note: 'by the team' });
    expect(licenceForWrite('episodic', undefined, ' \n ')).toEqual({ licence: 'own' });
  });
  it('takes a note of 200 characters and refuses one of 201', () => {
    expect(licenceForWrite('episodic', 'own', 'n'.repeat(200)).note).toHaveLength(200);
    expect(() => licenceForWrite('episodic', 'own', 'n'.repeat(201))).toThrow(expect.objectContaining({ code: 'VALIDATION' }));
    expect(() => licenceForWrite('episodic', 'own', 'a\u0000b')).toThrow(expect.objectContaining({ code: 'VALIDATION' }));
  });
});

describe('a new stamp', () => {
  const old = { licence: 'open', note: 'CC BY 4.0' } as const;
  it('without a note blanks the old one', () => expect(licenceForStamp(old, 'restricted')).toEqual({ licence: 'restricted' }));
  it('drops the old note that a form sends back with another class', () => {
    expect(licenceForStamp(old, 'restricted', ' CC BY  4.0 ')).toEqual({ licence: 'restricted' });
    expect(licenceForStamp(old, 'mit', 'CC BY 4.0')).toEqual({ licence: 'open', note: 'MIT' });
  });
  it('keeps the note when the class stays, and a note that was typed', () => {
    expect(licenceForStamp(old, 'open', 'CC BY 4.0')).toEqual(old);
    expect(licenceForStamp(old, 'restricted', 'ask legal')).toEqual({ licence: 'restricted', note: 'ask legal' });
  });
});

describe('the notice on recall', () => {
  it('is absent when every licence is known', () => expect(licenceNotice([{ key: 'a', licence: 'own' }])).toBeUndefined());
  it('names each unknown result once, and the tool', () => {
    const results = [
      { key: 'k1', licence: 'unknown' },
      { key: 'k2', licence: 'open' },
      { key: 'k3', licence: 'unknown' },
      { key: 'k1', licence: 'unknown' },
    ] as const;
    expect(licenceNotice(results)).toMatch(/^2 results .*k1, k3\..*set_licence/);
  });
});
