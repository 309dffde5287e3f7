import type { Redis } from 'iovalkey';
import { DomainError } from '../../../domain/errors.js';
import type { Filter, VectorHit } from '../ports.js';
import { Ceilings } from './ceilings.js';
import { countMatching, type Found, matching, nearest } from './commands.js';
import { refusalOf } from './errors.js';
import { compileFilter, EVERYTHING, passing } from './filter.js';
import { bestFirst, type Candidate, candidateOf, HIT_FIELDS, ROW_FIELDS } from './hits.js';
import type { IndexLifecycle } from './lifecycle.js';
import type { Notes } from './notes.js';

export type SearcherParts = {
  readonly redis: Redis;
  readonly name: string;
  readonly timeoutMs: number;
  readonly patienceMs: number;
  readonly lifecycle: IndexLifecycle;
  readonly notes: Notes;
  /** What is known to be in the index. */
  readonly size: () => { readonly memories: number; readonly windows: number };
};

/** Rows that are looked at for one answer: the module's own ceiling for k, where nobody has set it lower. */
const FETCH_MOST = 10_000;
/** The graph's order is approximate and that of single precision: ask for some more and score again. */
const FETCH_SPARE = 16;
/** How much more is asked for at once when part of the filter is applied afterwards, and each time an answer is too small. */
const WIDER = 4;
const EF_LEAST = 100;
/** Up to so many windows the whole graph is walked: the answer is exact, and costs less than its journey. */
const EF_WHOLE = 1_000;
const ATTEMPTS = 3;
/** Ranks closer than this may be swapped by single precision. */
const IMPRECISION = 2e-6;

type Search = {
  readonly query: Float32Array;
  readonly k: number;
  readonly expression: string;
  /** What the expression does not say of the filter. */
  readonly after: Filter | undefined;
};

/** Asks the server for neighbours and makes sure that the answer is whole, or counted among the notes. */
export class Searcher {
  #parts: SearcherParts;
  readonly #ceilings = new Ceilings();

  constructor(parts: SearcherParts) {
    this.#parts = parts;
  }

  /** The k best distinct memories under the filter. Rejects with UNAVAILABLE when the server refuses. */
  async nearest(query: Float32Array, k: number, filter: Filter): Promise<VectorHit[]> {
    const compiled = compileFilter(filter);
    if (compiled === 'nothing') return [];
    const { notes } = this.#parts;
    if (compiled.after) notes.add('filtered_after');
    const search = { query, k, ...compiled };
    try {
      return await this.#attempt(search);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === 'no-index') return this.#again(search);
      if (refusal !== 'filter') throw this.#told(error);
      notes.add('retried_without_filter');
      return this.#attempt({ query, k, expression: '*', after: filter }).catch((second) => Promise.reject(this.#told(second)));
    }
  }

  /** Once more, over an index made anew. */
  async #again(search: Search): Promise<VectorHit[]> {
    this.#parts.notes.add('lost_index');
    this.#parts.lifecycle.lost();
    return this.#attempt(search).catch((error) => Promise.reject(this.#told(error)));
  }

  #told(error: unknown): unknown {
    const refusal = refusalOf(error);
    if (refusal === undefined) return error;
    if (refusal === 'timed-out') this.#parts.notes.add('timed_out');
    return new DomainError(
      'UNAVAILABLE',
      `The server's vector search refused (${refusal})`,
      HINTS[refusal] ?? 'See the log of the Valkey server',
    );
  }

  /** Asked again when the connection broke meanwhile: the server that answered may still have been filling the index. */
  async #attempt(search: Search): Promise<VectorHit[]> {
    const { lifecycle } = this.#parts;
    for (let attempt = 1; ; attempt++) {
      const { lives } = lifecycle;
      const hits = await this.#once(search);
      if (lives === lifecycle.lives || attempt === ATTEMPTS) return hits;
    }
  }

  async #once(search: Search): Promise<VectorHit[]> {
    const { lifecycle, notes, patienceMs, size } = this.#parts;
    if (!(await lifecycle.settled(patienceMs))) notes.add('while_backfilling');
    const { k, after } = search;
    const { memories, windows } = size();
    const perMemory = memories === 0 ? 1 : windows / memories;
    let fetch = Math.min(FETCH_MOST, Math.ceil((k + FETCH_SPARE) * perMemory * (after ? WIDER : 1)));
    for (;;) {
      const { found, asked } = await this.#fetch(search, fetch);
      const { hits, last } = this.#scored(search, found);
      // Even of k good hits a broken graph may have missed better ones.
      if (found.total < asked) return this.#completed(search, found, hits);
      if (hits.length >= k && last < (hits[k - 1]?.similarity ?? 0) - IMPRECISION) return hits.slice(0, k);
      // The server gives no more neighbours than this; all that match it may still tell.
      if (asked === this.#ceilings.k && this.#ceilings.lowered) return this.#completed(search, found, hits);
      if (asked === FETCH_MOST) {
        if (hits.length < k) notes.add('cut_short');
        return hits.slice(0, k);
      }
      fetch = Math.min(FETCH_MOST, fetch * WIDER);
    }
  }

  /** The server says that there are no more. It is believed when it counts no more, else all that match are compared. */
  async #completed(search: Search, found: Found, hits: VectorHit[]): Promise<VectorHit[]> {
    const { redis, name, timeoutMs, notes } = this.#parts;
    const filter = search.expression === '*' ? EVERYTHING : search.expression;
    const counted = await countMatching(redis, { index: name, filter, timeoutMs });
    if (counted <= found.total) return hits.slice(0, search.k);
    notes.add('short_answers');
    if (counted > FETCH_MOST) {
      notes.add('cut_short');
      return hits.slice(0, search.k);
    }
    const all = await matching(redis, { index: name, filter, fields: ROW_FIELDS, limit: counted, timeoutMs });
    return this.#scored(search, all).hits.slice(0, search.k);
  }

  /** As many neighbours as wanted, or as the server gives at most: `asked` says which. */
  async #fetch({ query, expression }: Search, wanted: number): Promise<{ readonly found: Found; readonly asked: number }> {
    const { redis, name, timeoutMs, size, notes } = this.#parts;
    const { windows } = size();
    const ef = Math.max(EF_LEAST, wanted, windows <= EF_WHOLE ? windows : 0);
    for (;;) {
      const [k, efRuntime] = [Math.min(wanted, this.#ceilings.k), Math.min(ef, this.#ceilings.ef)];
      try {
        const asked = { index: name, filter: expression, vector: query, k, efRuntime, fields: HIT_FIELDS, limit: k, timeoutMs };
        const found = await nearest(redis, asked);
        if (k < wanted || efRuntime < ef) notes.add('server_ceiling');
        return { found, asked: k };
      } catch (error) {
        if (!this.#ceilings.learn(error)) throw error;
      }
    }
  }

  /** The hits that pass, and the similarity of the last row the server gave. */
  #scored({ query, after }: Search, { rows }: Found): { readonly hits: VectorHit[]; readonly last: number } {
    const passes = after ? passing(after) : undefined;
    const candidates: Candidate[] = [];
    let last = Number.NEGATIVE_INFINITY;
    for (const row of rows) {
      const candidate = candidateOf(row, query);
      if (!candidate) this.#parts.notes.add('ghosts');
      else {
        last = candidate.similarity;
        if (passes?.(candidate.facets) ?? true) candidates.push(candidate);
      }
    }
    return { hits: bestFirst(candidates), last };
  }
}

const HINTS: Readonly<Record<string, string>> = {
  memory: 'The server is above its maxmemory: raise it, or forget what is not needed',
  permission: 'Give this user the category @search and the keys of the index',
  loading: 'The server is still reading its data, or waits for its primary: ask again shortly',
  'timed-out': 'Ask again; if it stays, the server is too busy or the index too large for it',
};
