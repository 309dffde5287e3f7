import type { Redis } from 'iovalkey';
import type { ScoringSettings } from '../../domain/scoring.js';
import type { Keys } from '../../projections/keys.js';
import type { RecallIndex } from '../../projections/recall/recall-index.js';
import type { Model } from '../../projections/recall/space.js';
import type { Embedder, ModelIdentity } from '../embedding/port.js';
import type { EventLog } from '../eventlog/log.js';
import type { Model as LanguageModel } from '../llm/port.js';
import type { SessionReads } from '../session-reads.js';
import type { Expander } from './expansion.js';

/** How far the views are behind the log's head after a bounded wait; absent when they are not. */
export type Stale = { readonly events: number; readonly note: string };

/** Stages of a recall, in seconds, for the metrics. */
export type RecallStage = 'wait' | 'embed' | 'search' | 'score' | 'rows' | 'total';

/** What queries are made of. */
export type QueryParts = {
  readonly log: EventLog;
  readonly redis: Redis;
  readonly keys: Keys;
  readonly index: RecallIndex;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The embedder of a vector space, when one is ready here. */
  readonly embedderFor: (modelId: string) => Promise<Embedder | undefined>;
  /** Why recall is lexical, in words for people, while no vectors serve. */
  readonly lexicalBecause: () => string;
  readonly scoring: ScoringSettings;
  readonly topK: number;
  /** The language model; undefined without a key. */
  readonly model: LanguageModel | undefined;
  /** Rephrases queries. */
  readonly expansion: { readonly byDefault: boolean; readonly expand: Expander };
  /** Days without a change after which an active episodic memory is called stale. */
  readonly staleMemoryDays: number;
  /** The relevance below which nothing is a match: that of the model whose vectors are searched, or of words alone. */
  readonly floor: (model?: ModelIdentity) => number;
  /** Why the vectors of this model serve while another one is configured, in words for people; undefined while all is well. */
  readonly vectorsNote: (served: Model) => string | undefined;
  /** Tokens that no answer may exceed. */
  readonly maxTokens: number;
  /** Waits, with a bound, until the views have met the log's head. */
  readonly fresh: () => Promise<Stale | undefined>;
  /** What the sessions of this process have read of projects. */
  readonly reads: SessionReads;
  /** Told that somebody was briefed on a project. Must not throw. */
  readonly onBriefed: (project: string) => void;
  readonly observe: (stage: RecallStage, milliseconds: number) => void;
  readonly onTrouble: (message: string, error?: unknown) => void;
};
