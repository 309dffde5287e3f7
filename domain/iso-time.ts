const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s?(Z|[+-]\d\d:?\d\d)?)?$/i;

/**
 * Epoch milliseconds of an ISO date (its first instant) or time: UTC unless it names a zone, never the zone of the machine.
 * Undefined for anything else, and for a day that its month has not.
 */
export const isoTime = (text: string): number | undefined => {
  const parts = ISO.exec(text.trim());
  if (!parts) return undefined;
  const [, date, time = '00:00', zone = 'Z'] = parts;
  const at = Date.parse(`${date}T${time}${zone.toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')}`);
  const rolled = Number.isNaN(at) || new Date(`${date}T00:00Z`).toISOString().slice(0, 10) !== date;
  return rolled ? undefined : at;
};
