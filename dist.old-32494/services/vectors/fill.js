import { memoryDecider } from '../../domain/memory/memory.js';
import { packVectors } from '../../projections/recall/vector-cache.js';
import { loadScript, runScript } from '../../projections/scripts.js';
import { stateOf } from '../eventlog/handle.js';
import { unavailableWhenDown } from '../valkey/errors.js';
const SCRIPT = loadScript('services/vectors/fill.lua');
const ANNOUNCEMENTS_KEPT = 100_000;
/** Embeds the present text of these memories and stores the vectors. Forgotten ones are passed over. Throws UNAVAILABLE. */
export const fillVectors = async (parts, embedder, memories, signal) => {
    const { log, redis, keys } = parts;
    const texts = (await log.load(memories)).flatMap((history) => {
        const { state } = stateOf(memoryDecider, history);
        if (!('content' in state))
            return [];
        const version = history.events.findLast(({ type }) => type === 'MemoryRemembered' || type === 'MemoryRevised')?.n ?? 0;
        return [{ memory: history.subject, version, content: state.content }];
    });
    if (texts.length === 0)
        return { memories: [], stored: 0 };
    const vectors = await embedder.embed(texts.map(({ content }) => content), { signal });
    await rememberModel(redis, keys, embedder.identity.id);
    const stored = await unavailableWhenDown(() => runScript(redis, SCRIPT, [keys.vectors, ...texts.flatMap(({ memory }) => [keys.payloads(memory), keys.embedding(embedder.identity.id, memory)])], [
        embedder.identity.id,
        ANNOUNCEMENTS_KEPT,
        ...texts.flatMap(({ memory, version }, i) => [memory, version, packVectors(vectors[i] ?? [])]),
    ]));
    return { memories: texts.map(({ memory }) => memory), stored: Number(stored) };
};
const known = new WeakMap();
/** Notes a model id before its first vector is stored, so that forgetting finds every vector. */
export const rememberModel = async (redis, keys, model) => {
    const noted = known.get(redis) ?? new Set();
    if (noted.has(keys.prefix + model))
        return;
    await unavailableWhenDown(() => redis.sadd(keys.models, model));
    known.set(redis, noted.add(keys.prefix + model));
};
//# sourceMappingURL=fill.js.map