import type { Redis } from 'iovalkey';
import { isTopicSubject, plainTopicSubject } from '../domain/topic/topic.js';
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

/** A topic that somebody suppressed by hand, and that the log holds the text of, also when it was let back in. */
export type RecordedTopic = {
  readonly topic: string;
  readonly subject: string;
  readonly reason: string | undefined;
  /** The ISO time of the last event about it. */
  readonly since: string;
  readonly letIn: boolean;
};

/** Where versions before the third kept what people suppressed: read while such a view serves and the next is being built. */
export const ROW_OF_ALL_TOPICS = 'topics';
const HOLDERS = 'holders';

/**
 * A row for each topic that somebody suppressed by hand, under its subject, which says so when it was let in again; and one for each
 * memory that keeps its dead ends out: topic to its reason and time.
 */
export const suppressions: Projection = {
  name: 'suppressions',
  version: 3,
  handles: ['TopicSuppressed', 'TopicUnsuppressed', 'TopicForgotten', 'MemoryForgotten'],
  apply: (event) => {
    const { subject, at } = event.envelope;
    switch (event.type) {
      case 'TopicSuppressed': {
        const { topic, reason } = event.data;
        return [set(subject, { [topic]: JSON.stringify({ reason, since: at }) }), add(HOLDERS, subject)];
      }
      case 'TopicUnsuppressed': {
        const { topic } = event.data;
        if (!isTopicSubject(subject)) return [set(subject, { [topic]: undefined })];
        return [set(subject, { [topic]: JSON.stringify({ since: at, letIn: true }) }), add(HOLDERS, subject)];
      }
      case 'TopicForgotten':
      case 'MemoryForgotten':
        return [del(subject), remove(HOLDERS, subject)];
      default:
        return [];
    }
  },
};

/** Every suppressed topic, by name. A reason that a person gave goes before that of a memory. */
export const readSuppressions = async (redis: Redis, keys: Keys, generation: number): Promise<readonly Suppression[]> => {
  const found = new Map<string, Suppression>();
  const held = await heldTopics(redis, keys, generation);
  for (const { topic, subject, reason, since, letIn } of [...held].sort((a, b) => rank(a) - rank(b))) {
    if (letIn) continue;
    const byHand = isTopicSubject(subject);
    const before = found.get(topic) ?? { topic, reason, since, byHand, holders: [] };
    found.set(topic, byHand ? before : { ...before, holders: [...before.holders, subject] });
  }
  return [...found.values()].sort((a, b) => (a.topic < b.topic ? -1 : 1));
};

/** Every topic that somebody suppressed by hand and nobody forgot, by name. */
export const readRecordedTopics = async (redis: Redis, keys: Keys, generation: number): Promise<readonly RecordedTopic[]> =>
  (await heldTopics(redis, keys, generation)).filter(({ subject }) => isTopicSubject(subject)).sort((a, b) => (a.topic < b.topic ? -1 : 1));

const rank = ({ subject }: RecordedTopic): number => (isTopicSubject(subject) ? 0 : 1);

const heldTopics = async (redis: Redis, keys: Keys, generation: number): Promise<RecordedTopic[]> => {
  const row = (name: string): string => keys.row(suppressions.name, generation, name);
  const holders = await redis.zrange(row(HOLDERS), 0, -1);
  const rows = await Promise.all(holders.map((holder) => redis.hgetall(row(holder))));
  const older = Object.entries(await redis.hgetall(row(ROW_OF_ALL_TOPICS)));
  return [
    ...older.map(([topic, json]) => ({ topic, subject: plainTopicSubject(topic), ...said(json) })),
    ...holders.flatMap((subject, i) => Object.entries(rows[i] ?? {}).map(([topic, json]) => ({ topic, subject, ...said(json) }))),
  ];
};

/** A topic whose field was damaged stays suppressed. */
const said = (json: string): Pick<RecordedTopic, 'reason' | 'since' | 'letIn'> => {
  const { reason, since = '', letIn = false } = objectIn<{ reason?: string; since?: string; letIn?: boolean }>(json) ?? {};
  return { reason, since, letIn };
};
