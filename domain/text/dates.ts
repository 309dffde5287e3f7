import type { Span } from './spans.js';

/** Names of months in English and German without accents, by their first letters; `longer` are the full names. */
const MONTHS: readonly { readonly short: readonly string[]; readonly longer: readonly string[] }[] = [
  { short: ['jan'], longer: ['january', 'januar'] },
  { short: ['feb'], longer: ['february', 'februar'] },
  { short: ['mar'], longer: ['march', 'marz', 'maerz'] },
  { short: ['apr'], longer: ['april'] },
  { short: [], longer: ['may', 'mai'] },
  { short: ['jun'], longer: ['june', 'juni'] },
  { short: ['jul'], longer: ['july', 'juli'] },
  { short: ['aug'], longer: ['august'] },
  { short: ['sep', 'sept'], longer: ['september'] },
  { short: ['oct', 'okt'], longer: ['october', 'oktober'] },
  { short: ['nov'], longer: ['november'] },
  { short: ['dec', 'dez'], longer: ['december', 'dezember'] },
];
const MONTH_OF = new Map(MONTHS.flatMap(({ short, longer }, i) => [...longer, ...short].map((name) => [name, i + 1] as const)));

const ORDINALS =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first'.split(
    ' ',
  );
const DAY_OF = new Map(ORDINALS.map((name, i) => [name, i + 1]));

const longestFirst = (names: readonly string[]): string => [...names].sort((a, b) => b.length - a.length).join('|');
const NAMES = longestFirst([...MONTH_OF.keys()]);
const ANY_DAY = `\\d{1,2}|${longestFirst(ORDINALS)}`;
const EDGE = '(?<![\\p{L}\\p{N}_.])';
const END = '(?![\\p{L}\\p{N}_])';
/** March and May are words; other names of months are none, so they need no preposition before them. */
const PLAIN_MONTHS = longestFirst([...MONTH_OF.keys()].filter((name) => name.length > 4 && name !== 'march'));
const WORDS_TOO = 'march|may|mai|june|july|juni|juli|marz';
const BEFORE_MONTH = '(?:in|since|until|till|by|of|from|during|last|next|this|im|seit|bis)';

const DATE = new RegExp(
  [
    `${EDGE}(?<iy>\\d{4})-(?<im>\\d{2})-(?<id>\\d{2})(?!\\d)`,
    `${EDGE}(?<d1>${ANY_DAY})(?:st|nd|rd|th|\\.)?\\s+(?:of\\s+)?(?<m1>${NAMES})${END}\\.?(?:,?\\s+(?<y1>\\d{4})${END})?`,
    `${EDGE}(?<m2>${NAMES})\\.?\\s+(?:the\\s+)?(?<d2>${ANY_DAY})(?:st|nd|rd|th)?(?![\\p{L}\\p{N}_:%]|\\.\\d)(?:,?\\s+(?<y2>\\d{4})${END})?`,
    `${EDGE}(?<d3>\\d{1,2})\\.(?<m3>\\d{1,2})\\.(?<y3>\\d{4})?(?![\\p{L}\\p{N}_.])`,
    `${EDGE}(?<m4>${NAMES})\\.?,?\\s+(?<y4>\\d{4})${END}`,
    `(?<m5>\\d{1,2})月(?<d5>\\d{1,2})日`,
    `${EDGE}(?<m6>${PLAIN_MONTHS})${END}`,
    `${EDGE}${BEFORE_MONTH}\\s+(?<m7>${WORDS_TOO})${END}`,
  ].join('|'),
  'giu',
);
/** What a text without a date lacks; most do, and are not looked at. */
const MAY_HOLD = new RegExp(`\\d{4}-\\d{2}-|\\d\\.\\d{1,2}\\.|月|${NAMES}`, 'iu');

const two = (n: number): string => String(n).padStart(2, '0');

const termsOf = (day: number | undefined, month: number, year: string | undefined): readonly string[] => [
  ...(day !== undefined && year !== undefined ? [`@${year}-${two(month)}-${two(day)}`] : []),
  ...(day !== undefined ? [`@${two(month)}-${two(day)}`] : []),
  ...(year !== undefined ? [`@${year}-${two(month)}`] : []),
  `@${two(month)}`,
];

const dayOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : (DAY_OF.get(text.toLowerCase()) ?? Number(text));

/**
 * Dates that a text names, in English or German words, in figures (`2025-03-11`, `11.3.2025`) or as in `3月11日`: each by `@2025-03-11`,
 * `@03-11`, `@2025-03` and `@03`, as far as it says so much, the most exact first.
 */
export const datesIn = (folded: string): readonly Span[] => {
  if (!MAY_HOLD.test(folded)) return [];
  const spans: Span[] = [];
  for (const match of folded.matchAll(DATE)) {
    const { iy, im, id, d1, m1, y1, m2, d2, y2, d3, m3, y3, m4, y4, m5, d5, m6, m7 } = match.groups ?? {};
    const name = m1 ?? m2 ?? m4 ?? m6 ?? m7;
    const month = name === undefined ? Number(im ?? m3 ?? m5) : MONTH_OF.get(name.toLowerCase());
    const day = dayOf(id ?? d1 ?? d2 ?? d3 ?? d5);
    if (month === undefined || month < 1 || month > 12 || (day !== undefined && (day < 1 || day > 31))) continue;
    spans.push({ from: match.index, to: match.index + match[0].length, terms: termsOf(day, month, iy ?? y1 ?? y2 ?? y3 ?? y4) });
  }
  return spans;
};
