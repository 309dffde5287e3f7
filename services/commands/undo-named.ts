import { isTopicChange, isTopicSubject, type TopicEvent } from '../../domain/topic/topic.js';
import type { UndoneSubject, UndoResult } from '../api.js';
import type { EventLog } from '../eventlog/log.js';

/**
 * An answer with the topics named whose keys show a hash. Read anew for each answer: the log keeps answers for a day, and a
 * topic that is forgotten must not outlive itself there.
 */
export const withTopicsNamed = async (log: Pick<EventLog, 'load'>, answer: UndoResult): Promise<UndoResult> => {
  const subjects = new Set([...answer.restored, ...answer.kept].map(({ key }) => key).filter(isTopicSubject));
  if (subjects.size === 0) return answer;
  const topics = new Map<string, string>();
  for (const { subject, events } of await log.load([...subjects])) {
    const said = (events as readonly TopicEvent[]).findLast(isTopicChange);
    if (said !== undefined && 'topic' in said.data) topics.set(subject, said.data.topic);
  }
  const named = <T extends UndoneSubject>({ key, ...rest }: T) => {
    const topic = topics.get(key);
    return { key, ...(topic !== undefined && { topic }), ...rest };
  };
  return { ...answer, restored: answer.restored.map(named), kept: answer.kept.map(named) };
};
