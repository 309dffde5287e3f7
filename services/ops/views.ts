import { setTimeout as sleep } from 'node:timers/promises';
import { catalogue } from '../../domain/catalogue.js';
import { DomainError } from '../../domain/errors.js';
import { versionOf } from '../../projections/generation.js';
import { noteVerified } from '../../projections/outcomes.js';
import type { Projection } from '../../projections/projection.js';
import { replayProjection } from '../../projections/replay.js';
import { projectionStatus } from '../../projections/status.js';
import { type VerifyReport, verify } from '../../projections/verify.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import { PROJECTIONS } from '../views.js';
import type { Store } from './store.js';

const SERVING_MS = 60_000;
const LOOK_AGAIN_MS = 50;
const SILENT = { info: () => undefined, warn: () => undefined };

/** The views of these names, all when none is named. VALIDATION for a name that there is not. */
export const viewsNamed = (names: readonly string[] = []): readonly Projection[] => {
  const unknown = names.find((name) => !PROJECTIONS.some((projection) => projection.name === name));
  if (unknown !== undefined)
    throw new DomainError('VALIDATION', `There is no view ${unknown}`, `Views: ${PROJECTIONS.map(({ name }) => name).join(', ')}.`);
  return names.length === 0 ? PROJECTIONS : PROJECTIONS.filter(({ name }) => names.includes(name));
};

/** Replays a view into a shadow and compares, once it serves, and notes the verdict for health. Throws as `verify` does. */
export const verifyView = async ({ redis, keys, log }: Store, view: Projection, signal: AbortSignal): Promise<VerifyReport> => {
  const { fingerprint } = catalogue;
  await serving({ redis, keys }, view, signal);
  const report = await verify({ redis, keys, log, fingerprint, logger: SILENT }, view, { signal });
  const { equal, differingCount, rows, degraded, generation } = report;
  const verdict = { at: Date.now(), equal, differing: differingCount, rows, degraded: degraded.length, generation };
  await unavailableWhenDown(() => noteVerified(redis, keys, view.name, verdict));
  return report;
};

/** Asks the worker to rebuild a view and follows it to its end; answers the generation that serves. Throws as `replayProjection` does. */
export const replayView = async (
  { redis, keys }: Store,
  view: Projection,
  signal: AbortSignal,
  onProgress: (done: number, total: number) => void,
): Promise<number> => {
  await serving({ redis, keys }, view, signal);
  return replayProjection(redis, keys, view.name, Date.now(), { signal, onProgress: ({ done, total }) => onProgress(done, total) });
};

/** An instance that has just been started is still building its views. After a while the call itself may say what is wrong. */
const serving = async ({ redis, keys }: Pick<Store, 'redis' | 'keys'>, view: Projection, signal: AbortSignal): Promise<void> => {
  const wanted = versionOf(view, catalogue.fingerprint);
  for (const end = performance.now() + SERVING_MS; performance.now() < end; await sleep(LOOK_AGAIN_MS)) {
    signal.throwIfAborted();
    const [status] = await projectionStatus(redis, keys, [view.name]);
    if (status?.version === wanted) return;
  }
};
