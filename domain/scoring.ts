import { temporalBoost } from './temporal.js';
import type { Outcome, State } from './vocabulary.js';

const DAY = 86_400_000;

/** A fact extracted from a memory weighs half, so that it never outranks the words it came from. */
export const FACT_WEIGHT = 0.5;
/** What a deprioritised memory scores when a reinstate hint meets the query. */
export const REINSTATE_SCORE = 0.6;

export type ScoringSettings = {
  /** Surface of a deprioritised memory, 0..1. */
  readonly deprioritisedWeight: number;
  /** Days before age counts. */
  readonly recencyDecayDays: number;
};
export const DEFAULT_SCORING: ScoringSettings = { deprioritisedWeight: 0.2, recencyDecayDays: 90 };

/** What a score is made of, each a factor of it. `lexical` and `vector` are the evidence behind `similarity`. */
export type ScoreBreakdown = {
  readonly similarity: number;
  readonly surface: number;
  readonly recency: number;
  readonly experience: number;
  readonly temporal: number;
  /** The product, rounded to 6 digits, or 0.6 for a reinstate candidate. */
  readonly score: number;
  readonly reinstateCandidate?: true;
  readonly lexical?: number;
  readonly vector?: number;
};

/** The side of a memory that scoring looks at. Times are epoch milliseconds. Licence and provenance are absent by design. */
export type Scorable = {
  readonly state: State;
  /** Extracted from another memory. */
  readonly isFact: boolean;
  readonly createdAt: number;
  readonly outcome?: Outcome | undefined;
  /** 1 to 5. */
  readonly effort?: number | undefined;
  readonly eventDate?: number | undefined;
};

export type Evidence = {
  readonly similarity: number;
  readonly lexical?: number | undefined;
  readonly vector?: number | undefined;
  /** The query as asked, not an expansion of it, meets a reinstate hint of the memory. */
  readonly meetsHint?: boolean;
};

/** The question a memory is scored for. */
export type Occasion = { readonly now: number; readonly dateHint?: number | undefined };

export const round6 = (value: number): number => Math.round(value * 1e6) / 1e6;

/** Lifecycle weight: active 1 (a fact 0.5), deprioritised as configured (a fact no more than 0.5), archived 0. */
export const surfaceScore = (state: State, isFact: boolean, deprioritisedWeight: number): number => {
  if (state === 'archived') return 0;
  const ceiling = isFact ? FACT_WEIGHT : 1;
  return state === 'active' ? ceiling : Math.min(ceiling, deprioritisedWeight);
};

/** 1 until `decayDays`, then 5 % less for each 30 days, at least 0.3. A time ahead of `now` or unreadable counts as new. */
export const recency = (createdAt: number, now: number, decayDays: number): number => {
  const late = (now - createdAt) / DAY - decayDays;
  return late > 0 ? Math.max(1 - (0.05 * late) / 30, 0.3) : 1;
};

const OUTCOME_WEIGHT: Readonly<Record<Outcome, number>> = { succeeded: 1, pivoted: 0.7, abandoned: 0.1 };
const EFFORT_WEIGHT = [1, 1.1, 1.25, 1.5, 1.8] as const;

/** Outcome times effort, at most 2. Effort does not lift what was abandoned; without either the weight is 1. */
export const experienceWeight = (outcome: Outcome | undefined, effort: number | undefined): number => {
  if (outcome === 'abandoned') return OUTCOME_WEIGHT.abandoned;
  const base = outcome === undefined ? 1 : OUTCOME_WEIGHT[outcome];
  return round6(Math.min(base * (effort === undefined ? 1 : (EFFORT_WEIGHT[effort - 1] ?? 1)), 2));
};

/** similarity x surface x recency x experience x temporal (contract 18.3), with what each factor was. A reinstate candidate is set to 0.6. */
export const scoreMemory = (
  memory: Scorable,
  evidence: Evidence,
  occasion: Occasion,
  settings: ScoringSettings = DEFAULT_SCORING,
): ScoreBreakdown => {
  const similarity = round6(Math.min(Math.max(evidence.similarity, 0), 1));
  const surface = surfaceScore(memory.state, memory.isFact, settings.deprioritisedWeight);
  const age = round6(recency(memory.createdAt, occasion.now, settings.recencyDecayDays));
  const experience = experienceWeight(memory.outcome, memory.effort);
  const temporal = round6(temporalBoost(occasion.dateHint, memory.eventDate));
  const score = round6(similarity * surface * age * experience * temporal);
  const scored: Mutable<ScoreBreakdown> = { similarity, surface, recency: age, experience, temporal, score };
  if (evidence.meetsHint === true && memory.state === 'deprioritised') {
    scored.score = REINSTATE_SCORE;
    scored.reinstateCandidate = true;
  }
  if (evidence.lexical !== undefined) scored.lexical = evidence.lexical;
  if (evidence.vector !== undefined) scored.vector = evidence.vector;
  return scored;
};

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

type Ranked = { readonly key: string; readonly score: number };

/** Best first; equal scores in the order of their keys, so that one question has one answer. */
export const byScoreThenKey = (a: Ranked, b: Ranked): number => b.score - a.score || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
