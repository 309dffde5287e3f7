import { fold } from '../../../domain/decider.js';
import type { AnyEvent } from '../../../domain/event.js';
import type { MemoryEvent } from '../../../domain/memory/events.js';
import { type Memory, memoryDecider } from '../../../domain/memory/memory.js';
import { type Topic, type TopicEvent, topicDecider } from '../../../domain/topic/topic.js';

/** A memory holds the topics that its dead ends became beside what it says itself, so what is loaded of it is its events. */
export const PAST = {
  initialState: (): readonly AnyEvent[] => [],
  evolve: (past: readonly AnyEvent[], event: AnyEvent): readonly AnyEvent[] => [...past, event],
};

export const memoryOf = (past: readonly AnyEvent[] | undefined): Memory =>
  fold<Memory, MemoryEvent>(memoryDecider, (past ?? []) as readonly MemoryEvent[]);

/** What these events of one subject say of a topic. */
export const suppressionOf = (past: readonly AnyEvent[] | undefined, topic: string): Topic =>
  fold<Topic, TopicEvent>(
    topicDecider,
    ((past ?? []) as readonly TopicEvent[]).filter(
      ({ type, data }) => (type === 'TopicSuppressed' || type === 'TopicUnsuppressed') && data.topic === topic,
    ),
  );

/** The reason of a topic that is suppressed since it is a dead end of this memory. */
export const givenUp = (key: string): string => `given up: ${key}`;
