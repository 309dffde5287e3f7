import { z } from 'zod';
import { DomainError } from '../../domain/errors.js';

/** What a parameter may hold. Sizes are UTF-16 units of a text and entries of a list. */
export type Bounds = {
  readonly text: number;
  readonly list: number;
  readonly items: Bounds | undefined;
  /** Of numbers: below `min` is refused; above `most` that is taken in its place, and the answer says so. */
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly most: number | undefined;
};

export type ParameterBounds = Readonly<Record<string, Bounds>>;

/** What a text, a list and a text in a list may hold where nothing else is declared: every parameter has a bound. */
const DEFAULTS = { text: 10_000, list: 200, entry: 2_000 } as const;

/** For texts whose own rule refuses them with more to say (TOO_LARGE): as long as a request may be. */
export const LONG_TEXT = 4 * 1024 * 1024;

/** A whole number from `min`; more than `most` is taken as `most`. */
export const wholeUpTo = ({ min, max: most }: { readonly min: number; readonly max: number }, description: string) =>
  z.number().int().min(min).optional().meta({ description, most });

type Declared = {
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: Declared;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly most?: number;
};

/** The bounds of each parameter: those that its schema declares, else the common ones. */
export const boundsOf = (schema: z.ZodObject): ParameterBounds => {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input' }) as { readonly properties?: Readonly<Record<string, Declared>> };
  return Object.fromEntries(Object.entries(properties).map(([name, declared]) => [name, boundsFrom(declared, DEFAULTS.text)]));
};

const boundsFrom = (declared: Declared, text: number): Bounds => ({
  text: declared.maxLength ?? text,
  list: declared.maxItems ?? DEFAULTS.list,
  items: declared.items && boundsFrom(declared.items, DEFAULTS.entry),
  min: safe(declared.minimum),
  max: safe(declared.maximum),
  most: declared.most,
});

/** What is only the end of the numbers that can be written exactly is no bound to speak of. */
const safe = (bound: number | undefined): number | undefined =>
  Number.isSafeInteger(bound) && Math.abs(bound ?? 0) < Number.MAX_SAFE_INTEGER ? bound : undefined;

/** Refuses what is too large before anything looks at it: VALIDATION with the parameter, its size and the limit. */
export const refuseOversized = (tool: string, bounds: ParameterBounds, given: Readonly<Record<string, unknown>>): void => {
  for (const [name, value] of Object.entries(given)) {
    const bound = bounds[name];
    const fault = bound && oversized(name, value, bound);
    if (fault !== undefined) throw new DomainError('VALIDATION', `${tool}: ${fault}`, 'Send less, or the parts of it one after the other.');
  }
};

const oversized = (place: string, value: unknown, bounds: Bounds): string | undefined => {
  if (typeof value === 'string') {
    return value.length > bounds.text ? `${place} has ${figure(value.length)} characters, at most ${figure(bounds.text)} fit` : undefined;
  }
  if (Array.isArray(value)) {
    if (value.length > bounds.list) return `${place} has ${figure(value.length)} entries, at most ${figure(bounds.list)} fit`;
    const items = bounds.items ?? boundsFrom({}, DEFAULTS.entry);
    return firstOf(value, (item, i) => oversized(`${place}[${i}]`, item, items));
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = Object.values(value);
  if (fields.length > DEFAULTS.list) return `${place} has ${figure(fields.length)} fields, at most ${DEFAULTS.list} fit`;
  return firstOf(fields, (field) => oversized(place, field, boundsFrom({}, DEFAULTS.text)));
};

const firstOf = <T>(values: readonly T[], fault: (value: T, i: number) => string | undefined): string | undefined => {
  for (const [i, value] of values.entries()) {
    const found = fault(value, i);
    if (found !== undefined) return found;
  }
  return undefined;
};

const figure = (value: number): string => value.toLocaleString('en-GB');

/** The arguments with numbers brought down to what may be asked for, and a sentence on each that was. */
export const broughtDown = (bounds: ParameterBounds, given: Readonly<Record<string, unknown>>) => {
  const said: string[] = [];
  const taken = Object.entries(given).map(([name, value]) => {
    const most = bounds[name]?.most;
    if (most === undefined || typeof value !== 'number' || !(value > most)) return [name, value];
    said.push(`${name} is at most ${figure(most)}, which was taken in place of ${figure(value)}.`);
    return [name, most];
  });
  return { taken: Object.fromEntries(taken) as Record<string, unknown>, said: said.length > 0 ? said.join(' ') : undefined };
};

/** Which numbers a parameter takes, in words. */
export const rangeOf = ({ min, max, most }: Bounds): string => {
  const end = max ?? most;
  if (min === undefined) return `at most ${end}`;
  return end === undefined ? `${min} or more` : `from ${min} to ${end}`;
};
