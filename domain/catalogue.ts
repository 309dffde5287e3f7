import { createCatalogue } from './event.js';
import { type MemoryEvent, memoryEvents } from './memory/events.js';
import { type ProjectEvent, projectEvents } from './project/events.js';
import { type SystemEvent, systemEvents } from './system/events.js';
import { type TopicEvent, topicEvents } from './topic/topic.js';

/** Everything that can happen. */
export type DomainEvent = MemoryEvent | ProjectEvent | TopicEvent | SystemEvent;

/** The whole catalogue: names, shapes, versions and upcasters. */
export const catalogue = createCatalogue<DomainEvent>([...memoryEvents, ...projectEvents, ...topicEvents, ...systemEvents]);
