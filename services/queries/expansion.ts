import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { withoutControls } from '../../domain/characters.js';
import { normalisedForIdentity } from '../../domain/content.js';
import { type Model, ModelError, type ModelErrorCode } from '../llm/port.js';
import { QUOTED_IS_DATA, quoted } from '../llm/quote.js';

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
