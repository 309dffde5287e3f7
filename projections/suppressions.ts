import type { Redis } from 'iovalkey';
import { objectIn } from './damaged.js';
import type { Keys } from './keys.js';
import { type Projection, set } from './projection.js';

/** `since` is the ISO time of the last event that set it. */
export type Suppression = { readonly topic: string; readonly reason: string | undefined; readonly since: string };

const TOPICS = 'topics';

/** One row: suppressed topic to its reason and time. */
export const suppressions: Projection = {
  name: 'suppressions',
  version: 1,
  handles: ['TopicSuppressed', 'TopicUnsuppressed'],
  apply: (event) => {
    switch (event.type) {
      case 'TopicSuppressed': {
        const { topic, reason } = event.data;
        return [set(TOPICS, { [topic]: JSON.stringify({ reason, since: event.envelope.at }) })];
      }
      case 'TopicUnsuppressed':
        return [set(TOPICS, { [event.data.topic]: undefined })];
      default:
        return [];
    }
  },
};

/** Every suppressed topic, by name. */
export const readSuppressions = async (redis: Redis, keys: Keys, generation: number): Promise<readonly Suppression[]> => {
  const topics = await redis.hgetall(keys.row(suppressions.name, generation, TOPICS));
  return Object.entries(topics)
    .map(([topic, json]) => {
      // A topic whose field was damaged stays suppressed.
      const { reason, since = '' } = objectIn<{ readonly reason?: string; readonly since?: string }>(json) ?? {};
      return { topic, reason, since };
    })
    .sort((a, b) => (a.topic < b.topic ? -1 : 1));
};
