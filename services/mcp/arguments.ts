import { DomainError } from '../../domain/errors.js';
import type { InputSchema, PropertySchema } from './schemas.js';

/** Unknown names that one refusal tells. */
const UNKNOWN_TOLD = 5;

/**
 * The arguments of a call as the schema has them. Clients are met half-way where only one reading is possible: a number or
 * truth value written as text, a list written as JSON text, one item where a list is asked for, and `null` for "not given".
 * Refuses unknown parameters by name (VALIDATION), so that a misspelt one is never silently ignored.
 */
export const argumentsOf = (tool: string, { properties }: InputSchema, raw: unknown): Record<string, unknown> => {
  if (raw === undefined || raw === null) return {};
  if (typeof raw !== 'object' || Array.isArray(raw))
    throw new DomainError('VALIDATION', `${tool}: arguments must be an object`, `Parameters of ${tool}: ${known(properties)}.`);
  const given = Object.entries(raw);
  const unknown = given.map(([name]) => name).filter((name) => !Object.hasOwn(properties, name));
  if (unknown.length > 0) {
    const names = unknown
      .slice(0, UNKNOWN_TOLD)
      .map((name) => JSON.stringify(name.slice(0, 80)))
      .join(', ');
    const more = unknown.length > UNKNOWN_TOLD ? ` and ${unknown.length - UNKNOWN_TOLD} more` : '';
    throw new DomainError('VALIDATION', `${tool} has no parameter ${names}${more}`, `Parameters of ${tool}: ${known(properties)}.`);
  }
  return Object.fromEntries(
    given.flatMap(([name, value]) => {
      const property = properties[name];
      return property === undefined || value === null || value === undefined ? [] : [[name, lenient(property, value)]];
    }),
  );
};

const known = (properties: InputSchema['properties']): string => Object.keys(properties).join(', ') || 'none';

const lenient = ({ type, items }: PropertySchema, value: unknown): unknown => {
  if (type === 'array') return listOf(value).map((item) => (items ? lenient(items, item) : item));
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if ((type === 'integer' || type === 'number') && text !== '' && Number.isFinite(Number(text))) return Number(text);
  if (type === 'boolean' && /^(true|1|yes)$/i.test(text)) return true;
  if (type === 'boolean' && /^(false|0|no)$/i.test(text)) return false;
  return value;
};

const listOf = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string' || !value.trim().startsWith('[')) return [value];
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed : [value];
  } catch {
    return [value];
  }
};
