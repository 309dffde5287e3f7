import { isAscii } from './fold.js';
import { inAscii, type Span } from './spans.js';

/** Units as they are written, in English and German, by one name of each. */
const UNITS: Readonly<Record<string, string>> = {
  kb: 'kb kilobyte kilobytes',
  mb: 'mb megabyte megabytes',
  gb: 'gb gigabyte gigabytes gigs',
  tb: 'tb terabyte terabytes',
  kib: 'kib ki',
  mib: 'mib mi',
  gib: 'gib gi',
  tib: 'tib ti',
  us: 'us μs microsecond microseconds',
  ms: 'ms msec msecs millisecond milliseconds millis millisekunde millisekunden',
  s: 's sec secs second seconds sek sekunde sekunden',
  min: 'min mins minute minutes minuten',
  h: 'h hr hrs hour hours std stunde stunden',
  d: 'd day days tag tage tagen',
  w: 'week weeks woche wochen',
  mo: 'month months monat monate monaten',
  y: 'year years yr yrs jahr jahre jahren',
  hz: 'hz',
  khz: 'khz',
  mhz: 'mhz',
  ghz: 'ghz',
  rps: 'rps req/s',
  rpm: 'rpm req/min',
  qps: 'qps',
  kbps: 'kbps kbit/s',
  mbps: 'mbps mbit/s',
  gbps: 'gbps gbit/s',
  px: 'px pixel pixels',
  km: 'km',
  kg: 'kg',
  eur: 'eur euro euros',
  usd: 'usd dollar dollars',
  core: 'core cores',
  percent: 'percent prozent %',
};
const UNIT_OF = new Map(Object.entries(UNITS).flatMap(([unit, names]) => names.split(' ').map((name) => [name, unit] as const)));
const NUMBERS: ReadonlyMap<string, string> = new Map(
  'two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 twelve 12 fifteen 15 twenty 20 thirty 30 sixty 60 zwei 2 drei 3 vier 4 funf 5 sechs 6 zehn 10 zwolf 12 dreissig 30'
    .match(/\S+ \S+/g)
    ?.map((pair) => pair.split(' ') as [string, string]),
);

const longestFirst = (names: Iterable<string>): string => [...names].sort((a, b) => b.length - a.length).join('|');
const EDGE = '(?<![\\p{L}\\p{N}_.,-])';
/** Looks for the figure first and what stands before it then, as few places hold one. */
const FIGURE = `(?=\\d)${EDGE}`;
const UNIT = `[ -]?(?<unit>${longestFirst(UNIT_OF.keys())})(?![\\p{L}\\p{N}_])`;
const QUANTITY = new RegExp(`${FIGURE}(?<number>\\d+(?:[.,]\\d+)*)${UNIT}`, 'giu');
const SPELT_OUT = new RegExp(`${EDGE}(?<number>${longestFirst(NUMBERS.keys())})${UNIT}`, 'giu');
const GROUPED = new RegExp(`${FIGURE}(?:\\d{1,3}(?:,\\d{3})+|\\d{1,3}(?:\\.\\d{3})+)(?![\\p{L}\\p{N}_,]|\\.\\d)`, 'gu');
const THOUSANDS = new RegExp(`${FIGURE}(?<number>\\d+)k(?![\\p{L}\\p{N}_])`, 'giu');
const PATTERNS = { quantity: QUANTITY, speltOut: SPELT_OUT, grouped: GROUPED, thousands: THOUSANDS };
const PATTERNS_IN_ASCII = {
  quantity: inAscii(QUANTITY),
  speltOut: inAscii(SPELT_OUT),
  grouped: inAscii(GROUPED),
  thousands: inAscii(THOUSANDS),
};
const SEPARATORS = /[.,](?=\d{3}(?:\D|$))/g;
export const NUMBER_WORDS: readonly string[] = [...NUMBERS.keys()];
const HOLDS_FIGURES = /\d/;
const HOLDS_GROUPS = /\d[.,]\d{3}/;
const HOLDS_THOUSANDS = /\dk/i;
const HOLDS_NUMBERS = new RegExp(`\\b(?:${longestFirst(NUMBERS.keys())})[ -]`, 'i');

const IN_GROUPS = /^\d{1,3}(?:\.\d{3})+$/;

/** A comma before three figures is one of thousands, another that of a fraction; a point before three may be either. */
const numbersOf = (written: string): readonly string[] => {
  const number = NUMBERS.get(written.toLowerCase()) ?? written.replace(/,(?=\d{3}(?:\D|$))/g, '').replace(',', '.');
  return IN_GROUPS.test(number) ? [number, number.replace(/\./g, '')] : [number];
};

/**
 * Numbers that texts write in several ways: with a unit (`8GB`, `8 GB`, `8 gigabytes` are `#8gb`), in groups (`65,536` and `65.536` are
 * `65536`) or in thousands (`500k` is `500000`).
 */
export const quantitiesIn = (folded: string): readonly Span[] => {
  const span = (match: RegExpMatchArray, ...terms: readonly string[]): Span => {
    const from = match.index ?? 0;
    return { from, to: from + match[0].length, terms };
  };
  const { quantity, speltOut, grouped, thousands } = isAscii(folded) ? PATTERNS_IN_ASCII : PATTERNS;
  const inUnits = (pattern: RegExp): Span[] =>
    [...folded.matchAll(pattern)].map((match) => {
      const { number = '', unit = '' } = match.groups ?? {};
      return span(match, ...numbersOf(number).map((plain) => `#${plain}${UNIT_OF.get(unit.toLowerCase())}`));
    });
  const inWords = HOLDS_NUMBERS.test(folded) ? inUnits(speltOut) : [];
  if (!HOLDS_FIGURES.test(folded)) return inWords;
  return [
    ...inUnits(quantity),
    ...inWords,
    ...(HOLDS_GROUPS.test(folded) ? [...folded.matchAll(grouped)] : []).map((match) => span(match, match[0].replace(SEPARATORS, ''))),
    ...(HOLDS_THOUSANDS.test(folded) ? [...folded.matchAll(thousands)] : []).map((match) => span(match, `${match.groups?.number}000`)),
  ];
};
