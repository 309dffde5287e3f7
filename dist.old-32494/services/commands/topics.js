import { parseTopic } from '../../domain/content.js';
import { topicDecider, topicSubject } from '../../domain/topic/topic.js';
import { handleCommand } from '../eventlog/handle.js';
import { stampOf, visibility } from './parts.js';
import { expectFree } from './retag.js';
/** Keeps everything that speaks of a topic out of recall. */
export const suppressTopic = (parts, input, call) => {
    const topic = parseTopic(input.topic);
    const reason = input.reason?.trim() || undefined;
    return changeTopic(parts, topic, { type: 'SuppressTopic', data: { topic, ...(reason && { reason }) } }, call);
};
/** Lets a topic back in; no error when it was not suppressed. */
export const unsuppressTopic = (parts, input, call) => {
    const topic = parseTopic(input.topic);
    return changeTopic(parts, topic, { type: 'UnsuppressTopic', data: { topic } }, call);
};
const changeTopic = async (parts, topic, command, call) => {
    const decider = topicDecider;
    const subject = topicSubject(topic);
    const { appended } = expectFree(await handleCommand(parts.log, decider, [subject], stampOf(parts, call), ([loaded]) => ({
        writes: [{ subject, events: decider.decide(command, loaded?.state ?? decider.initialState()) }],
        result: { topic },
    })));
    const reason = command.type === 'SuppressTopic' ? command.data.reason : undefined;
    return { topic, ...(reason !== undefined && { reason }), ...(await visibility(parts, appended)) };
};
//# sourceMappingURL=topics.js.map