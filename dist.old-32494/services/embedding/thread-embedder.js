import { DomainError } from '../../domain/errors.js';
import { prepareText, refuseBlank } from './text.js';
import { encoderThread } from './thread/client.js';
import { checkVector } from './vectors.js';
/** More than fits in a query's one window in any script. */
const QUERY_CHARACTERS = 4_096;
/** An embedder whose model runs in the thread that `start` starts; resolves when the model is loaded. */
export const threadEmbedder = async (identity, start, signal) => {
    const { dimension } = identity;
    const thread = encoderThread({ name: identity.name, dimension, start });
    const encode = async (texts, urgent, signal) => {
        refuseBlank(texts);
        if (texts.length === 0)
            return [];
        const windows = await thread.encode(texts.map(prepareText), { urgent, ...(signal && { signal }) });
        for (const vector of windows.flat())
            checkVector(vector, dimension);
        return windows;
    };
    const stop = () => void thread.close();
    signal?.throwIfAborted();
    signal?.addEventListener('abort', stop, { once: true });
    try {
        await thread.load();
    }
    catch (error) {
        await thread.close();
        signal?.throwIfAborted();
        throw error;
    }
    finally {
        signal?.removeEventListener('abort', stop);
    }
    return {
        identity,
        embed: (texts, options) => encode(texts, false, options?.signal),
        embedQuery: async (text, options) => {
            const [[vector] = []] = await encode([text.trimStart().slice(0, QUERY_CHARACTERS)], true, options?.signal);
            if (vector === undefined)
                throw new DomainError('INTERNAL', `${identity.name} gave no vector for a query.`, 'Run `omnimem doctor`.');
            return vector;
        },
        close: () => thread.close(),
    };
};
//# sourceMappingURL=thread-embedder.js.map