import type { Redis } from 'iovalkey';
import { enrichment, readParked, readPending } from '../../projections/enrichment.js';
import type { Keys } from '../../projections/keys.js';
import { readView } from '../../projections/view.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import type { Failed } from './enricher-board.js';

/** Memories that are enriched by one call of the model: one, or chunks of one document. `again`: somebody asked for it. */
export type Job = { readonly members: readonly string[]; readonly again: boolean };

/** Also the most chunks that go into one call. */
const PAGE = 200;

export type JobSearch = {
  readonly redis: Redis;
  readonly keys: Keys;
  /** Chunks of a document go together. */
  readonly batch: boolean;
  readonly running: ReadonlySet<string>;
  readonly failed: ReadonlyMap<string, Failed>;
  readonly now: number;
};

/** The oldest job of the queue that is neither running nor waiting for its next try, or when the next try is due. */
export const nextJob = async ({
  redis,
  keys,
  batch,
  running,
  failed,
  now,
}: JobSearch): Promise<Job | { readonly due: number | undefined }> => {
  const read = (offset: number) => unavailableWhenDown(() => readView(redis, keys, enrichment, (view) => readPending(view, offset, PAGE)));
  const isReady = ({ key }: { readonly key: string }): boolean => !running.has(key) && (failed.get(key)?.due ?? 0) <= now;
  let due: number | undefined;
  for (let offset = 0; ; offset += PAGE) {
    const page = await read(offset);
    const place = page.findIndex(isReady);
    const first = page[place];
    if (first) {
      // Chunks of a document stand next to each other.
      const chunks = batch && first.docId !== undefined ? await read(offset + place) : [];
      const together = chunks.filter((job) => job.docId === first.docId && isReady(job));
      return { members: (together.length > 0 ? together : [first]).map(({ key }) => key), again: false };
    }
    for (const { key } of page) {
      const wait = failed.get(key)?.due;
      if (wait !== undefined) due = Math.min(due ?? wait, wait);
    }
    if (page.length < PAGE) return { due };
  }
};

/** Everything that was given up, as jobs of one memory each. */
export const parkedJobs = async (redis: Redis, keys: Keys): Promise<readonly Job[]> => {
  const jobs: Job[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await unavailableWhenDown(() => readView(redis, keys, enrichment, (view) => readParked(view, offset, PAGE)));
    jobs.push(...page.map(({ key }) => ({ members: [key], again: true })));
    if (page.length < PAGE) return jobs;
  }
};
