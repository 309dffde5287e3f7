import { setTimeout as delay } from 'node:timers/promises';
import { isDomainError } from '../../domain/errors.js';
import { countEnrichment, enrichment, readParked, readPending } from '../../projections/enrichment.js';
import { readView } from '../../projections/view.js';
import type { Call, QueueStatusResult } from '../api.js';
import { type Board, readBoard } from '../jobs/enricher-board.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import type { QueryParts } from './parts.js';

const SHOWN = 50;
const PATIENCE_MS = 2_000;
const LOOK_MS = 50;
/** Failures in a row from which it is more than a hiccup. */
const FAILING = 3;

/** How enrichment stands: counted from the view, with what the worker itself says. */
export type EnrichmentStanding = {
  readonly on: boolean;
  readonly pending: number;
  readonly parked: number;
  readonly running: number;
  readonly trouble: Board['trouble'];
  /** A request to try again waits for the worker. */
  readonly asked: boolean;
};

export const enrichmentStanding = async ({
  redis,
  keys,
  model,
}: Pick<QueryParts, 'redis' | 'keys' | 'model'>): Promise<EnrichmentStanding> => {
  const [counts, { running, trouble, again }] = await Promise.all([
    readView(redis, keys, enrichment, countEnrichment),
    readBoard(redis, keys),
  ]);
  return { on: model !== undefined, ...counts, running: running.length, trouble: model && trouble, asked: again.size > 0 };
};

/** Whether failures in a row are more than a hiccup. */
export const isFailing = ({ trouble }: EnrichmentStanding): boolean => (trouble?.count ?? 0) >= FAILING;

/** What waits to be enriched, what is worked on, and what was given up. `pending` is 0 once every fact is there. */
export const queueStatus = async (parts: QueryParts, _call: Call): Promise<QueueStatusResult> => {
  const stale = await parts.fresh();
  const { redis, keys } = parts;
  return onceServed(() =>
    unavailableWhenDown(async () => {
      const [standing, parked, [oldest]] = await Promise.all([
        enrichmentStanding(parts),
        readView(redis, keys, enrichment, (view) => readParked(view, 0, SHOWN)),
        readView(redis, keys, enrichment, (view) => readPending(view, 0, 1)),
      ]);
      const { on, pending, running, trouble } = standing;
      const note = noteOf(standing);
      return {
        pending,
        in_flight: on ? running : 0,
        parked: parked.map(({ key, code, attempts }) => ({ key, code, attempts })),
        parked_total: standing.parked,
        ...(oldest && { oldest_pending_at: oldest.since }),
        enrichment: on ? ('on' as const) : ('off' as const),
        ...(standing.asked && { retry_waits: true as const }),
        ...(trouble && { trouble: { code: trouble.code, since: trouble.since, failures: trouble.count, stopped: trouble.stopped } }),
        ...(note !== undefined && { note }),
        ...(stale && { stale }),
      };
    }),
  );
};

/** Right after the start the view is being built: that is worth a moment. */
const onceServed = async <T>(read: () => Promise<T>): Promise<T> => {
  for (const end = performance.now() + PATIENCE_MS; ; await delay(LOOK_MS)) {
    try {
      return await read();
    } catch (error) {
      if (!isDomainError(error, 'UNAVAILABLE') || performance.now() > end) throw error;
    }
  }
};

const noteOf = ({ on, pending, parked, trouble }: EnrichmentStanding): string | undefined => {
  if (!on) {
    const waiting = pending > 0 ? ` ${pending} memories of full mode wait for one.` : '';
    return `There is no ANTHROPIC_API_KEY, so no facts are drawn: new memories are kept as they are (raw).${waiting}`;
  }
  if (trouble?.stopped) {
    return `Enrichment stands still: ${trouble.message}. Mend the setting and restart, or run omnimem enrich. Nothing was given up.`;
  }
  if (trouble) return `The last ${trouble.count} calls failed (${trouble.message}). They are tried again, ever more slowly.`;
  return parked > 0 ? `${parked} memories were given up after repeated failures; omnimem enrich --parked tries them again.` : undefined;
};
