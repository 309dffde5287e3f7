import { unstorableInLine, unstorableInText } from '../../../domain/characters.js';
import { DomainError } from '../../../domain/errors.js';
import { withoutFraming } from '../../../domain/framing.js';
import type { Abandoned } from '../../../domain/memory/events.js';
import type { RecordedExperience } from '../../../domain/memory/experience.js';
import { ABANDONED_TYPES, LIMITS, OUTCOMES } from '../../../domain/vocabulary.js';
import type { AbandonedInput, RecordExperienceInput } from '../../api.js';
import { parseReason } from '../reasons.js';

const MAX_TEXT = 5_000;
const MAX_APPROACHES = 50;
const MAX_ITERATIONS = 10_000;

/** Checks what somebody records of the work behind a memory. `at` is an ISO time. Throws VALIDATION naming the field. */
export const recordedOf = (input: RecordExperienceInput, at: string): RecordedExperience => {
  const { effort_score, iterations = 1, abandoned_approaches = [] } = input;
  if (!isWhole(effort_score, 1, 5)) {
    throw new DomainError('VALIDATION', 'effort_score is no whole number from 1 to 5', '1 is the first try, 5 is near abandonment');
  }
  if (!isWhole(iterations, 1, MAX_ITERATIONS)) {
    throw new DomainError('VALIDATION', `iterations is no whole number from 1 to ${MAX_ITERATIONS}`, 'Count the attempts, or leave it out');
  }
  if (abandoned_approaches.length > MAX_APPROACHES) {
    throw new DomainError(
      'VALIDATION',
      `There are ${abandoned_approaches.length} abandoned_approaches, at most ${MAX_APPROACHES} fit in one call`,
      'Send the rest with log_abandoned',
    );
  }
  const breakthrough = parseText('breakthrough', input.breakthrough);
  const gotchas = parseText('gotchas', input.gotchas);
  return {
    effort_score,
    outcome: oneOf('outcome', input.outcome, OUTCOMES),
    iterations,
    ...(breakthrough !== undefined && { breakthrough }),
    ...(gotchas !== undefined && { gotchas }),
    abandoned_approaches: abandoned_approaches.map((approach) => abandonedOf(approach, at)),
  };
};

/** Checks a dead end. Throws VALIDATION naming the field. */
export const abandonedOf = ({ name, type, reason }: AbandonedInput, at: string): Abandoned => {
  return { name: parseName(name), type: oneOf('type', type, ABANDONED_TYPES), reason: parseReason(reason), attempted_at: at };
};

const isWhole = (value: number, min: number, max: number): boolean => Number.isInteger(value) && value >= min && value <= max;

const oneOf = <Value extends string>(name: string, value: string, values: readonly Value[]): Value => {
  const found = values.find((known) => known === value);
  if (found !== undefined) return found;
  throw new DomainError('VALIDATION', `${name} is not one of ${[...values].sort().join(', ')}`, 'Pass one of them');
};

const parseName = (text: string): string => {
  const name = text.trim().replace(/ {2,}/g, ' ');
  const hint = 'Name it as people would ask for it, such as pg-boss or event sourcing';
  if (name === '' || name.length > LIMITS.topic)
    throw new DomainError('VALIDATION', `The name has ${name.length} characters; 1 to ${LIMITS.topic} are allowed`, hint);
  const bad = unstorableInLine(name);
  if (bad) throw new DomainError('VALIDATION', `The name holds ${bad.name} at position ${bad.position}`, 'A name is one line');
  if (!/[\p{L}\p{N}]/u.test(name)) throw new DomainError('VALIDATION', 'The name has no letter or digit', hint);
  return name;
};

/** Without our own framing. A blank text says nothing, and leaves what is known. */
const parseText = (name: string, text: string | undefined): string | undefined => {
  const trimmed = withoutFraming(text ?? '').trim();
  if (trimmed === '') return undefined;
  if (trimmed.length > MAX_TEXT)
    throw new DomainError('VALIDATION', `${name} has ${trimmed.length} characters, at most ${MAX_TEXT} fit`, 'Keep what helps next time');
  const bad = unstorableInText(trimmed);
  if (bad)
    throw new DomainError('VALIDATION', `${name} holds ${bad.name} at position ${bad.position}`, 'Remove or escape it, then send again');
  return trimmed;
};
