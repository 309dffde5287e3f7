import { z } from 'zod';
import type { Decider } from '../decider.js';
import { defineEvent, type EventOf } from '../event.js';

/** `topic` is lower-cased and trimmed. */
export const TopicSuppressed = defineEvent('TopicSuppressed', z.object({ topic: z.string().min(1), reason: z.string().optional() }));
export const TopicUnsuppressed = defineEvent('TopicUnsuppressed', z.object({ topic: z.string().min(1) }));

/** Erases every payload of the topic before it. What it happened to is never written again: the topic gets another subject. */
export const TopicForgotten = defineEvent('TopicForgotten', z.object({}));

export const topicEvents = [TopicSuppressed, TopicUnsuppressed, TopicForgotten] as const;
export type TopicEvent = EventOf<(typeof topicEvents)[number]>;
/** What says something of a topic. */
export type TopicChange = Exclude<TopicEvent, { type: 'TopicForgotten' }>;

export const isTopicChange = (event: { readonly type: string }): boolean =>
  event.type === 'TopicSuppressed' || event.type === 'TopicUnsuppressed';

export type TopicCommand =
  | { readonly type: 'SuppressTopic'; readonly data: { readonly topic: string; readonly reason?: string | undefined } }
  | { readonly type: 'UnsuppressTopic'; readonly data: { readonly topic: string } };

const NOT_SUPPRESSED = { suppressed: false, reason: undefined } as const;

export type Topic = { readonly suppressed: boolean; readonly reason: string | undefined };

const PREFIX = 'topic:';
/** No topic holds an upper-case letter, so no older subject looks like this. */
const HASHED = /^topic:H:[A-Za-z0-9_-]{22}$/;

/** The subject of a topic that was suppressed by hand. It names the topic by a hash of 22 characters of base64url, so that its text can be erased. */
export const topicSubject = (hash: string): string => `${PREFIX}H:${hash}`;

/** What older versions called it: a name that the log never changes, with the text in it. */
export const plainTopicSubject = (topic: string): string => PREFIX + topic;

/** Whether a subject is a topic that was suppressed by hand. */
export const isTopicSubject = (subject: string): boolean => subject.startsWith(PREFIX);

/** Whether the text of the topic is part of its subject, where nothing erases it. */
export const namesItsTopic = (subject: string): boolean => isTopicSubject(subject) && !HASHED.test(subject);

export const topicDecider: Decider<Topic, TopicCommand, TopicEvent> = {
  initialState: () => NOT_SUPPRESSED,
  decide: (command, topic) => {
    switch (command.type) {
      case 'SuppressTopic':
        return topic.suppressed && topic.reason === command.data.reason ? [] : [{ type: 'TopicSuppressed', data: command.data }];
      case 'UnsuppressTopic':
        return topic.suppressed ? [{ type: 'TopicUnsuppressed', data: command.data }] : [];
    }
  },
  evolve: (_topic, event) => (event.type === 'TopicSuppressed' ? { suppressed: true, reason: event.data.reason } : NOT_SUPPRESSED),
};
