import type { Figure } from './figures.js';
import type { Stores } from './stores.js';

export type Context = {
  readonly quick: boolean;
  /** Memories of the stores to measure at. */
  readonly sizes: readonly number[];
  /** Stores by size, made once a run. */
  readonly stores: Stores;
  /** The folder of the real model, or why there is none. */
  readonly model: () => Promise<{ readonly dir: string } | { readonly missing: string }>;
  readonly say: (text: string) => void;
};

export type Scenario = {
  readonly name: string;
  /** One line for `--help`. */
  readonly about: string;
  /** Left out of a quick run unless it is asked for by name. */
  readonly long?: boolean;
  /** Runs only when it is asked for by name. */
  readonly named?: boolean;
  readonly run: (context: Context) => Promise<readonly Figure[]>;
};
