import { z } from 'zod';
import type { Decider } from '../decider.js';
import { defineEvent, type EventOf } from '../event.js';

/** `topic` is lower-cased and trimmed. */
export const TopicSuppressed = defineEvent('TopicSuppressed', z.object({ topic: z.string().min(1), reason: z.string().optional() }));
export const TopicUnsuppressed = defineEvent('TopicUnsuppressed', z.object({ topic: z.string().min(1) }));

export const topicEvents = [TopicSuppressed, TopicUnsuppressed] as const;
export type TopicEvent = EventOf<(typeof topicEvents)[number]>;

export type TopicCommand =
  | { readonly type: 'SuppressTopic'; readonly data: { readonly topic: string; readonly reason?: string | undefined } }
  | { readonly type: 'UnsuppressTopic'; readonly data: { readonly topic: string } };

export type Topic = { readonly suppressed: boolean; readonly reason: string | undefined };

export const topicSubject = (topic: string): string => `topic:${topic}`;

export const topicDecider: Decider<Topic, TopicCommand, TopicEvent> = {
  initialState: () => ({ suppressed: false, reason: undefined }),
  decide: (command, topic) => {
    switch (command.type) {
      case 'SuppressTopic':
        return topic.suppressed && topic.reason === command.data.reason ? [] : [{ type: 'TopicSuppressed', data: command.data }];
      case 'UnsuppressTopic':
        return topic.suppressed ? [{ type: 'TopicUnsuppressed', data: command.data }] : [];
    }
  },
  evolve: (_topic, event) =>
    event.type === 'TopicSuppressed' ? { suppressed: true, reason: event.data.reason } : { suppressed: false, reason: undefined },
};
