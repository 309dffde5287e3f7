import { z } from 'zod';
import { defineEvent, type EventOf } from '../event.js';

/** The vector space that recall serves from changed. `from` is absent the first time. */
export const EmbeddingModelChanged = defineEvent(
  'EmbeddingModelChanged',
  z.object({ from: z.string().optional(), to: z.string().min(1), name: z.string(), dimension: z.number().int().positive() }),
);

/** The bytes of everything forgotten up to `erasures` are gone from the append-only file, too. */
export const ErasureConfirmed = defineEvent('ErasureConfirmed', z.object({ erasures: z.number().int().nonnegative() }));

export const MigrationApplied = defineEvent(
  'MigrationApplied',
  z.object({ number: z.number().int().positive(), name: z.string(), events: z.number().int().nonnegative() }),
);

/** The action `correlation` was taken back, as far as that was possible: numbers of subjects put back, kept and out of reach. */
export const ActionUndone = defineEvent(
  'ActionUndone',
  z.object({
    correlation: z.string().min(1),
    restored: z.number().int().nonnegative(),
    kept: z.number().int().nonnegative(),
    irreversible: z.number().int().nonnegative(),
  }),
);

/** A backup of everything before this event was written; `events` counts those it added to the set `backup`. */
export const BackupTaken = defineEvent(
  'BackupTaken',
  z.object({
    backup: z.string().min(1),
    events: z.number().int().nonnegative(),
    segments: z.number().int().nonnegative(),
    head: z.string(),
    encrypted: z.boolean(),
  }),
);

/** Events came from a backup: all of them, those that were missing at the end, or those that were missing per subject. */
export const LogRestored = defineEvent(
  'LogRestored',
  z.object({
    backup: z.string().min(1),
    mode: z.enum(['restored', 'forwarded', 'merged']),
    log_id: z.string().min(1),
    events: z.number().int().nonnegative(),
    head: z.string(),
  }),
);

/** Maintenance looked through a project, or the whole store; what it changed is under the same correlation. */
export const MaintenanceRan = defineEvent(
  'MaintenanceRan',
  z.object({
    project: z.string().optional(),
    duplicates_archived: z.array(z.string()),
    contradictions_found: z.array(z.tuple([z.string(), z.string()])),
    knowledge_expired: z.array(z.string()),
    /** How many more there were than one run may change. */
    left: z.number().int().nonnegative(),
  }),
);

export const systemEvents = [
  EmbeddingModelChanged,
  ErasureConfirmed,
  MigrationApplied,
  BackupTaken,
  LogRestored,
  ActionUndone,
  MaintenanceRan,
] as const;
export type SystemEvent = EventOf<(typeof systemEvents)[number]>;

const SYSTEM = 'system:';

/** Series without end take a subject per day and no expected version. `at` is ISO, UTC. */
export const systemSubject = (at: string): string => `${SYSTEM}${at.slice(0, 10)}`;

export const isSystemSubject = (subject: string): boolean => subject.startsWith(SYSTEM);
