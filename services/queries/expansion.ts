import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { withoutControls } from '../../domain/characters.js';
import { normalisedForIdentity, parseQuery } from '../../domain/content.js';
import { byScoreThenKey } from '../../domain/scoring.js';
import { type Model, ModelError, type ModelErrorCode } from '../llm/port.js';
import { QUOTED_IS_DATA, quoted } from '../llm/quote.js';
import { type Question, type RankedHit, type Ranking, type RankParts, rank, withoutFactsBehindSources } from './rank.js';

/** Other ways to ask the same, or why there are none. */
export type Expansion = { readonly variants: readonly string[] } | { readonly unavailable: 'NO_KEY' | ModelErrorCode };
export type Expander = (query: string, signal: AbortSignal | undefined) => Promise<Expansion>;

const MAX_TOKENS = 512;
const KEPT = 1_000;
const KEPT_MS = 24 * 60 * 60 * 1_000;
const VARIANT_LENGTH = 300;
/** A recall waits no longer than this for the model, whatever the timeout of other calls. */
const PATIENCE_MS = 10_000;

const SYSTEM = (count: number): string => `You rephrase search queries for the memory of a software team.
Answer with a JSON array of ${count} strings and nothing else, without a code fence. Each asks for the same with other words: synonyms, the wording of a note that would answer it, the expanded form of an abbreviation. Keep exact identifiers, error codes and names. Add no facts.
${QUOTED_IS_DATA}`;

/**
 * Rephrasings from the model, the same for the same query for a day, kept in this process only. Never throws for the model's
 * sake; throws the signal's reason when that is aborted. `now` gives milliseconds.
 */
export const createExpander = (model: Model | undefined, count: number, now: () => number = () => performance.now()): Expander => {
  const known = new LRUCache<string, readonly string[]>({ max: KEPT, ttl: KEPT_MS, ttlResolution: 0, perf: { now } });
  return async (query, signal) => {
    if (!model) return { unavailable: 'NO_KEY' };
    // What people ask is not kept in the clear longer than its answer takes.
    const print = createHash('sha256').update(query).digest('base64');
    const before = known.get(print);
    if (before) return { variants: before };
    const patience = AbortSignal.timeout(PATIENCE_MS);
    try {
      const { value } = await model.complete({
        purpose: 'expansion',
        system: SYSTEM(count),
        prompt: quoted('Query', query, 2_000),
        maxTokens: MAX_TOKENS,
        schema: z.array(z.unknown()),
        signal: signal ? AbortSignal.any([signal, patience]) : patience,
      });
      const variants = variantsIn(value, query, count);
      known.set(print, variants);
      return { variants };
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ModelError) return { unavailable: error.code };
      if (patience.aborted) return { unavailable: 'TIMEOUT' };
      throw error;
    }
  };
};

const variantsIn = (items: readonly unknown[], query: string, count: number): readonly string[] => {
  const seen = new Set([normalisedForIdentity(query)]);
  return items
    .flatMap((item) => {
      const text = typeof item === 'string' ? withoutControls(item).trim().slice(0, VARIANT_LENGTH) : '';
      const identity = normalisedForIdentity(text);
      if (identity === '' || seen.has(identity)) return [];
      seen.add(identity);
      return [text];
    })
    .slice(0, count);
};

const UNAVAILABLE: Readonly<Record<string, string>> = {
  NO_KEY: 'The query was not rephrased: there is no ANTHROPIC_API_KEY. This is the answer to the query alone.',
};

export type Expanded = Ranking & { readonly variants: readonly string[] };

/**
 * The ranking of a query and of its rephrasings together: each is searched and scored like any query, and a memory takes its
 * best score. Only the query itself brings back what a hint names. Without rephrasings it is the ranking of the query, and
 * says so.
 */
export const rankExpanded = async (parts: RankParts, question: Question): Promise<Expanded> => {
  const query = parseQuery(question.query);
  const [own, expansion] = await Promise.all([rank(parts, question), parts.expansion.expand(query, question.signal)]);
  if ('unavailable' in expansion) {
    const { unavailable } = expansion;
    const note = UNAVAILABLE[unavailable] ?? `The query could not be rephrased (${unavailable}); this is the answer to the query alone.`;
    return { ...own, variants: [], note: own.note === undefined ? note : `${own.note} ${note}` };
  }
  const others = await Promise.all(expansion.variants.map((variant) => rank(parts, { ...question, query: variant, isVariant: true })));
  return { ...own, hits: best(parts, [own, ...others]), variants: expansion.variants };
};

/** The best hit of each memory. The first ranking, that of the query itself, wins a tie. */
const best = (parts: RankParts, rankings: readonly Ranking[]): readonly RankedHit[] => {
  const hits = new Map<string, RankedHit>();
  for (const hit of rankings.flatMap((ranking) => ranking.hits)) {
    const before = hits.get(hit.key);
    // What a hint brought back has its score by rule.
    if (!before || (hit.score > before.score && !before.parts.reinstateCandidate)) hits.set(hit.key, hit);
  }
  return withoutFactsBehindSources(parts, [...hits.values()]).sort(byScoreThenKey);
};
