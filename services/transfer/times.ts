import { isoTime } from '../../domain/iso-time.js';

const LATEST = 8.64e15;
/** As seconds this is the year 5138, as milliseconds 1973: a larger whole number is milliseconds. */
const MOST_SECONDS = 1e11;

/** Epoch milliseconds of seconds since 1970 as text, with or without a fraction; undefined for anything else. */
export const fromUnixText = (text: string): number | undefined => {
  if (!/^\d{1,13}(\.\d+)?$/.test(text.trim())) return undefined;
  const time = Math.round(Number(text) * 1000);
  return time <= LATEST ? time : undefined;
};

/** Seconds since 1970 with their fraction, of an ISO time. */
export const toUnixText = (iso: string): string => String(Date.parse(iso) / 1000);

/** Epoch milliseconds of a time as dumps write it: seconds or milliseconds since 1970, or ISO (UTC unless it names a zone). */
export const fromDumpTime = (text: string): number | undefined => {
  const given = text.trim();
  if (/^\d{12,16}$/.test(given) && Number(given) >= MOST_SECONDS && Number(given) <= LATEST) return Number(given);
  return fromUnixText(given) ?? isoTime(given);
};
