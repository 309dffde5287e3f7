import { z } from 'zod';
import { defineEvent, type EventOf } from '../event.js';
import { LICENCES, PROVENANCES } from '../vocabulary.js';

/**
 * The whole context of a project. A part that was compiled from memories is kept as their keys in `drawn` and written out when
 * it is read, so that a forgotten memory leaves it; the text of that part is then empty here.
 */
export const ProjectContextSet = defineEvent(
  'ProjectContextSet',
  z.object({
    description: z.string(),
    stack: z.string(),
    goals: z.string(),
    current_state: z.string(),
    notes: z.string().optional(),
    licence: z.enum(LICENCES),
    provenance: z.enum(PROVENANCES),
    /** ISO time at which the context was first set before it came here; only imports know one. */
    created_at: z.iso.datetime().optional(),
    drawn: z
      .object({
        /** Memories whose tags make up the stack. */
        stack: z.array(z.string()).optional(),
        current_state: z.array(z.string()).optional(),
        /** Memories whose breakthroughs, gotchas and dead ends make up the notes. */
        notes: z.array(z.string()).optional(),
      })
      .optional(),
  }),
);

/** `notes` absent: as they were. */
export const ProjectStateUpdated = defineEvent(
  'ProjectStateUpdated',
  z.object({ current_state: z.string(), notes: z.string().optional() }),
);

/** The kinds of work in it, all of them after the change, in the order declared. Empty: considered, and none derivable. */
export const ProjectDomainsDeclared = defineEvent('ProjectDomainsDeclared', z.object({ domains: z.array(z.string()) }));

/** The action that first set the context was undone: there is none, as before. Nothing is erased, so this can be undone in turn. */
export const ProjectContextWithdrawn = defineEvent('ProjectContextWithdrawn', z.object({}));

/** The context is gone; its payloads before this one are erased. A new context may be set under the same name. */
export const ProjectDeleted = defineEvent('ProjectDeleted', z.object({}));

/**
 * What was filed under `from` counts as `into`, or no longer does. Both projects have the event under one correlation; memories
 * keep the name they were written with.
 */
export const ProjectsMerged = defineEvent(
  'ProjectsMerged',
  z.object({ from: z.string().min(1), into: z.string().min(1), undone: z.literal(true).optional() }),
);

export const projectEvents = [
  ProjectContextSet,
  ProjectStateUpdated,
  ProjectDomainsDeclared,
  ProjectContextWithdrawn,
  ProjectDeleted,
  ProjectsMerged,
] as const;

/** What can have happened to one project. */
export type ProjectEvent = EventOf<(typeof projectEvents)[number]>;
