import { ceilingOf } from './errors.js';

/** What the module takes unless it is set lower (`search.max-vector-knn`, `search.max-vector-ef-runtime`). */
const DEFAULTS = { k: 10_000, ef: 1_000_000 };
/** The settings can be changed while the server runs: what was learnt is asked again after this. */
const LEARNT_FOR_MS = 10 * 60_000;

/**
 * How many neighbours a search may ask for, and how many it may look at. Learnt from the server's refusals, since a user may
 * lack the right to read its settings.
 */
export class Ceilings {
  #values = DEFAULTS;
  #learntAt = Number.NEGATIVE_INFINITY;

  get k(): number {
    return this.#present().k;
  }

  get ef(): number {
    return this.#present().ef;
  }

  /** Whether the server allows fewer neighbours than it does by default. */
  get lowered(): boolean {
    return this.k < DEFAULTS.k;
  }

  /** True when the refusal names a ceiling that was not known: the search is then worth asking again. */
  learn(error: unknown): boolean {
    const ceiling = ceilingOf(error);
    if (!ceiling || ceiling.most < 1 || ceiling.most >= this.#present()[ceiling.of]) return false;
    this.#values = { ...this.#values, [ceiling.of]: ceiling.most };
    this.#learntAt = performance.now();
    return true;
  }

  #present(): typeof DEFAULTS {
    if (performance.now() - this.#learntAt > LEARNT_FOR_MS) this.#values = DEFAULTS;
    return this.#values;
  }
}
