import { z } from 'zod';
import { defineEvent, type EventOf } from '../event.js';
import { ABANDONED_TYPES, CHUNK_STRATEGIES, INGEST_MODES, LICENCES, NAMESPACES, OUTCOMES, PROVENANCES } from '../vocabulary.js';

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
    /** ISO time from which recall leaves it out; it is archived by the next maintenance, never deleted. */
    expires_at: z.iso.datetime().optional(),
    /** ISO time of its last change before it came here, where no event of its own carries it; only imports know one. */
    changed_at: z.iso.datetime().optional(),
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

/**
 * Whoever brings back what has expired wants it, whatever its date said, so that the expiry is lifted. With `keeps_expiry` it is
 * put back as it was, date and all: an action was undone, and nobody asked for more.
 */
export const MemoryReinstated = defineEvent('MemoryReinstated', z.object({ keeps_expiry: z.literal(true).optional() }));

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

/** Something that was tried and given up. */
export const Abandoned = z.object({
  name: z.string().min(1),
  type: z.enum(ABANDONED_TYPES),
  reason: z.string(),
  /** ISO. */
  attempted_at: z.iso.datetime(),
});
export type Abandoned = z.infer<typeof Abandoned>;

/** What the work behind a memory was like. All of it after the change: a field that is absent is not known. */
export const ExperienceRecorded = defineEvent(
  'ExperienceRecorded',
  z.object({
    /** 1 (first try) to 5 (near abandonment). */
    effort_score: z.number().int().min(1).max(5).optional(),
    outcome: z.enum(OUTCOMES).optional(),
    iterations: z.number().int().positive().optional(),
    breakthrough: z.string().min(1).optional(),
    gotchas: z.string().min(1).optional(),
    abandoned_approaches: z.array(Abandoned),
    /** Why a dead end that was known is no longer among them. */
    reason: z.string().optional(),
  }),
);

/** One more dead end of this memory. */
export const ApproachAbandoned = defineEvent('ApproachAbandoned', Abandoned);

/**
 * This memory and `with` say opposite things; the other one has the same event under the same correlation. `cue` is the pair of
 * words or values that showed it (`always/never`); what a model wrote about the two texts is answered and not kept here.
 */
export const ContradictionFlagged = defineEvent(
  'ContradictionFlagged',
  z.object({
    with: z.string().min(1),
    method: z.enum(['heuristic', 'api_confirmed']),
    cue: z.string().max(80).optional(),
    similarity: z.number().optional(),
    confidence: z.number().min(0).max(1).optional(),
  }),
);

/** The pair is settled. `keep` names the one that holds; absent when both do or the flag was wrong. */
export const ContradictionResolved = defineEvent(
  'ContradictionResolved',
  z.object({ with: z.string().min(1), keep: z.string().min(1).optional(), note: z.string().optional() }),
);

/** Facts were drawn from the text that version `of` set; their keys. A later wording is enriched again. */
export const EnrichmentFinished = defineEvent(
  'EnrichmentFinished',
  z.object({ of: z.number().int().positive(), facts: z.array(z.string()), model: z.string(), skipped: z.number().int().nonnegative() }),
);

/** The model failed so often on the text that version `of` set that it is left until somebody asks again. */
export const EnrichmentParked = defineEvent(
  'EnrichmentParked',
  z.object({ of: z.number().int().positive(), code: z.string().min(1).max(80), attempts: z.number().int().positive() }),
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
  ExperienceRecorded,
  ApproachAbandoned,
  ContradictionFlagged,
  ContradictionResolved,
  EnrichmentFinished,
  EnrichmentParked,
] as const;

/** What can have happened to one memory. A recorded event is never edited. */
export type MemoryEvent = EventOf<(typeof memoryEvents)[number]>;

/** What a memory is remembered with. */
export type Remembered = z.infer<typeof MemoryRemembered.data>;
