import type { DomainEvent } from '../../domain/catalogue.js';
import type { Recorded } from '../../domain/envelope.js';
import { erases } from '../../domain/erasure.js';
import { isScriptRead } from '../../domain/legibility.js';
import type { Abandoned } from '../../domain/memory/events.js';
import { projectOf } from '../../domain/project/key.js';
import { type ContextTexts, contextText } from '../../domain/project/text.js';
import type { Scorable } from '../../domain/scoring.js';
import type { Licence, Namespace, State } from '../../domain/vocabulary.js';
import type { Facets } from '../search/ports.js';

/** What recall keeps of a memory in the process: everything that filters and scores look at, and no text but dead ends and a project's context. */
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
    /** Absent without any. */
    readonly tags?: readonly string[] | undefined;
    /** Its text is in a script of which the embedding models read too little to say what it is near to. */
    readonly isUnread?: true | undefined;
    /** Epoch milliseconds from which it is left out. */
    readonly expiresAt?: number | undefined;
    /** It had expired already when an undo put it back, so that it is not archived for that again. */
    readonly putBackExpired?: boolean | undefined;
    /** Keys of memories that say the opposite, while that is not settled. */
    readonly contradicts?: readonly string[] | undefined;
    /** Dead ends: questions are held against their names. */
    readonly abandoned?: readonly Abandoned[] | undefined;
    /** Of the context of a project, which is no memory: its parts, since an update names only some of them. */
    readonly context?: ContextTexts | undefined;
  };

/** Whether recall leaves it out by now (epoch milliseconds). */
export const hasExpired = ({ expiresAt }: Pick<Document, 'expiresAt'>, now: number): boolean => expiresAt !== undefined && expiresAt <= now;

const NO_HINTS: readonly string[] = [];

/** Hints that bring it back: those of a memory that is put aside. */
export const hintsOf = ({ state, reinstateHints }: Document): readonly string[] => (state === 'deprioritised' ? reinstateHints : NO_HINTS);

/** The document after one more event of its memory; undefined when there is none (yet, or any more). */
export const evolveDocument = (document: Document | undefined, event: Recorded<DomainEvent>): Document | undefined => {
  const after = changed(document, event);
  return after === undefined || after === document ? after : { ...after, version: event.envelope.n };
};

const changed = (document: Document | undefined, event: Recorded<DomainEvent>): Document | undefined => {
  if (erases(event.type) || event.type === 'ProjectContextWithdrawn') return undefined;
  if (event.type === 'MemoryRemembered') {
    const { namespace, project, licence, enriched_from, event_date, expires_at, tags, content } = event.data;
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
      ...(tags.length > 0 && { tags }),
      ...unread(content),
      ...(expires_at !== undefined && { expiresAt: Date.parse(expires_at) }),
    };
  }
  if (event.type === 'ProjectContextSet') return withContext(document, event, event.data);
  if (document === undefined) return undefined;
  switch (event.type) {
    case 'MemoryRevised':
      return { ...document, isUnread: undefined, ...unread(event.data.content), contentVersion: event.envelope.n };
    case 'MemoryRetagged':
      return { ...document, tags: event.data.tags.length > 0 ? event.data.tags : undefined };
    case 'MemoryDeprioritised':
      return { ...document, state: 'deprioritised', reinstateHints: event.data.reinstate_hints };
    case 'MemoryArchived':
      return { ...document, state: 'archived' };
    case 'MemoryReinstated': {
      const expired = hasExpired(document, Date.parse(event.envelope.at));
      // Whoever brings back what has expired wants it, whatever its date said; an undo puts it back with its date.
      const expiry = event.data.keeps_expiry === true ? { putBackExpired: true } : { expiresAt: undefined };
      return { ...document, state: 'active', ...(expired && expiry) };
    }
    case 'LicenceStamped':
      return { ...document, licence: event.data.licence };
    case 'ExperienceRecorded':
      return {
        ...document,
        outcome: event.data.outcome,
        effort: event.data.effort_score,
        abandoned: event.data.abandoned_approaches,
      };
    case 'ApproachAbandoned':
      return { ...document, abandoned: [...(document.abandoned ?? []), event.data] };
    case 'ContradictionFlagged':
      return { ...document, contradicts: [...new Set([...(document.contradicts ?? []), event.data.with])] };
    case 'ContradictionResolved':
      return { ...document, contradicts: document.contradicts?.filter((key) => key !== event.data.with) };
    case 'ProjectStateUpdated': {
      const { current_state, notes = document.context?.notes } = event.data;
      return document.context ? withContext(document, event, { ...document.context, current_state, notes }) : document;
    }
    default:
      return document;
  }
};

const unread = (content: string): Pick<Document, 'isUnread'> => (isScriptRead(content) ? {} : { isUnread: true });

const withContext = (
  before: Document | undefined,
  { envelope }: Recorded<DomainEvent>,
  { description, stack, goals, current_state, notes }: ContextTexts,
): Document => ({
  key: envelope.subject,
  namespace: 'project',
  state: before?.state ?? 'active',
  project: projectOf(envelope.subject),
  licence: 'own',
  createdAt: before?.createdAt ?? Date.parse(envelope.at),
  contentVersion: envelope.n,
  isFact: false,
  enrichedFrom: undefined,
  reinstateHints: before?.reinstateHints ?? [],
  context: { description, stack, goals, current_state, ...(notes !== undefined && { notes }) },
});

/** Events that set what words are searched in. */
const SETS_TEXT: ReadonlySet<string> = new Set(['MemoryRemembered', 'MemoryRevised', 'ProjectContextSet', 'ProjectStateUpdated']);

export const setsText = (event: Recorded<DomainEvent>): boolean => SETS_TEXT.has(event.type);

/** The text that words are searched in after an event, or undefined when it sets none. `after` is the document it made. */
export const searchableText = (event: Recorded<DomainEvent>, after: Document | undefined): string | undefined => {
  if (after?.context && setsText(event)) return contextText(after.project ?? '', after.context);
  if (event.type === 'MemoryRemembered') return event.data.title ? `${event.data.title}\n${event.data.content}` : event.data.content;
  return event.type === 'MemoryRevised' ? event.data.content : undefined;
};
