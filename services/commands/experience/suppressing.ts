import { parseTopic } from '../../../domain/content.js';
import { isDomainError } from '../../../domain/errors.js';
import { saysTooLittle } from '../../../domain/graveyard/match.js';
import type { Abandoned } from '../../../domain/memory/events.js';
import type { RecordExperienceResult } from '../../api.js';

export type ToSuppress = {
  /** Names by the topic each becomes. */
  readonly topics: ReadonlyMap<string, string>;
  readonly spared: NonNullable<RecordExperienceResult['not_suppressed']>;
};

const TOO_COMMON = 'It is a common word, so every memory that holds it would be left out of recall; the warning comes all the same.';
const NO_TOPIC = 'It cannot be a topic; the warning comes all the same.';

/** Which names of dead ends become suppressed topics, and which are spared since they would hide far more than is meant. */
export const namesToSuppress = (deadEnds: readonly Abandoned[]): ToSuppress => {
  const topics = new Map<string, string>();
  const spared = new Map<string, string>();
  for (const { name } of deadEnds) {
    const topic = topicOf(name);
    if (topic === undefined) spared.set(name, NO_TOPIC);
    else if (saysTooLittle(name)) spared.set(name, TOO_COMMON);
    else if (!topics.has(topic)) topics.set(topic, name);
  }
  return { topics, spared: [...spared].map(([name, why]) => ({ name, why })) };
};

const topicOf = (name: string): string | undefined => {
  try {
    return parseTopic(name);
  } catch (error) {
    if (isDomainError(error)) return undefined;
    throw error;
  }
};
