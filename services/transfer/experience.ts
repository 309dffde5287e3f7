import type { Abandoned } from '../../domain/memory/events.js';
import { type Experience, hasExperience } from '../../domain/memory/experience.js';
import { ABANDONED_TYPES, OUTCOMES } from '../../domain/vocabulary.js';
import { isObject, plainText } from './text.js';
import { fromDumpTime } from './times.js';

/** The fields of experience as another place wrote them, each undefined when it is not there. */
export type WrittenExperience = {
  readonly effort_score: string | undefined;
  readonly outcome: string | undefined;
  readonly iterations: string | undefined;
  readonly breakthrough: string | undefined;
  readonly gotchas: string | undefined;
  readonly abandoned_approaches: unknown;
};

/** Names of the fields that could not be understood; they are left where they were. */
export type ReadExperience = { readonly experience: Experience | undefined; readonly unread: readonly (keyof WrittenExperience)[] };

const MAX_EFFORT = 5;

/** What the fields say; `when` (epoch milliseconds) stands in for the time of a dead end that has none. Contract, section 16.2. */
export const readExperience = (written: WrittenExperience, when: number): ReadExperience => {
  const unread: (keyof WrittenExperience)[] = [];
  const effort_score = whole(written.effort_score, MAX_EFFORT);
  const outcome = OUTCOMES.find((known) => known === written.outcome?.trim().toLowerCase());
  const iterations = whole(written.iterations, Number.MAX_SAFE_INTEGER);
  const approaches = deadEnds(written.abandoned_approaches, when);
  if (written.effort_score !== undefined && effort_score === undefined) unread.push('effort_score');
  if (written.outcome !== undefined && outcome === undefined) unread.push('outcome');
  if (written.iterations !== undefined && iterations === undefined) unread.push('iterations');
  if (approaches === undefined) unread.push('abandoned_approaches');
  const experience: Experience = {
    ...(effort_score !== undefined && { effort_score }),
    ...(outcome !== undefined && { outcome }),
    ...(iterations !== undefined && { iterations }),
    ...(written.breakthrough !== undefined && { breakthrough: written.breakthrough }),
    ...(written.gotchas !== undefined && { gotchas: written.gotchas }),
    abandoned_approaches: approaches ?? [],
  };
  return { experience: hasExperience(experience) ? experience : undefined, unread };
};

/** A dump of 6.x may hold `3.0`. */
const whole = (text: string | undefined, most: number): number | undefined => {
  const number = Number(text?.trim() || Number.NaN);
  return Number.isInteger(number) && number >= 1 && number <= most ? number : undefined;
};

/** Undefined when one of them cannot be understood: half a list would look like the whole. */
const deadEnds = (value: unknown, when: number): Abandoned[] | undefined => {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return undefined;
  const found = value.map((entry) => deadEnd(entry, when));
  return found.every((entry) => entry !== undefined) ? found : undefined;
};

const deadEnd = (entry: unknown, when: number): Abandoned | undefined => {
  if (!isObject(entry) || typeof entry.name !== 'string' || entry.name.trim() === '') return undefined;
  const { name, type, reason = '', attempted_at } = entry;
  const known = ABANDONED_TYPES.find((one) => one === plainText(type ?? 'approach')?.toLowerCase());
  const time = attempted_at === undefined || attempted_at === '' ? when : timeOf(plainText(attempted_at) ?? '');
  if (known === undefined || typeof reason !== 'string' || time === undefined) return undefined;
  return { name: name.trim(), type: known, reason, attempted_at: new Date(time).toISOString() };
};

const timeOf = fromDumpTime;
