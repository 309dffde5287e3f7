import type { Redis } from 'iovalkey';
import { isMemoryKey } from '../domain/memory/key.js';
import { objectIn } from './damaged.js';
import type { Keys } from './keys.js';
import { add, del, type Projection, remove, set } from './projection.js';

/** `since` is the ISO time of the last event that set it. `holders` are memories whose dead end it is. */
export type Suppression = {
  readonly topic: string;
  readonly reason: string | undefined;
  readonly since: string;
  readonly byHand: boolean;
  readonly holders: readonly string[];
};

const TOPICS = 'topics';
const HOLDERS = 'holders';

/** One row of what people suppressed, and one for each memory that keeps its dead ends out: topic to its reason and time. */
export const suppressions: Projection = {
  name: 'suppressions',
  version: 2,
  handles: ['TopicSuppressed', 'TopicUnsuppressed', 'MemoryForgotten'],
  apply: (event) => {
    const { subject, at } = event.envelope;
    const ofMemory = isMemoryKey(subject);
    const row = ofMemory ? subject : TOPICS;
    switch (event.type) {
      case 'TopicSuppressed': {
        const { topic, reason } = event.data;
        return [set(row, { [topic]: JSON.stringify({ reason, since: at }) }), ...(ofMemory ? [add(HOLDERS, subject)] : [])];
      }
      case 'TopicUnsuppressed':
        return [set(row, { [event.data.topic]: undefined })];
      case 'MemoryForgotten':
        return [del(subject), remove(HOLDERS, subject)];
      default:
        return [];
    }
  },
};

/** Every suppressed topic, by name. A reason that a person gave goes before that of a memory. */
export const readSuppressions = async (redis: Redis, keys: Keys, generation: number): Promise<readonly Suppression[]> => {
  const row = (name: string): Promise<Record<string, string>> => redis.hgetall(keys.row(suppressions.name, generation, name));
  const holders = await redis.zrange(keys.row(suppressions.name, generation, HOLDERS), 0, -1);
  const [byHand = {}, ...held] = await Promise.all([TOPICS, ...holders].map(row));
  const found = new Map<string, Suppression>();
  for (const [topic, json] of Object.entries(byHand)) found.set(topic, { topic, ...said(json), byHand: true, holders: [] });
  for (const [i, holder] of holders.entries()) {
    for (const [topic, json] of Object.entries(held[i] ?? {})) {
      const before = found.get(topic) ?? { topic, ...said(json), byHand: false, holders: [] };
      found.set(topic, { ...before, holders: [...before.holders, holder] });
    }
  }
  return [...found.values()].sort((a, b) => (a.topic < b.topic ? -1 : 1));
};

/** A topic whose field was damaged stays suppressed. */
const said = (json: string): Pick<Suppression, 'reason' | 'since'> => {
  const { reason, since = '' } = objectIn<{ readonly reason?: string; readonly since?: string }>(json) ?? {};
  return { reason, since };
};
