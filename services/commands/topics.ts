import { parseTopic } from '../../domain/content.js';
import type { Decider } from '../../domain/decider.js';
import { erases } from '../../domain/erasure.js';
import { DomainError } from '../../domain/errors.js';
import type { AnyEvent } from '../../domain/event.js';
import { type Topic, type TopicCommand, type TopicEvent, topicDecider } from '../../domain/topic/topic.js';
import type { Call, TopicInput, TopicResult } from '../api.js';
import { handleCommand } from '../eventlog/handle.js';
import { PAST, suppressionOf } from './experience/with-topics.js';
import { type CommandParts, stampOf, visibility } from './parts.js';
import { parseOptionalReason } from './reasons.js';
import { expectFree } from './retag.js';
import { placeOfTopic } from './topic-subjects.js';

/** Keeps everything that speaks of a topic out of recall. */
export const suppressTopic = async (parts: CommandParts, input: TopicInput, call: Call): Promise<TopicResult> => {
  const topic = parseTopic(input.topic);
  const reason = parseOptionalReason(input.reason);
  return changeTopic(parts, topic, { type: 'SuppressTopic', data: { topic, ...(reason !== undefined && { reason }) } }, call);
};

/** Lets a topic back in; no error when it was not suppressed. */
export const unsuppressTopic = async (parts: CommandParts, input: TopicInput, call: Call): Promise<TopicResult> => {
  const topic = parseTopic(input.topic);
  return changeTopic(parts, topic, { type: 'UnsuppressTopic', data: { topic } }, call);
};

/** What recall takes for this topic, as it is written where it was suppressed. */
const spellingsOf = async (parts: CommandParts, topic: string): Promise<readonly string[]> => {
  await parts.fresh();
  return [...new Set([topic, ...parts.index.suppressed.spellingsOf(topic)])];
};

const changeTopic = async (parts: CommandParts, topic: string, command: TopicCommand, call: Call): Promise<TopicResult> => {
  const decider: Decider<Topic, TopicCommand, TopicEvent> = topicDecider;
  // What is suppressed by hand is so whatever becomes of those memories; what is let in, is let in by all of them.
  const letsIn = command.type === 'UnsuppressTopic';
  const spellings = letsIn ? await spellingsOf(parts, topic) : [topic];
  // Memories that keep it out, since it is a dead end of theirs, and what a merge brought from another log.
  const holders = letsIn ? spellings.flatMap((spelling) => parts.index.suppressed.holdersOf(spelling)) : [];
  const { current, recorded } = await placeOfTopic(parts.log, topic);
  const subjects = [...new Set([current, ...recorded, ...holders])];
  const decide = (past: readonly AnyEvent[], spelling: string): readonly TopicEvent[] =>
    decider.decide(letsIn ? { ...command, data: { topic: spelling } } : command, suppressionOf(past, spelling));
  const { appended } = expectFree(
    await handleCommand(parts.log, PAST, subjects, stampOf(parts, call), (loaded) => {
      const changing = loaded.filter(({ subject, state }) => (letsIn || subject === current) && !isForgotten(state));
      if (!letsIn && changing.length === 0) throw forgottenMeanwhile();
      return {
        writes: changing.map(({ subject, state }) => ({ subject, events: spellings.flatMap((spelling) => decide(state, spelling)) })),
        // Kept for a day, so it holds none of the text.
        result: {},
      };
    }),
  );
  const reason = command.type === 'SuppressTopic' ? command.data.reason : undefined;
  return { topic, ...(reason !== undefined && { reason }), ...(await visibility(parts, appended)) };
};

const isForgotten = (past: readonly AnyEvent[]): boolean => erases(past.at(-1)?.type);

const forgottenMeanwhile = (): DomainError =>
  new DomainError('CONFLICT', 'The topic was forgotten while it was being suppressed', 'Suppress it again if that is still wanted');
