import { z } from 'zod';
import { defineEvent, type EventOf } from '../event.js';
import { CHUNK_STRATEGIES, INGEST_MODES, LICENCES, NAMESPACES, PROVENANCES } from '../vocabulary.js';

const Tags = z.array(z.string());

/** What a memory is born with. A fact drawn from another memory names it in `enriched_from`. */
export const MemoryRemembered = defineEvent(
  'MemoryRemembered',
  z.object({
    namespace: z.enum(NAMESPACES),
    content: z.string().min(1),
    tags: Tags,
    project: z.string().optional(),
    mode: z.enum(INGEST_MODES),
    licence: z.enum(LICENCES),
    licence_note: z.string().optional(),
    provenance: z.enum(PROVENANCES),
    /** Chunks of one document share `doc_id`; `chunk_index` is the place in the document. */
    doc_id: z.string().optional(),
    chunk_index: z.number().int().nonnegative().optional(),
    chunk_strategy: z.enum(CHUNK_STRATEGIES).optional(),
    enriched_from: z.string().optional(),
    source_doc_id: z.string().optional(),
    /** ISO time that the text speaks of; a temporal anchor for recall. */
    event_date: z.iso.datetime().optional(),
    scope: z.enum(['project', 'global']).optional(),
    source_url: z.string().optional(),
    title: z.string().optional(),
    /** Memories that say nearly the same with another value; shown to the person who wrote this one. */
    flagged_against: z.array(z.string()).optional(),
  }),
);

/** A correction. The old wording stays in the timeline. */
export const MemoryRevised = defineEvent('MemoryRevised', z.object({ content: z.string().min(1), reason: z.string().optional() }));

/** `tags` is the whole list after the change. */
export const MemoryRetagged = defineEvent('MemoryRetagged', z.object({ tags: Tags, previous_tags: Tags }));

/** `reinstate_hints` is the whole list after the change. */
export const MemoryDeprioritised = defineEvent(
  'MemoryDeprioritised',
  z.object({ reason: z.string(), reinstate_hints: z.array(z.string()) }),
);

export const MemoryArchived = defineEvent('MemoryArchived', z.object({ reason: z.string().optional() }));

export const MemoryReinstated = defineEvent('MemoryReinstated', z.object({}));

/** Erases every payload before it. Its own holds no text. */
export const MemoryForgotten = defineEvent('MemoryForgotten', z.object({}));

export const LicenceStamped = defineEvent(
  'LicenceStamped',
  z.object({ licence: z.enum(LICENCES), licence_note: z.string().optional(), previous: z.enum(LICENCES) }),
);

export const ProvenanceStamped = defineEvent(
  'ProvenanceStamped',
  z.object({ provenance: z.enum(PROVENANCES), previous: z.enum(PROVENANCES) }),
);

export const memoryEvents = [
  MemoryRemembered,
  MemoryRevised,
  MemoryRetagged,
  MemoryDeprioritised,
  MemoryArchived,
  MemoryReinstated,
  MemoryForgotten,
  LicenceStamped,
  ProvenanceStamped,
] as const;

/** What can have happened to one memory. A recorded event is never edited. */
export type MemoryEvent = EventOf<(typeof memoryEvents)[number]>;

/** What a memory is remembered with. */
export type Remembered = z.infer<typeof MemoryRemembered.data>;
