import { DomainError, isDomainError } from '../../domain/errors.js';
import { namespaceOf } from '../../domain/memory/key.js';
import { clip } from '../../domain/passage.js';
import { parseProjectName } from '../../domain/project/name.js';
import { suggestionFor } from '../../domain/project/scope.js';
import type { Call, ForgetInput, ForgetResult } from '../api.js';
import type { Stamped } from '../eventlog/handle.js';
import { type Erased, type Erasure, eraseBatch, eraseFacts } from './forget-erase.js';
import { candidates, isThere } from './forget-load.js';
import { ERASURE_BATCH, PREVIEW_SECONDS } from './forget-plan.js';
import { meantBy, withFacts } from './forget-targets.js';
import { isKey, parseKey } from './keys.js';
import { type CommandParts, stampOf, visibility } from './parts.js';

const SHOWN = 80;
/** Memories that a preview shows with their text; the counts tell of the rest. */
const LISTED = 20;
/** Keys in an answer, and keys that one call may name. */
const MAX_KEYS = 500;

/**
 * Erases memories for good, and the facts that were drawn from them. The first call shows what would go; only a call with
 * `confirm` erases, and exactly what was shown: by the preview's id, or by its keys. A query is never run again to find what
 * to erase. An erasure that was interrupted goes on by itself; one that was cancelled, when it is confirmed again.
 */
export const forget = async (parts: CommandParts, input: ForgetInput, call: Call): Promise<ForgetResult> => {
  if (input.confirm !== true) return preview(parts, input, call);
  if (input.preview_id !== undefined) return erasePreviewed(parts, input.preview_id.trim().toUpperCase(), call);
  const { key_or_query = '' } = input;
  const named = input.keys ?? (isKey(key_or_query) ? [key_or_query] : []);
  const keys = [...new Set(named.map(parseKey))];
  if (keys.length === 0) {
    throw new DomainError(
      'CONFIRMATION_REQUIRED',
      'A query does not say what to erase',
      'Call forget without confirm first, then pass the preview_id, or the keys it listed',
    );
  }
  if (keys.length > MAX_KEYS)
    throw new DomainError('TOO_LARGE', `At most ${MAX_KEYS} keys are erased in one call`, 'Preview them first, then pass its preview_id');
  return eraseKeys(parts, keys, call);
};

const preview = async (parts: CommandParts, input: ForgetInput, call: Call): Promise<ForgetResult> => {
  const found = await meantBy(parts, input);
  await parts.fresh();
  const all = await living(parts, withFacts(parts, found));
  const project = input.project === undefined ? undefined : parseProjectName(input.project);
  const { projects } = parts.index;
  if (all.length === 0) {
    const suggestion = project === undefined ? undefined : suggestionFor(projects, [project]);
    return {
      status: 'not_found',
      ...(suggestion && { project_suggestion: suggestion }),
      note: 'Nothing was erased, for nothing matches. Words match only what they say nearly exactly: call recall_index and pass the keys.',
    };
  }
  const targets = (await candidates(parts, all.slice(0, LISTED))).map(({ key, state }) => ({
    key,
    content: 'content' in state ? clip(state.content, SHOWN) : '',
  }));
  const preview_id = parts.random.ulid(parts.now());
  await parts.plans.store(preview_id, all);
  const named = new Set(found);
  const facts = all.filter((key) => !named.has(key)).length;
  const project_names = project === undefined ? [] : projects.namesOf(project);
  call.signal?.throwIfAborted();
  return {
    status: 'preview',
    preview_id,
    expires_at: new Date(parts.now() + PREVIEW_SECONDS * 1_000).toISOString(),
    total: all.length,
    by_namespace: countByNamespace(all),
    ...(project_names.length > 1 && { project_names }),
    ...(facts > 0 && { facts }),
    targets,
    next: `Nothing was erased yet. To erase exactly ${all.length === 1 ? 'this one' : `these ${all.length}`} for good, call forget again with confirm: true and this preview_id.`,
    receipt: `For a proof, let the human run in place of that: omnimem forget --confirm ${preview_id} --receipt`,
  };
};

/** In the order given. A few are looked up in the log itself, many in the index. */
const living = async (parts: CommandParts, keys: readonly string[]): Promise<readonly string[]> => {
  if (keys.length > ERASURE_BATCH) return keys.filter((key) => parts.index.documents.has(key));
  return (await candidates(parts, keys)).filter(isThere).map(({ key }) => key);
};

const countByNamespace = (keys: readonly string[]): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const key of keys) {
    const namespace = namespaceOf(key) ?? 'other';
    counts[namespace] = (counts[namespace] ?? 0) + 1;
  }
  return counts;
};

const erasureOf = ({ commandId, actor, at }: Stamped): Erasure => ({ correlation: commandId, actor, at });

const eraseKeys = async (parts: CommandParts, keys: readonly string[], call: Call): Promise<ForgetResult> => {
  const erasure = erasureOf(stampOf(parts, call));
  await parts.fresh();
  const all = withFacts(parts, keys);
  const erase = async (together: readonly string[]): Promise<ForgetResult> => {
    const erased = await eraseBatch(parts, together, erasure, erasure.correlation, new Set(keys));
    return answerOf(parts, await eraseFacts(parts, keys, erased, erasure));
  };
  if (all.length <= MAX_KEYS) return erase(all);
  await parts.plans.store(erasure.correlation, all);
  await parts.plans.start(erasure.correlation, erasure.correlation, erasure.at);
  return noted(parts, erasure.correlation, call, () => erase(keys));
};

const erasePreviewed = async (parts: CommandParts, previewId: string, call: Call, ended: Ended = 'cancelled'): Promise<ForgetResult> => {
  const stamp = stampOf(parts, call);
  const begun = await parts.plans.start(previewId, stamp.commandId, stamp.at);
  const plan = begun && (await parts.plans.read(previewId));
  if (!begun || !plan) {
    throw new DomainError('CONFIRMATION_REQUIRED', 'There is no such preview any more', 'Call forget without confirm for a new one');
  }
  const erasure: Erasure = { ...begun, actor: stamp.actor };
  const total = plan.batches.reduce((sum, batch) => sum + batch.length, 0);
  const work = async (): Promise<ForgetResult> => {
    let all: Erased = { keys: [], appended: undefined };
    await parts.fresh();
    for (const [i, batch] of plan.batches.entries()) {
      call.signal?.throwIfAborted();
      const { keys, appended } = await eraseBatch(parts, batch, erasure, `${erasure.correlation}:${i}`);
      all = { keys: [...all.keys, ...keys], appended: appended ?? all.appended };
      parts.onErased(keys);
      await parts.plans.sign(previewId);
      call.progress?.('erasing', Math.min((i + 1) * ERASURE_BATCH, total), total);
    }
    return answerOf(parts, await eraseFacts(parts, plan.batches.flat(), all, erasure));
  };
  return noted(parts, previewId, call, work, ended);
};

/** What an aborted signal means: that somebody wants it to stop, or that this process ends. */
type Ended = 'cancelled' | 'cut';

/** Notes how an erasure of several steps ended: what was cancelled stays so, anything else that breaks is gone on with. */
const noted = async (
  parts: CommandParts,
  id: string,
  { signal }: Call,
  work: () => Promise<ForgetResult>,
  ended: Ended = 'cancelled',
): Promise<ForgetResult> => {
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

/** Goes on with erasures that were begun and have shown no sign for so many seconds. Throws what `forget` throws. */
export const resumeErasures = async (parts: CommandParts, silentSeconds: number, signal: AbortSignal): Promise<void> => {
  for (const { id, silent, cancelled } of await parts.plans.unfinished()) {
    if (!cancelled && silent >= silentSeconds) await erasePreviewed(parts, id, { actor: 'job:eraser', signal }, 'cut');
  }
};

const answerOf = async (parts: CommandParts, { keys, appended }: Erased): Promise<ForgetResult> => ({
  status: 'deleted',
  deleted: keys.length,
  deleted_keys: keys.slice(0, MAX_KEYS),
  erased: true,
  disk: parts.onErased(keys),
  ...(await visibility(parts, appended)),
});
