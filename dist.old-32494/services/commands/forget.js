import { DomainError } from '../../domain/errors.js';
import { isLive, memoryDecider } from '../../domain/memory/memory.js';
import { clip } from '../../domain/passage.js';
import { stateOf } from '../eventlog/handle.js';
import { isKey, parseKey } from './keys.js';
import { stampOf, visibility } from './parts.js';
const SHOWN = 80;
const ATTEMPTS = 5;
/** One erasure; more keys go in several calls. */
const MAX_KEYS = 500;
/**
 * Erases memories for good, and the facts that were drawn from them. The first call shows what would go; only a call with
 * `confirm` and exactly the keys that were shown erases. A query is never run again to find what to erase.
 */
export const forget = async (parts, input, call) => {
    if (input.confirm !== true)
        return preview(parts, input.key_or_query);
    const named = input.keys ?? (isKey(input.key_or_query) ? [input.key_or_query] : []);
    const keys = [...new Set(named.map(parseKey))];
    if (keys.length === 0) {
        throw new DomainError('CONFIRMATION_REQUIRED', 'A query does not say what to erase', 'Call forget without confirm first, then pass the keys it listed');
    }
    if (keys.length > MAX_KEYS)
        throw new DomainError('TOO_LARGE', `At most ${MAX_KEYS} keys are erased in one call`, 'Call forget several times');
    return erase(parts, keys, call);
};
const preview = async (parts, keyOrQuery) => {
    const found = isKey(keyOrQuery)
        ? [parseKey(keyOrQuery)]
        : (await parts.bestMatches(keyOrQuery, true)).filter((match) => match.confident).map((match) => match.key);
    await parts.fresh();
    const histories = await parts.log.load(withFacts(parts, found.slice(0, MAX_KEYS)));
    const targets = histories.flatMap((history) => {
        const { state } = stateOf(memoryDecider, history);
        return isLive(state) ? [{ key: history.subject, content: clip(state.content, SHOWN) }] : [];
    });
    if (targets.length === 0)
        return { status: 'not_found' };
    return {
        status: 'preview',
        targets,
        next: 'Nothing was erased yet. To erase exactly these for good, call forget again with confirm: true and keys: their keys.',
    };
};
const erase = async (parts, keys, call) => {
    const { log } = parts;
    const stamp = stampOf(parts, call);
    const first = stamp.repeatable ? await log.firstAnswer(stamp.commandId) : undefined;
    if (first)
        return erased(parts, first, first.result.deleted_keys);
    await parts.fresh();
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const histories = await log.load(withFacts(parts, keys));
        const going = histories.filter((history) => {
            const { state } = stateOf(memoryDecider, history);
            return keys.includes(history.subject) || isLive(state)
                ? memoryDecider.decide({ type: 'ForgetMemory', data: {} }, state).length > 0
                : false;
        });
        if (going.length === 0)
            return { status: 'deleted', deleted_keys: [], erased: true, disk: parts.onErased([]) };
        const models = await parts.models();
        const subjects = await Promise.all(going.map(async ({ subject, version }) => ({
            subject,
            expected: version,
            deletes: [...(await parts.rowsOf(subject)), ...models.map((model) => parts.keys.embedding(model, subject))],
        })));
        const deleted_keys = going.map(({ subject }) => subject);
        const answer = await log.forget({ ...stamp, subjects, result: { deleted_keys } });
        if ('events' in answer)
            return erased(parts, answer, deleted_keys);
    }
    throw new DomainError('CONFLICT', 'Others kept changing these memories; nothing was erased', 'Repeat the call');
};
const erased = async (parts, appended, deleted_keys) => ({
    status: 'deleted',
    deleted_keys,
    erased: true,
    disk: parts.onErased(deleted_keys),
    ...(await visibility(parts, appended)),
});
/** A fact that was drawn from a memory says what it said, and goes with it. */
const withFacts = ({ index }, keys) => {
    const wanted = new Set(keys);
    for (const { key, enrichedFrom } of index.documents.values())
        if (enrichedFrom !== undefined && wanted.has(enrichedFrom))
            wanted.add(key);
    return [...wanted];
};
//# sourceMappingURL=forget.js.map