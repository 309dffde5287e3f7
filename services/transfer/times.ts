const LATEST = 8.64e15;

/** Epoch milliseconds of seconds since 1970 as text, with or without a fraction; undefined for anything else. */
export const fromUnixText = (text: string): number | undefined => {
  if (!/^\d{1,13}(\.\d+)?$/.test(text.trim())) return undefined;
  const time = Math.round(Number(text) * 1000);
  return time <= LATEST ? time : undefined;
};

/** Seconds since 1970 with their fraction, of an ISO time. */
export const toUnixText = (iso: string): string => String(Date.parse(iso) / 1000);
