import { setTimeout as sleep } from 'node:timers/promises';
import type { HealthResult } from '../api.js';
import type { Context } from './context.js';
import { listIn } from './lists.js';

const LOOK_AGAIN_MS = 150;

/** Health of an instance that has opened its store, waiting for that if need be. */
export const openedHealth = async ({ tool, signal }: Context, patienceMs = 60_000): Promise<HealthResult> => {
  for (const end = performance.now() + patienceMs; ; await sleep(LOOK_AGAIN_MS)) {
    const health = await tool<HealthResult>('health', {});
    if (!listIn(health, 'issues').items.some(({ code }) => code === 'STARTING') || performance.now() > end || signal.aborted) return health;
  }
};

/**
 * Waits until the instance can embed and its vectors are all there, or until that will not be soon: an instance that was
 * started for one command would otherwise end before its model has loaded. Bounded; never fails for a missing model.
 */
export const modelSettled = async (context: Context, patienceMs = 10_000): Promise<void> => {
  for (const end = performance.now() + patienceMs; performance.now() < end && !context.signal.aborted; await sleep(LOOK_AGAIN_MS)) {
    const { model, model_loaded, vectors } = await openedHealth(context);
    const state = String(model?.state ?? '');
    if (state === 'off' || state === 'failed') return;
    if (model_loaded && vectors?.pending === 0 && (model?.serving ?? null) !== null) return;
    context.progress.say('waiting for the embedding model');
  }
};
