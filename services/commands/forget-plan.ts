import type { Redis } from 'iovalkey';
import type { Keys } from '../../projections/keys.js';
import { loadScript, runScript } from '../../projections/scripts.js';
import { fromValkey, unavailableWhenDown } from '../valkey/errors.js';

const SCRIPT = loadScript('services/commands/forget-plan.lua');

/** Seconds for which a preview can be confirmed, and for which an erasure that was begun can be gone on with. */
export const PREVIEW_SECONDS = 30 * 60;
const STARTED_SECONDS = 24 * 60 * 60;
/** One erasure is one script call; Valkey serves nobody else meanwhile. */
export const ERASURE_BATCH = 200;

/** What a preview meant: keys and no text, in the batches in which they are erased. */
export type ForgetPlan = { readonly batches: readonly (readonly string[])[] };

export type ForgetPlans = {
  readonly store: (id: string, keys: readonly string[]) => Promise<void>;
  /** Undefined when there is none, or none any more. */
  readonly read: (id: string) => Promise<ForgetPlan | undefined>;
  /** The correlation and time of the erasure of this plan: the given ones, or those of whoever began it before. */
  readonly start: (
    id: string,
    correlation: string,
    at: string,
  ) => Promise<{ readonly correlation: string; readonly at: string } | undefined>;
};

export const createForgetPlans = (redis: Redis, keys: Keys): ForgetPlans => {
  const run = async (id: string, args: readonly (string | number)[]): Promise<unknown> => {
    try {
      return await runScript(redis, SCRIPT, [keys.forgetPlan(id)], args);
    } catch (error) {
      throw fromValkey(error);
    }
  };
  return {
    store: async (id, meant) => {
      const batches = Array.from({ length: Math.ceil(meant.length / ERASURE_BATCH) }, (_, i) =>
        meant.slice(i * ERASURE_BATCH, (i + 1) * ERASURE_BATCH),
      );
      await run(id, ['store', PREVIEW_SECONDS, ...batches.flatMap((batch, i) => [`b${i}`, JSON.stringify(batch)])]);
    },
    read: async (id) => {
      const fields = await unavailableWhenDown(() => redis.hgetall(keys.forgetPlan(id)));
      const batches: string[][] = [];
      for (let i = 0; fields[`b${i}`] !== undefined; i++) batches.push(JSON.parse(fields[`b${i}`] ?? '[]') as string[]);
      return batches.length === 0 ? undefined : { batches };
    },
    start: async (id, wanted, now) => {
      const [correlation, at] = ((await run(id, ['start', STARTED_SECONDS, wanted, now])) ?? []) as string[];
      return correlation === undefined || at === undefined ? undefined : { correlation, at };
    },
  };
};
