import type { DomainEvent } from '../../domain/catalogue.js';
import type { Recorded } from '../../domain/envelope.js';
import type { Scorable } from '../../domain/scoring.js';
import type { Licence, Namespace, State } from '../../domain/vocabulary.js';
import type { Facets } from '../search/ports.js';

/** What recall keeps of a memory in the process: everything that filters and scores look at, and no text. */
export type Document = Facets &
  Scorable & {
    readonly key: string;
    readonly namespace: Namespace;
    readonly state: State;
    readonly licence: Licence;
    /** The version of the memory that set its present text; a vector made of another one is not its vector. */
    readonly contentVersion: number;
    readonly enrichedFrom: string | undefined;
    readonly reinstateHints: readonly string[];
    /** Epoch milliseconds from which it is left out. */
    readonly expiresAt?: number | undefined;
    /** Keys of memories that say the opposite, while that is not settled. */
    readonly contradicts?: readonly string[] | undefined;
  };

/** The document after one more event of its memory; undefined when there is none (yet, or any more). */
export const evolveDocument = (document: Document | undefined, event: Recorded<DomainEvent>): Document | undefined => {
  if (event.type === 'MemoryForgotten') return undefined;
  if (event.type === 'MemoryRemembered') {
    const { namespace, project, licence, enriched_from, event_date, expires_at } = event.data;
    return {
      key: event.envelope.subject,
      namespace,
      state: 'active',
      project,
      licence,
      createdAt: Date.parse(event.envelope.at),
      contentVersion: event.envelope.n,
      isFact: enriched_from !== undefined,
      enrichedFrom: enriched_from,
      eventDate: event_date === undefined ? undefined : Date.parse(event_date),
      reinstateHints: [],
      ...(expires_at !== undefined && { expiresAt: Date.parse(expires_at) }),
    };
  }
  if (document === undefined) return undefined;
  switch (event.type) {
    case 'MemoryRevised':
      return { ...document, contentVersion: event.envelope.n };
    case 'MemoryDeprioritised':
      return { ...document, state: 'deprioritised', reinstateHints: event.data.reinstate_hints };
    case 'MemoryArchived':
      return { ...document, state: 'archived' };
    case 'MemoryReinstated':
      return { ...document, state: 'active' };
    case 'LicenceStamped':
      return { ...document, licence: event.data.licence };
    case 'ExperienceRecorded':
      return { ...document, outcome: event.data.outcome, effort: event.data.effort_score };
    case 'ContradictionFlagged':
      return { ...document, contradicts: [...new Set([...(document.contradicts ?? []), event.data.with])] };
    case 'ContradictionResolved':
      return { ...document, contradicts: document.contradicts?.filter((key) => key !== event.data.with) };
    default:
      return document;
  }
};

/** The text of an event that words are searched in, or undefined when it sets none. */
export const searchableText = (event: Recorded<DomainEvent>): string | undefined => {
  if (event.type === 'MemoryRemembered') return event.data.title ? `${event.data.title}\n${event.data.content}` : event.data.content;
  return event.type === 'MemoryRevised' ? event.data.content : undefined;
};
