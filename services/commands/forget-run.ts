import { isDomainError } from '../../domain/errors.js';
import type { Call } from '../api.js';
import { QueryTexts } from '../erasure/queries.js';
import { type Erased, type Erasure, eraseBatch, eraseFacts } from './forget-erase.js';
import { type Candidate, candidates, isThere, piecesOf } from './forget-load.js';
import { ERASURE_BATCH } from './forget-plan.js';
import { changedSince, isChanged } from './forget-stamps.js';
import { type CommandParts, stampOf } from './parts.js';

/** What an aborted signal means: that somebody wants it to stop, or that this process ends. */
export type Ended = 'cancelled' | 'cut';

/** What was erased, and under which correlation. */
export type Planned = Erased & { readonly correlation: string };

/**
 * Erases what was planned under this id, a batch at a time, and the facts that were drawn from it meanwhile. Begun, it is kept
 * until its end: another process goes on with it when this one dies, and so does whoever calls again. What says something else
 * than the preview showed is left, with the facts drawn from it. Undefined when there is no such plan any more.
 */
export const erasePlanned = async (
  parts: CommandParts,
  id: string,
  call: Call,
  ended: Ended = 'cancelled',
): Promise<Planned | undefined> => {
  const stamp = stampOf(parts, call);
  const begun = await parts.plans.start(id, stamp.commandId, stamp.at);
  const plan = begun && (await parts.plans.read(id));
  if (!begun || !plan) return undefined;
  const erasure: Erasure = { ...begun, actor: stamp.actor, texts: new QueryTexts(parts) };
  const total = plan.batches.reduce((sum, batch) => sum + batch.length, 0);
  const work = async (): Promise<Planned> => {
    await parts.fresh();
    const meant = new Set(plan.batches.flat());
    const left = changedSince(parts, plan.stamps).filter((key) => meant.has(key));
    for (const key of left) meant.delete(key);
    // A step keeps its number, by which it is known to be done.
    const batches = plan.batches.map((batch) => batch.filter((key) => meant.has(key)));
    let all: Erased = { keys: [], appended: undefined, changed: left };
    for (const [i, batch] of batches.entries()) {
      call.signal?.throwIfAborted();
      await erasure.texts.ahead(batches.slice(i), (step) => {
        call.signal?.throwIfAborted();
        return piecesOf(parts, step);
      });
      const { keys, appended, changed } = await eraseBatch(parts, batch, erasure, `${erasure.correlation}:${i}`, { stamps: plan.stamps });
      for (const key of changed) meant.delete(key);
      all = {
        keys: [...all.keys, ...keys],
        appended: appended ?? all.appended,
        changed: [...new Set([...all.changed, ...changed])],
      };
      parts.onErased(keys);
      await parts.plans.sign(id);
      call.progress?.('erasing', Math.min((i + 1) * ERASURE_BATCH, total), total);
    }
    return { ...(await eraseFacts(parts, [...meant], all, erasure)), correlation: erasure.correlation };
  };
  return noted(parts, id, call, work, ended);
};

/** Notes how an erasure of several steps ended: what was cancelled stays so, anything else that breaks is gone on with. */
export const noted = async <Result>(
  parts: CommandParts,
  id: string,
  { signal }: Call,
  work: () => Promise<Result>,
  ended: Ended = 'cancelled',
): Promise<Result> => {
  try {
    const result = await work();
    await parts.plans.done(id);
    return result;
  } catch (error) {
    if (isDomainError(error, 'NOT_FOUND')) await parts.plans.done(id);
    else if (signal?.aborted && ended === 'cancelled') await parts.plans.cancel(id);
    throw error;
  }
};

/**
 * Goes on with erasures that were begun and have shown no sign for so many seconds; one that was cancelled has ended when
 * another one took the rest. Throws what `forget` throws.
 */
export const resumeErasures = async (parts: CommandParts, silentSeconds: number, signal: AbortSignal): Promise<void> => {
  for (const { id, silent, cancelled } of await parts.plans.unfinished()) {
    if (cancelled && !(await isAnythingLeft(parts, id))) await parts.plans.done(id);
    if (!cancelled && silent >= silentSeconds) await erasePlanned(parts, id, { actor: 'job:eraser', signal }, 'cut');
  }
};

const isAnythingLeft = async (parts: CommandParts, id: string): Promise<boolean> => {
  const { batches, stamps } = (await parts.plans.read(id)) ?? { batches: [], stamps: new Map<string, number>() };
  const left = new Set(changedSince(parts, stamps));
  const goes = (one: Candidate): boolean => isThere(one) && !left.has(one.key) && !isChanged(stamps, one);
  for (const batch of batches) if ((await candidates(parts, batch)).some(goes)) return true;
  return false;
};
