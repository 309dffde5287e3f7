const LATEST = 8.64e15;

/** Epoch milliseconds of seconds since 1970 as text, with or without a fraction; undefined for anything else. */
export const fromUnixText = (text: string): number | undefined => {
  if (!/^\d{1,13}(\.\d+)?$/.test(text.trim())) return undefined;
  const time = Math.round(Number(text) * 1000);
  return time <= LATEST ? time : undefined;
};

/** Seconds since 1970 with their fraction, of an ISO time. */
export const toUnixText = (iso: string): string => String(Date.parse(iso) / 1000);

/** Epoch milliseconds of an ISO date or time; UTC unless it names a zone. Undefined for anything else. */
export const fromIsoText = (text: string): number | undefined => {
  const parts = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s?(Z|[+-]\d\d:?\d\d)?)?$/.exec(text.trim());
  if (!parts) return undefined;
  const [, date, time = '00:00', zone = 'Z'] = parts;
  const at = Date.parse(`${date}T${time}${zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')}`);
  // A day that the month has not would roll over into the next.
  const rolled = Number.isNaN(at) || new Date(`${date}T00:00Z`).toISOString().slice(0, 10) !== date;
  return rolled ? undefined : at;
};
