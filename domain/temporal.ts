// English alone: the package's own entry loads every language, a tenth of a second at each start.
import { type Component, casual, type ParsedResult } from 'chrono-node/en';

const DAY = 86_400_000;

const MONTHS = 'january|february|march|april|may|june|july|august|september|october|november|december';
const MONTHS_SHORT = 'jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec';
const WEEKDAYS = 'monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun';
const RELATIVE = 'yesterday|today|tomorrow|tonight|last|this|next|past|previous|recent|recently|ago|earlier|later|before|after|since|until';

/** Words and digits without which a query is not parsed for a date at all. Contract 18.3. */
const TRIGGER = new RegExp(
  `(?<![\\p{L}\\p{N}_])(?:${RELATIVE}|${WEEKDAYS}|${MONTHS}|${MONTHS_SHORT}|\\d{4}|\\d{1,2}[/-]\\d{1,2})(?![\\p{L}\\p{N}_])`,
  'iu',
);

/** Month and weekday names that are common words too: a date only when capitalised or after one of `DATE_LEAD`. */
const COMMON_WORD = /^(?:may|march|sun|sat)$/;
const DATE_LEAD = /(?:in|on|last|this|next|since|until|before|after|during|from|by|of|early|late|mid|every)[\s-]+$/i;

/** A query names its date early; parsing costs more than linear time. UTF-16 units. */
const READ_LENGTH = 500;

/** A month or weekday that a date parser put ahead of us, moved to its latest past occurrence, unless the year or "next" says otherwise. */
const preferPast = (found: ParsedResult, now: number): number => {
  const { start, text } = found;
  const at = start.date();
  const saysMonth = start.isCertain('month');
  const saysDay = start.isCertain('day');
  if (saysMonth && !saysDay) at.setUTCDate(15);
  if (at.getTime() <= now || start.isCertain('year') || /^next\b/i.test(text)) return at.getTime();
  if (saysMonth) at.setUTCFullYear(at.getUTCFullYear() - 1);
  else if (start.isCertain('weekday') && !saysDay) at.setUTCDate(at.getUTCDate() - 7);
  return at.getTime();
};

const isDate = (query: string, { text, index, start }: ParsedResult): boolean => {
  if (COMMON_WORD.test(text) && !DATE_LEAD.test(query.slice(0, index))) return false;
  const timeOfDayOnly = start.isCertain('hour') && !['day', 'weekday', 'month', 'year'].some((part) => start.isCertain(part as Component));
  return !timeOfDayOnly;
};

/**
 * The moment a query speaks of (epoch milliseconds), or undefined. English; a month or weekday without a year is the latest past one, a month
 * stands for its middle. `now` is epoch milliseconds and everything is UTC: the server's own time zone has no say.
 */
export const dateHint = (query: string, now: number): number | undefined => {
  const read = query.slice(0, READ_LENGTH);
  if (!TRIGGER.test(read)) return undefined;
  const found = casual.parse(read, { instant: new Date(now), timezone: 0 }).find((result) => isDate(read, result));
  const hint = found && preferPast(found, now);
  return hint !== undefined && Number.isFinite(hint) ? hint : undefined;
};

/** What being near the hinted moment multiplies a score by: 1.5 within 7 days, falling in a line to 1 at 60. Never a penalty. Epoch ms. */
export const temporalBoost = (hint: number | undefined, eventDate: number | undefined): number => {
  if (hint === undefined || eventDate === undefined) return 1;
  const days = Math.abs(hint - eventDate) / DAY;
  if (days <= 7) return 1.5;
  return days < 60 ? 1 + 0.5 * ((60 - days) / 53) : 1;
};
