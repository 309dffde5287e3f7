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

export const systemEvents = [EmbeddingModelChanged, ErasureConfirmed, MigrationApplied] as const;
export type SystemEvent = EventOf<(typeof systemEvents)[number]>;

/** Series without end take a subject per day and no expected version. `at` is ISO, UTC. */
export const systemSubject = (at: string): string => `system:${at.slice(0, 10)}`;
