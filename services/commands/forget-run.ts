import { isDomainError } from '../../domain/errors.js';
import type { Call } from '../api.js';
import { QueryTexts } from '../erasure/queries.js';
import { type Erased, type Erasure, eraseBatch, eraseFacts } from './forget-erase.js';
import { candidates, isThere, piecesOf } from './forget-load.js';
import { ERASURE_BATCH } from './forget-plan.js';
import { type CommandParts, stampOf } from './parts.js';

/** What an aborted signal means: that somebody wants it to stop, or that this process ends. */
export type Ended = 'cancelled' | 'cut';

/** What was erased, and under which correlation. */
export type Planned = Erased & { readonly correlation: string };

/**
 * Erases what was planned under this id, a batch at a time, and the facts that were drawn from it meanwhile. Begun, it is kept
 * until its end: another process goes on with it when this one dies, and so does whoever calls again. Undefined when there is
 * no such plan any more.
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
    let all: Erased = { keys: [], appended: undefined };
    await parts.fresh();
    for (const [i, batch] of plan.batches.entries()) {
      call.signal?.throwIfAborted();
      await erasure.texts.ahead(plan.batches.slice(i), (step) => {
        call.signal?.throwIfAborted();
        return piecesOf(parts, step);
      });
      const { keys, appended } = await eraseBatch(parts, batch, erasure, `${erasure.correlation}:${i}`);
      all = { keys: [...all.keys, ...keys], appended: appended ?? all.appended };
      parts.onErased(keys);
      await parts.plans.sign(id);
      call.progress?.('erasing', Math.min((i + 1) * ERASURE_BATCH, total), total);
    }
    return { ...(await eraseFacts(parts, plan.batches.flat(), all, erasure)), correlation: erasure.correlation };
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
  for (const batch of (await parts.plans.read(id))?.batches ?? []) if ((await candidates(parts, batch)).some(isThere)) return true;
  return false;
};
