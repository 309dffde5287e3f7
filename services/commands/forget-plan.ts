import type { Redis } from 'iovalkey';
import type { Keys } from '../../projections/keys.js';
import { loadScript, runScript } from '../../projections/scripts.js';
import { fromValkey, unavailableWhenDown } from '../valkey/errors.js';

const SCRIPT = loadScript('services/commands/forget-plan.lua');

/** Seconds for which a preview can be confirmed, and for which an erasure that has ended answers again. */
export const PREVIEW_SECONDS = 30 * 60;
const DONE_SECONDS = 24 * 60 * 60;
/** No preview has this id: what was begun and has not ended. */
const BEGUN = 'begun';
/** One erasure is one script call; Valkey serves nobody else meanwhile. */
export const ERASURE_BATCH = 200;

/** The steps in which these are erased. */
export const stepsOf = (keys: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(keys.length / ERASURE_BATCH) }, (_, i) => keys.slice(i * ERASURE_BATCH, (i + 1) * ERASURE_BATCH));

/** Which version of a memory set the text that a preview showed, by key. A fact goes or stays with its source and has none of its own. */
export type Stamps = ReadonlyMap<string, number>;

/** What a preview meant: keys and no text, in the batches in which they are erased. */
export type ForgetPlan = {
  readonly batches: readonly (readonly string[])[];
  /** Empty where nothing was shown, and in a plan of before they were kept. */
  readonly stamps: Stamps;
};

export type ForgetPlans = {
  readonly store: (id: string, keys: readonly string[], stamps?: Stamps) => Promise<void>;
  /** Undefined when there is none, or none any more. */
  readonly read: (id: string) => Promise<ForgetPlan | undefined>;
  /** The correlation and time of the erasure of this plan: the given ones, or those of whoever began it before. */
  readonly start: (
    id: string,
    correlation: string,
    at: string,
  ) => Promise<{ readonly correlation: string; readonly at: string } | undefined>;
  /** A step of the erasure was done. */
  readonly sign: (id: string) => Promise<void>;
  /** The erasure is not to go on by itself. */
  readonly cancel: (id: string) => Promise<void>;
  readonly done: (id: string) => Promise<void>;
  readonly unfinished: () => Promise<readonly Unfinished[]>;
};

/** An erasure that was begun and has not ended; `silent` in seconds since its last step. */
export type Unfinished = { readonly id: string; readonly silent: number; readonly cancelled: boolean };

export const createForgetPlans = (redis: Redis, keys: Keys): ForgetPlans => {
  const run = async (what: string, id: string, seconds = 0, ...args: readonly string[]): Promise<unknown> => {
    try {
      return await runScript(redis, SCRIPT, [keys.forgetPlan(id), keys.forgetPlan(BEGUN)], [what, id, seconds, ...args]);
    } catch (error) {
      throw fromValkey(error);
    }
  };
  return {
    store: async (id, meant, stamps = new Map()) => {
      const fields = stepsOf(meant).flatMap((batch, i) => [
        `b${i}`,
        JSON.stringify(batch),
        ...(stamps.size > 0 ? [`v${i}`, JSON.stringify(batch.map((key) => stamps.get(key) ?? null))] : []),
      ]);
      await run('store', id, PREVIEW_SECONDS, ...fields);
    },
    read: async (id) => {
      const fields = await unavailableWhenDown(() => redis.hgetall(keys.forgetPlan(id)));
      const batches: string[][] = [];
      const stamps = new Map<string, number>();
      for (let i = 0; fields[`b${i}`] !== undefined; i++) {
        const batch = JSON.parse(fields[`b${i}`] ?? '[]') as string[];
        const versions = JSON.parse(fields[`v${i}`] ?? '[]') as (number | null)[];
        batches.push(batch);
        for (const [place, key] of batch.entries()) {
          const version = versions[place];
          if (typeof version === 'number') stamps.set(key, version);
        }
      }
      return batches.length === 0 ? undefined : { batches, stamps };
    },
    start: async (id, wanted, now) => {
      const [correlation, at] = ((await run('start', id, 0, wanted, now)) ?? []) as string[];
      return correlation === undefined || at === undefined ? undefined : { correlation, at };
    },
    sign: async (id) => void (await run('sign', id)),
    cancel: async (id) => void (await run('cancel', id)),
    done: async (id) => void (await run('done', id, DONE_SECONDS)),
    unfinished: () =>
      unavailableWhenDown(async () => {
        const begun = await redis.hgetall(keys.forgetPlan(BEGUN));
        if (Object.keys(begun).length === 0) return [];
        const [now] = await redis.time();
        return Object.entries(begun).map(([id, sign]) => ({
          id,
          silent: sign === 'cancelled' ? 0 : Number(now) - Number(sign),
          cancelled: sign === 'cancelled',
        }));
      }),
  };
};
