import { isAscii } from './fold.js';
import { foreignLanguage } from './languages.js';
import { inAscii, type Span } from './spans.js';

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

/** French ones stand behind a day or before a year: `Mars 3` is a probe. */
const FRENCH = 'janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre'.split(' ');
const FRENCH_MONTH_OF = new Map(FRENCH.map((name, i) => [name, i + 1]));

const ORDINALS =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first'.split(
    ' ',
  );
const DAY_OF = new Map(ORDINALS.map((name, i) => [name, i + 1]));

const longestFirst = (names: readonly string[]): string => [...names].sort((a, b) => b.length - a.length).join('|');
const NAMES = longestFirst([...MONTH_OF.keys()]);
const NAMES_AND_FRENCH = longestFirst([...MONTH_OF.keys(), ...FRENCH]);
const ANY_DAY = `\\d{1,2}|${longestFirst(ORDINALS)}`;
const EDGE = '(?<![\\p{L}\\p{N}_.])';
const END = '(?![\\p{L}\\p{N}_])';
/** March and May are words; other names of months are none, so they need no preposition before them. */
const PLAIN_MONTHS = longestFirst([...MONTH_OF.keys()].filter((name) => name.length > 4 && name !== 'march'));
const WORDS_TOO = 'march|may|mai|june|july|juni|juli|marz';
const BEFORE_MONTH = '(?:in|since|until|till|by|of|from|during|last|next|this|im|seit|bis)';

const DATE = new RegExp(
  `${EDGE}(?:${[
    '(?<iy>\\d{4})-(?<im>\\d{2})-(?<id>\\d{2})(?!\\d)',
    '(?<![/-])(?<sy>\\d{4})/(?<sm>\\d{2})/(?<sd>\\d{2})(?![\\p{L}\\p{N}_/])',
    '(?<![/-])(?<ua>\\d{1,2})/(?<ub>\\d{1,2})/(?<uy>\\d{4})(?![\\p{L}\\p{N}_/])',
    `(?<d1>${ANY_DAY})(?:st|nd|rd|th|\\.)?\\s+(?:of\\s+)?(?<m1>${NAMES_AND_FRENCH})${END}\\.?(?:,?\\s+(?<y1>\\d{4})${END})?`,
    `(?<m2>${NAMES})\\.?\\s+(?:the\\s+)?(?<d2>${ANY_DAY})(?:st|nd|rd|th)?(?![\\p{L}\\p{N}_:%]|\\.\\d)(?:,?\\s+(?<y2>\\d{4})${END})?`,
    '(?<d3>\\d{1,2})\\.(?<m3>\\d{1,2})\\.(?<y3>\\d{4})?(?![\\p{L}\\p{N}_.])',
    `(?<m4>${NAMES_AND_FRENCH})\\.?,?\\s+(?<y4>\\d{4})${END}`,
    `(?<m6>${PLAIN_MONTHS})${END}`,
    `(?<=(?<![\\p{L}\\p{N}_])${BEFORE_MONTH}\\s)(?<m7>${WORDS_TOO})${END}`,
  ].join('|')})|(?:(?<y5>\\d{4})年)?(?<m5>\\d{1,2})月(?<d5>\\d{1,2})日`,
  'giu',
);
const DATE_IN_ASCII = inAscii(DATE);
/** What a text without a date lacks; most do, and are not looked at. */
const IN_FIGURES = /\d{4}[-/]\d\d[-/]\d|\d\.\d{1,2}\.(?:\d{4}|(?![\w.]))|\d\/\d{1,2}\/\d{4}|\d月/;
const IN_WORDS = new RegExp(`\\b(?:${NAMES_AND_FRENCH})\\b`, 'i');

export const MONTH_NAMES: readonly string[] = [...MONTH_OF.keys(), ...FRENCH];

/** Whether a text may hold a date that is written in figures alone. */
export const mayHoldFiguresOfDates = (folded: string): boolean => IN_FIGURES.test(folded);

/** A word before a day in figures that German writes there, and any that is no name. */
const GERMAN_BEFORE = /(?<![\p{L}\p{N}_])(?:am|vom|bis|seit|ab)\s+$/iu;
const PLAIN_BEFORE = /(?:^|[^\p{L}\p{N}_])\p{Ll}+\s+$/u;
const SMALL_WORD_BEHIND = /^\s+\p{Ll}/u;
const ON_BEFORE = /(?<![\p{L}\p{N}_])(?:on|since|until|till|by|of|from|before|after|the)\s+$/iu;
const WORD_BEHIND = /^\s+\p{L}/u;
/** `May 5 times`: a number of things, but not `May 5 was`. */
const THINGS_BEHIND = /^\s+\p{Ll}{3,}(?<!thi)s(?!\p{L})/u;
const VERBS = /^(?:may|march)$/i;
const NEAR = 24;

/** Versions are written like days without a year: only German writes days so, behind a preposition or inside a sentence. */
const isGermanDay = (text: string, from: number, to: number): boolean => {
  const before = text.slice(Math.max(0, from - NEAR), from);
  if (GERMAN_BEFORE.test(before)) return true;
  return SMALL_WORD_BEHIND.test(text.slice(to, to + NEAR)) && PLAIN_BEFORE.test(before) && foreignLanguage(text) === 'German';
};

/** `may` and `march` are verbs as well: `option 2 may fail`, `you may first check`, `may 5 times`. */
const isVerb = (name: string, day: string, text: string, from: number, to: number): boolean => {
  if (!VERBS.test(name) || ON_BEFORE.test(text.slice(Math.max(0, from - NEAR), from))) return false;
  const behind = text.slice(to, to + NEAR);
  if (THINGS_BEHIND.test(behind)) return true;
  return name === name.toLowerCase() && (WORD_BEHIND.test(behind) || !/^\d/.test(day));
};

const two = (n: number): string => String(n).padStart(2, '0');

const dayOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : (DAY_OF.get(text.toLowerCase()) ?? Number(text));

const monthOf = (name: string): number | undefined => MONTH_OF.get(name.toLowerCase()) ?? FRENCH_MONTH_OF.get(name.toLowerCase());

/** `terms`: what a document that names it is indexed under. A day is asked for by `exact`, and less surely by `loose`. */
export type NamedDate = Span & { readonly exact: string; readonly loose?: string; readonly hasYear: boolean };

/**
 * A day of a year is `@2025-03-11`, one without a year `@03-11`. The first is also `@*03-11`, which only a query without a year
 * looks for: a day of another year is another day.
 */
const named = (day: number | undefined, month: number, year: string | undefined): Omit<NamedDate, 'from' | 'to'> => {
  const ofYear = `@${two(month)}`;
  if (day === undefined) {
    const exact = year === undefined ? ofYear : `@${year}-${two(month)}`;
    return { exact, hasYear: year !== undefined, terms: [...new Set([exact, ofYear])] };
  }
  const plain = `${two(month)}-${two(day)}`;
  return year === undefined
    ? { exact: `@${plain}`, loose: `@*${plain}`, hasYear: false, terms: [`@${plain}`, ofYear] }
    : {
        exact: `@${year}-${plain}`,
        loose: `@${plain}`,
        hasYear: true,
        terms: [`@${year}-${plain}`, `@*${plain}`, `@${year}-${two(month)}`, ofYear],
      };
};

/**
 * Dates that a text names: in English, German or French words, in figures (`2025-03-11`, `2025/03/11`, `11.3.2025`, `3/11/2025` with the
 * month first unless it can be none) or as in `2025年3月11日`.
 */
export const datesIn = (folded: string): readonly NamedDate[] => {
  if (!IN_FIGURES.test(folded) && !IN_WORDS.test(folded)) return [];
  const dates: NamedDate[] = [];
  for (const match of folded.matchAll(isAscii(folded) ? DATE_IN_ASCII : DATE)) {
    const { iy, im, id, sy, sm, sd, ua, ub, uy, d1, m1, y1, m2, d2, y2, d3, m3, y3, m4, y4, y5, m5, d5, m6, m7 } = match.groups ?? {};
    const [from, to] = [match.index, match.index + match[0].length];
    const name = m1 ?? m2 ?? m4 ?? m6 ?? m7;
    const year = iy ?? sy ?? uy ?? y1 ?? y2 ?? y3 ?? y4 ?? y5;
    const [first, second] = Number(ua) > 12 ? [ub, ua] : [ua, ub];
    const month = name === undefined ? Number(im ?? sm ?? first ?? m3 ?? m5) : monthOf(name);
    const written = id ?? sd ?? second ?? d1 ?? d2 ?? d3 ?? d5;
    const day = dayOf(written);
    if (month === undefined || month < 1 || month > 12 || (day !== undefined && (day < 1 || day > 31))) continue;
    if (d3 !== undefined && y3 === undefined && !isGermanDay(folded, from, to)) continue;
    if (name !== undefined && written !== undefined && year === undefined && isVerb(name, written, folded, from, to)) continue;
    dates.push({ from, to, ...named(day, month, year) });
  }
  return dates;
};
