const AGE = /^(\d{1,9})\s?([smhdw])$/;
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Milliseconds of an age: `90s`, `30m`, `2h`, `3d`, `1w`. Undefined for anything else. */
export const ageOf = (text: string): number | undefined => {
  const [, count, unit = ''] = AGE.exec(text.trim()) ?? [];
  const millis = UNITS[unit];
  return millis === undefined ? undefined : Number(count) * millis;
};
