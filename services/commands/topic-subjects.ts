import { createHash } from 'node:crypto';
import { erases } from '../../domain/erasure.js';
import { isDomainError } from '../../domain/errors.js';
import { plainTopicSubject, topicSubject } from '../../domain/topic/topic.js';
import type { EventLog } from '../eventlog/log.js';

/** Where the log keeps what somebody suppressed by hand. */
export type TopicPlace = {
  /** The subject that is written. */
  readonly current: string;
  /** Subjects of this log that hold the topic's text now. */
  readonly recorded: readonly string[];
  /** Whether this log ever suppressed it, erased or not. */
  readonly known: boolean;
};

/** Salted with the log's secret, like a claim. A topic that was forgotten and is suppressed again gets the next of its subjects. */
const subjectOf = (salt: string, topic: string, times: number): string =>
  topicSubject(
    createHash('sha256')
      .update(JSON.stringify([salt, 'topic', topic, times]))
      .digest('base64url')
      .slice(0, 22),
  );

type Standing = { readonly subject: string; readonly is: 'new' | 'recorded' | 'gone' };

/** One whose stored bytes cannot be read is recorded all the same. */
const standingOf = async (log: Pick<EventLog, 'load'>, subject: string): Promise<Standing> => {
  try {
    const [history] = await log.load([subject]);
    if (!history || history.version === 0) return { subject, is: 'new' };
    return { subject, is: history.events.length === 0 || erases(history.events.at(-1)?.type) ? 'gone' : 'recorded' };
  } catch (error) {
    if (!isDomainError(error, 'INTERNAL')) throw error;
    return { subject, is: 'recorded' };
  }
};

/** Finds the subject of a topic: the one of older logs while that has it, else the first of its own that was not forgotten. */
export const placeOfTopic = async (log: Pick<EventLog, 'load' | 'salt'>, topic: string): Promise<TopicPlace> => {
  for (let times = 0, recorded: string[] = [], known = false; ; times++) {
    const hashed = subjectOf(log.salt, topic, times);
    const subjects = times === 0 ? [plainTopicSubject(topic), hashed] : [hashed];
    const standings = await Promise.all(subjects.map((subject) => standingOf(log, subject)));
    recorded = [...recorded, ...standings.filter(({ is }) => is === 'recorded').map(({ subject }) => subject)];
    known ||= standings.some(({ is }) => is !== 'new');
    if (standings.at(-1)?.is !== 'gone') return { current: recorded[0] ?? hashed, recorded, known };
  }
};
