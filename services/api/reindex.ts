import type { Namespace } from '../../domain/vocabulary.js';
import type { Call } from './call.js';

export type ReindexInput = {
  /** Narrows the report; the views are rebuilt whole. */
  readonly namespace?: Namespace | undefined;
};

/** One namespace before and after: what the search index holds, what the log says there is, and what was found in the index alone. */
export type Reindexed = {
  readonly namespace: Namespace;
  readonly before_num_docs: number;
  readonly after_num_docs: number;
  readonly actual_records: number;
  readonly removed_phantoms: number;
  /** Memories that the index had lost. */
  readonly restored: number;
};

export type ReindexResult =
  | {
      readonly status: 'running';
      readonly started_at: string;
      readonly phase: string;
      /** Events read, of those there are; absent until that is known. */
      readonly done?: number;
      readonly total?: number;
      readonly next: string;
    }
  | {
      readonly status: 'ok';
      readonly started_at: string;
      readonly seconds: number;
      readonly reindexed: readonly Reindexed[];
      readonly total_phantoms_removed: number;
      /** Each view with the generation that serves now. */
      readonly views: Readonly<Record<string, number>>;
    };

/** Maintenance that changes no memory. */
export type ReindexCommands = {
  readonly reindex: (input: ReindexInput, call: Call) => Promise<ReindexResult>;
};
