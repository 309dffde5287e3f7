import type { Call, Staleness } from './call.js';

/** What becomes of a memory that was stored: facts will be drawn from it, would be if there were a model, or none are wanted. */
export type Enriching = 'queued' | 'batch_queued' | 'off' | 'none';

export type QueueStatusResult = Staleness & {
  /** Memories whose facts are not there yet, those that are worked on now included. */
  readonly pending: number;
  readonly in_flight: number;
  /** Given up after repeated failures; the first 50. */
  readonly parked: readonly { readonly key: string; readonly code: string; readonly attempts: number }[];
  readonly parked_total: number;
  /** ISO time of the oldest text that waits. */
  readonly oldest_pending_at?: string;
  readonly enrichment: 'on' | 'off';
  /** Somebody asked to try again, and no worker has taken that up yet. */
  readonly retry_waits?: true;
  /** What keeps it from going on. */
  readonly trouble?: { readonly code: string; readonly since: string; readonly failures: number; readonly stopped: boolean };
  readonly note?: string;
};

export type EnrichmentQueries = { readonly queueStatus: (call: Call) => Promise<QueueStatusResult> };
