import { parseTopic } from '../../domain/content.js';
import type { Decider } from '../../domain/decider.js';
import { type Topic, type TopicCommand, type TopicEvent, topicDecider, topicSubject } from '../../domain/topic/topic.js';
import type { Call, TopicInput, TopicResult } from '../api.js';
import { handleCommand } from '../eventlog/handle.js';
import { type CommandParts, stampOf, visibility } from './parts.js';
import { parseOptionalReason } from './reasons.js';
import { expectFree } from './retag.js';

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

const changeTopic = async (parts: CommandParts, topic: string, command: TopicCommand, call: Call): Promise<TopicResult> => {
  const decider: Decider<Topic, TopicCommand, TopicEvent> = topicDecider;
  const subject = topicSubject(topic);
  const { appended } = expectFree(
    await handleCommand(parts.log, decider, [subject], stampOf(parts, call), ([loaded]) => ({
      writes: [{ subject, events: decider.decide(command, loaded?.state ?? decider.initialState()) }],
      result: { topic },
    })),
  );
  const reason = command.type === 'SuppressTopic' ? command.data.reason : undefined;
  return { topic, ...(reason !== undefined && { reason }), ...(await visibility(parts, appended)) };
};
