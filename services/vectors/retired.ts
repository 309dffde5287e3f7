import type { Redis } from 'iovalkey';
import type { Keys } from '../../projections/keys.js';
import type { RecallIndex } from '../../projections/recall/recall-index.js';
import { sweepModels } from '../../projections/search/valkey/space.js';
import { modelsInUse } from '../erasure/register.js';
import { inBackground } from '../jobs/background.js';
import type { Wakeup } from '../wakeup.js';

/** A process that was killed counts as living for twenty seconds, with the models it had. */
const PAUSE_MS = 30_000;
/** Between two looks at whether this process serves already. */
const LOOK_MS = 1_000;

export type RetiredModelsParts = {
  readonly redis: Redis;
  readonly keys: Keys;
  readonly index: Pick<RecallIndex, 'serving' | 'building' | 'modelInLog' | 'progress'>;
  /** Whether vectors are searched in the server. Elsewhere nothing is left behind. */
  readonly inServer: boolean;
  readonly onTrouble: (message: string, error?: unknown) => void;
};

/** The models whose vectors a process serves or makes, or is about to serve. */
export const modelsOf = ({ serving, building, modelInLog }: Pick<RecallIndex, 'serving' | 'building' | 'modelInLog'>): string[] => [
  ...new Set([serving?.model.id, building?.model.id, modelInLog?.id].filter((id) => id !== undefined)),
];

/**
 * Removes what models that no living process uses any more have left in the server's indexes, at the start and whenever there
 * is another such model. A move to another model does that itself, unless it is killed before.
 */
export class RetiredModels {
  #parts: RetiredModelsParts;
  #background = inBackground((signal, sleep) => this.#run(signal, sleep));
  #swept = new Set<string>();

  constructor(parts: RetiredModelsParts) {
    this.#parts = parts;
  }

  start(): void {
    if (this.#parts.inServer) this.#background.start();
  }

  close(): Promise<void> {
    return this.#background.close();
  }

  async #run(signal: AbortSignal, sleep: Wakeup['sleep']): Promise<void> {
    const { index, onTrouble } = this.#parts;
    while (!signal.aborted) {
      // A log that is not read to its end may yet name another model.
      const ready = index.serving !== undefined && index.progress.everCaughtUp;
      if (ready) await this.look(signal).catch((error) => signal.aborted || onTrouble('the vectors of old models stay for now', error));
      await sleep(ready ? PAUSE_MS : LOOK_MS, signal);
    }
  }

  /** Removes what can be removed now. Throws UNAVAILABLE, or what the server answers. */
  async look(signal: AbortSignal): Promise<void> {
    const { redis, keys } = this.#parts;
    const unused = await this.#unused();
    for (const model of this.#swept) if (!unused.has(model)) this.#swept.delete(model);
    const models = [...unused].filter((model) => !this.#swept.has(model));
    if (models.length === 0) return;
    await sweepModels(redis, keys, models, () => this.#unused(), signal);
    if (!signal.aborted) for (const model of models) this.#swept.add(model);
  }

  async #unused(): Promise<ReadonlySet<string>> {
    const { redis, keys, index } = this.#parts;
    const [all, used] = await Promise.all([redis.smembers(keys.models), modelsInUse(redis, keys)]);
    const own = new Set(modelsOf(index));
    return new Set(used ? all.filter((model) => !used.has(model) && !own.has(model)) : []);
  }
}
