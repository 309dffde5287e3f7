import { DomainError } from '../../domain/errors.js';
import { namespaceOf } from '../../domain/memory/key.js';
import { clip } from '../../domain/passage.js';
import { parseProjectName } from '../../domain/project/name.js';
import { suggestionFor } from '../../domain/project/scope.js';
import { isTopicSubject } from '../../domain/topic/topic.js';
import type { Call, ForgetInput, ForgetResult } from '../api.js';
import { QueryTexts } from '../erasure/queries.js';
import type { Stamped } from '../eventlog/handle.js';
import { type Erased, type Erasure, eraseBatch, eraseFacts } from './forget-erase.js';
import { candidates, isThere } from './forget-load.js';
import { ERASURE_BATCH, PREVIEW_SECONDS } from './forget-plan.js';
import { erasePlanned, noted } from './forget-run.js';
import { stampsOf } from './forget-stamps.js';
import { targetsOf, withFacts } from './forget-targets.js';
import { leftBy, nameNote, textsOfTopics } from './forget-topics.js';
import { isKey, parseKey } from './keys.js';
import { backupsNote, type CommandParts, notes, stampOf, visibility } from './parts.js';

const NOTHING_MATCHES =
  'Nothing was erased, for nothing matches. Words match a memory that says them, or that holds all of them (two or more, not counting words such as the): call recall_index and pass the keys.';
const NO_SUCH_TOPIC = 'Nothing was erased: nobody suppressed this topic by hand, or it is forgotten already.';
const SHOWN = 80;
/** Memories that a preview shows with their text; the counts tell of the rest. */
const LISTED = 20;
/** Keys in an answer, and keys that one call may name. */
const MAX_KEYS = 500;

/**
 * Erases memories for good, and the facts that were drawn from them; or a topic that somebody suppressed. The first call shows what would go; only a call with
 * `confirm` erases, and exactly what was shown: by the preview's id, which leaves what was changed since, or by its keys. A query is never run again to find what
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
  const { keys: found, note } = await targetsOf(parts, input);
  await parts.fresh();
  const all = await living(parts, withFacts(parts, found));
  const project = input.project === undefined ? undefined : parseProjectName(input.project);
  const { projects } = parts.index;
  if (all.length === 0) {
    const suggestion = project === undefined ? undefined : suggestionFor(projects, [project]);
    const left = await leftBy(parts, input, []);
    return {
      status: 'not_found',
      ...(suggestion && { project_suggestion: suggestion }),
      ...(left.topics.length > 0 && { topics_left: left.topics }),
      note: [input.topic === undefined ? NOTHING_MATCHES : NO_SUCH_TOPIC, ...left.notes].join(' '),
    };
  }
  // Before their texts are read: what is changed between the two counts as changed since.
  const stamps = stampsOf(parts, all);
  const ofTopics = await textsOfTopics(parts, all);
  const first = (await candidates(parts, all.slice(0, LISTED))).map(({ key, state }) => ({
    key,
    content: 'content' in state ? state.content : (ofTopics.get(key) ?? ''),
  }));
  const left = await leftBy(
    parts,
    input,
    first.map(({ content }) => content),
  );
  const preview_id = parts.random.ulid(parts.now());
  await parts.plans.store(preview_id, all, stamps);
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
    ...suppressionsOf(parts, all),
    ...(left.topics.length > 0 && { topics_left: left.topics }),
    targets: first.map(({ key, content }) => ({ key, content: clip(content, SHOWN) })),
    ...notes(note, nameNote(all), ...left.notes),
    next: `Nothing was erased yet. To erase exactly ${all.length === 1 ? 'this one' : `these ${all.length}`} for good, call forget again with confirm: true and this preview_id.`,
    receipt: `For a proof, let the human run in place of that: omnimem forget --confirm ${preview_id} --receipt`,
  };
};

/** In the order given. A few are looked up in the log itself, many in the index. */
const living = async (parts: CommandParts, keys: readonly string[]): Promise<readonly string[]> => {
  if (keys.length > ERASURE_BATCH) return keys.filter((key) => parts.index.documents.has(key));
  return (await candidates(parts, keys)).filter(isThere).map(({ key }) => key);
};

/** What becomes of the topics that dead ends of these memories became. */
const suppressionsOf = (
  { index: { suppressed } }: CommandParts,
  going: readonly string[],
): { readonly suppressed_topics?: number; readonly suppressions_kept?: readonly string[] } => {
  const goes = new Set(going);
  const held = [...suppressed.topics.keys()].filter((topic) => suppressed.holdersOf(topic).some((holder) => goes.has(holder)));
  const kept = held.filter((topic) => suppressed.holdersOf(topic).some((holder) => !goes.has(holder))).sort();
  return {
    ...(held.length > kept.length && { suppressed_topics: held.length - kept.length }),
    ...(kept.length > 0 && { suppressions_kept: kept.slice(0, LISTED) }),
  };
};

const countByNamespace = (keys: readonly string[]): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const key of keys) {
    const namespace = namespaceOf(key) ?? (isTopicSubject(key) ? 'topic' : 'other');
    counts[namespace] = (counts[namespace] ?? 0) + 1;
  }
  return counts;
};

const erasureOf = (parts: CommandParts, { commandId, actor, at }: Stamped): Erasure => ({
  correlation: commandId,
  actor,
  at,
  texts: new QueryTexts(parts),
});

const eraseKeys = async (parts: CommandParts, keys: readonly string[], call: Call): Promise<ForgetResult> => {
  const erasure = erasureOf(parts, stampOf(parts, call));
  await parts.fresh();
  const all = withFacts(parts, keys);
  const erase = async (together: readonly string[]): Promise<ForgetResult> => {
    const erased = await eraseBatch(parts, together, erasure, erasure.correlation, { mustExist: new Set(keys) });
    return answerOf(parts, await eraseFacts(parts, keys, erased, erasure));
  };
  if (all.length <= MAX_KEYS) return erase(all);
  await parts.plans.store(erasure.correlation, all);
  await parts.plans.start(erasure.correlation, erasure.correlation, erasure.at);
  return noted(parts, erasure.correlation, call, () => erase(keys));
};

const erasePreviewed = async (parts: CommandParts, previewId: string, call: Call): Promise<ForgetResult> => {
  const erased = await erasePlanned(parts, previewId, call);
  if (!erased)
    throw new DomainError('CONFIRMATION_REQUIRED', 'There is no such preview any more', 'Call forget without confirm for a new one');
  return answerOf(parts, erased);
};

const changedNote = (count: number): string =>
  `Not erased, for ${count === 1 ? 'its text was' : 'their texts were'} changed since the preview, or the text they were drawn from: ${count} (changed_since_preview). Preview again to see what ${count === 1 ? 'it says' : 'they say'} now.`;

const answerOf = async (parts: CommandParts, { keys, appended, changed }: Erased): Promise<ForgetResult> => ({
  status: 'deleted',
  deleted: keys.length,
  deleted_keys: keys.slice(0, MAX_KEYS),
  erased: true,
  disk: parts.onErased(keys),
  ...(changed.length > 0 && { changed_since_preview: changed.slice(0, MAX_KEYS) }),
  ...notes(nameNote(keys), changed.length > 0 ? changedNote(changed.length) : undefined),
  ...(await backupsNote(parts)),
  ...(await visibility(parts, appended)),
});
