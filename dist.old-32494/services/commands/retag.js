import { isDomainError } from '../../domain/errors.js';
import { isLive, memoryDecider } from '../../domain/memory/memory.js';
import { handleCommand } from '../eventlog/handle.js';
import { parseKey } from './keys.js';
import { stampOf, visibility } from './parts.js';
/** Changes a memory's tags; never its text or vector. */
export const retag = async (parts, { key: text, tags, add, remove }, call) => {
    const key = parseKey(text);
    const edit = { ...(tags && { tags }), ...(add && { add }), ...(remove && { remove }) };
    try {
        const { result, appended } = expectFree(await handleCommand(parts.log, memoryDecider, [key], stampOf(parts, call), ([memory]) => {
            const state = memory?.state ?? memoryDecider.initialState();
            const events = memoryDecider.decide({ type: 'RetagMemory', data: edit }, state);
            const [event] = events;
            const unchanged = isLive(state) ? state.tags : [];
            const result = event?.type === 'MemoryRetagged'
                ? { status: 'updated', key, tags: event.data.tags, previous_tags: event.data.previous_tags }
                : { status: 'unchanged', key, tags: unchanged };
            return { writes: [{ subject: key, events }], result };
        }));
        return { ...result, ...(await visibility(parts, appended)) };
    }
    catch (error) {
        if (isDomainError(error, 'NOT_FOUND'))
            return { status: 'not_found', key };
        throw error;
    }
};
/** A command that takes no claims cannot be refused one. */
export const expectFree = (outcome) => {
    if (typeof outcome === 'object' && outcome !== null && 'claimedBy' in outcome)
        throw new Error('a claim was refused that nobody asked for');
    return outcome;
};
//# sourceMappingURL=retag.js.map