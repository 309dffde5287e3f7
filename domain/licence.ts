import { aliasForm } from './alias.js';
import { unstorableInLine } from './characters.js';
import { DomainError } from './errors.js';
import { LICENCES, LIMITS, type Licence, type Namespace } from './vocabulary.js';

/** Redistribution rights of a text. `note` says which licence exactly; absent means none. */
export type LicenceStamp = { readonly licence: Licence; readonly note?: string };

export const LICENCE_LABELS: Readonly<Record<Licence, string>> = {
  own: 'Own work',
  open: 'Open (redistributable)',
  restricted: 'Restricted (not redistributable)',
  unknown: 'Unknown (needs classifying)',
};

/** Identifiers by class and canonical note, each in alias form (`CC BY 4.0` is `cc-by-4.0`). Contract 6.6.1. */
const ALIASES: readonly (readonly [identifiers: string, licence: Licence, note?: string])[] = [
  ['own self internal in-house original', 'own'],
  ['open', 'open'],
  ['restricted', 'restricted'],
  ['unknown undetermined unclassified tbd', 'unknown'],
  ['ogl ogl-3 ogl-3.0 ogl-uk-3.0 open-government-licence', 'open', 'OGL v3.0'],
  ['public-domain pd', 'open', 'Public domain'],
  ['cc0 cc0-1.0', 'open', 'CC0 1.0'],
  ['cc-by cc-by-4.0', 'open', 'CC BY 4.0'],
  ['cc-by-3.0', 'open', 'CC BY 3.0'],
  ['cc-by-sa cc-by-sa-4.0', 'open', 'CC BY-SA 4.0'],
  ['cc-by-sa-3.0', 'open', 'CC BY-SA 3.0'],
  ['mit', 'open', 'MIT'],
  ['apache apache-2.0', 'open', 'Apache 2.0'],
  ['bsd', 'open', 'BSD'],
  ['bsd-2-clause', 'open', 'BSD 2-Clause'],
  ['bsd-3-clause', 'open', 'BSD 3-Clause'],
  ['gfdl', 'open', 'GFDL'],
  ['cc-by-nc cc-by-nc-4.0', 'restricted', 'CC BY-NC 4.0'],
  ['cc-by-nd cc-by-nd-4.0', 'restricted', 'CC BY-ND 4.0'],
  ['cc-by-nc-sa cc-by-nc-sa-4.0', 'restricted', 'CC BY-NC-SA 4.0'],
  ['cc-by-nc-nd cc-by-nc-nd-4.0', 'restricted', 'CC BY-NC-ND 4.0'],
  ['all-rights-reserved arr copyright', 'restricted', 'All rights reserved'],
  ['proprietary', 'restricted', 'Proprietary'],
  ['commercial', 'restricted', 'Commercial'],
  ['paywalled', 'restricted', 'Paywalled'],
  ['crown-copyright', 'restricted', 'Crown copyright (not under OGL)'],
];

const stamp = (licence: Licence, note: string | undefined): LicenceStamp => (note === undefined ? { licence } : { licence, note });

const BY_IDENTIFIER: ReadonlyMap<string, LicenceStamp> = new Map([
  ['', { licence: 'unknown' }],
  ...ALIASES.flatMap(([identifiers, licence, note]) => identifiers.split(' ').map((id) => [id, stamp(licence, note)] as const)),
]);

const DEFAULTS: Readonly<Record<Namespace, Licence>> = { episodic: 'own', project: 'own', preference: 'own', knowledge: 'unknown' };

/** The class a licence identifier stands for, with its canonical note. Blank is `unknown`; an unrecognised one throws VALIDATION. */
export const parseLicence = (text: string): LicenceStamp => {
  const known = BY_IDENTIFIER.get(aliasForm(text));
  if (known) return known;
  throw new DomainError(
    'VALIDATION',
    `The licence is not one of ${LICENCES.join(', ')}, nor an identifier known here`,
    'Pass a class, or a common identifier such as cc-by-4.0, mit or all-rights-reserved; details belong in licence_note.',
  );
};

/** A note in one line, its white space folded; blank is none. More than 200 characters or a control character throws VALIDATION. */
export const parseLicenceNote = (note: string | undefined): string | undefined => {
  const folded = (note ?? '').replace(/\s+/gu, ' ').trim();
  const bad = unstorableInLine(folded);
  if (bad) throw new DomainError('VALIDATION', `The licence note holds ${bad.name} at position ${bad.position}`, 'Remove it.');
  if (folded.length > LIMITS.licenceNote)
    throw new DomainError(
      'VALIDATION',
      `The licence note has ${folded.length} characters, at most ${LIMITS.licenceNote} fit`,
      'Shorten it.',
    );
  return folded === '' ? undefined : folded;
};

/** What a write is stamped with. Blank counts as not declared: then the namespace decides. A given note replaces the canonical one. */
export const licenceForWrite = (namespace: Namespace, declared?: string, note?: string): LicenceStamp => {
  const known: LicenceStamp = declared?.trim() ? parseLicence(declared) : { licence: DEFAULTS[namespace] };
  return stamp(known.licence, parseLicenceNote(note) ?? known.note);
};

/**
 * What a memory is re-stamped with. Without a note the old one goes. A form sends the old note back with a new licence: that note is
 * stale and dropped; a note that differs from the old one was typed, and stays.
 */
export const licenceForStamp = (current: LicenceStamp, declared: string, note?: string): LicenceStamp => {
  const known = parseLicence(declared);
  const given = parseLicenceNote(note);
  const anotherLicence = known.licence !== current.licence || (known.note !== undefined && known.note !== current.note);
  const stale = given !== undefined && given === current.note && anotherLicence;
  return stamp(known.licence, (stale ? undefined : given) ?? known.note);
};

/** A sentence naming the results whose rights nobody has classified, or undefined when there are none. */
export const licenceNotice = (results: readonly { readonly key: string; readonly licence: Licence }[]): string | undefined => {
  const keys = [...new Set(results.filter(({ licence }) => licence === 'unknown').map(({ key }) => key))];
  if (keys.length === 0) return undefined;
  const what = keys.length === 1 ? '1 result has' : `${keys.length} results have`;
  return `${what} an unknown licence: ${keys.join(', ')}. Ask the human which of own, open or restricted applies, then call set_licence.`;
};
