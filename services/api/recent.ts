import type { WhyInput, WhyResult } from './audit.js';
import type { Call } from './call.js';
import type { Classification, RecallNotes } from './recall.js';

export type RecentKnowledgeInput = {
  /** 1 to 365. */
  readonly days?: number | undefined;
  readonly feed_name?: string | undefined;
  /** Any of these. */
  readonly topics?: readonly string[] | undefined;
  /** 1 to 50. */
  readonly limit?: number | undefined;
  readonly max_tokens?: number | undefined;
};
export type RecentKnowledgeItem = Classification & {
  readonly key: string;
  readonly title?: string;
  readonly content: string;
  readonly source_url?: string;
  readonly project?: string;
  readonly topics?: readonly string[];
  readonly created_at: string;
  readonly event_date?: string;
  readonly expires_at?: string;
  /** The memory it was drawn from. */
  readonly enriched_from?: string;
};
export type RecentKnowledgeResult = Pick<RecallNotes, 'message' | 'licence_notice' | 'stale' | 'cut'> & {
  /** Newest first. */
  readonly results: readonly RecentKnowledgeItem[];
  /** There is more than `limit`. */
  readonly more?: true;
};

/** What was mentioned, and what is new. */
export type AuditQueries = {
  readonly whyDidYouMention: (input: WhyInput, call: Call) => Promise<WhyResult>;
  readonly recentKnowledge: (input: RecentKnowledgeInput, call: Call) => Promise<RecentKnowledgeResult>;
};
