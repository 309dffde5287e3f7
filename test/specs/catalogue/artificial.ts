import { z } from 'zod';
import type { DomainEvent } from '../../../domain/catalogue.js';
import { type Catalogue, createCatalogue, defineEvent } from '../../../domain/event.js';
import { MemoryRemembered } from '../../../domain/memory/events.js';

/** A past that never was: version 1 said `text`, version 2 said `content` and one `tag`, version 3 is today's shape. */
const First = z.object({ text: z.string().min(1) });
const Second = z.object({ content: z.string().min(1), tag: z.string().optional() });

const toSecond = (old: unknown): unknown => ({ content: First.parse(old).text });
const toThird = (old: unknown): unknown => {
  const { content, tag } = Second.parse(old);
  return { namespace: 'episodic', content, tags: tag ? [tag] : [], mode: 'raw', licence: 'own', provenance: 'concluded' };
};

/** What a program of each of the three ages knew. Their events have other types than today's, hence the casts. */
export const ages = {
  first: createCatalogue([defineEvent('MemoryRemembered', First)]) as unknown as Catalogue<DomainEvent>,
  second: createCatalogue([defineEvent('MemoryRemembered', Second, [toSecond])]) as unknown as Catalogue<DomainEvent>,
  third: createCatalogue<DomainEvent>([defineEvent('MemoryRemembered', MemoryRemembered.data, [toSecond, toThird])]),
};

export const oldEvent = (data: unknown): DomainEvent => ({ type: 'MemoryRemembered', data }) as DomainEvent;
