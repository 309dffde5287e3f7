import { DomainError } from '../../../domain/errors.js';
import { placeFile } from './files.js';
const hostOf = async (env) => {
    const host = env.HF_ENDPOINT || (await import('@huggingface/transformers')).env.remoteHost;
    return host.endsWith('/') ? host : `${host}/`;
};
const reasonOf = (error) => {
    if (!(error instanceof Error))
        return String(error);
    const cause = error.cause instanceof Error ? error.cause : undefined;
    return cause === undefined ? error.message : `${error.message} (${'code' in cause ? cause.code : cause.message})`;
};
/** A signal that aborts when `pulse` was not called for `silenceMs`, or when `signal` aborts. */
const silenceGuard = (silenceMs, signal) => {
    const silent = new AbortController();
    const timer = setTimeout(() => silent.abort(new Error(`no answer for ${silenceMs / 1000} s`)), silenceMs);
    return {
        signal: signal === undefined ? silent.signal : AbortSignal.any([signal, silent.signal]),
        pulse: () => timer.refresh(),
        stop: () => clearTimeout(timer),
    };
};
async function* eachWithPulse(body, pulse) {
    for await (const chunk of body) {
        pulse();
        yield chunk;
    }
}
const download = async (context, file, url) => {
    const guard = silenceGuard(context.limits.silenceMs, context.signal);
    try {
        const response = await fetch(url, { signal: guard.signal });
        guard.pulse();
        if (!response.ok || response.body === null)
            throw new Error(`the answer was ${response.status} ${response.statusText}`.trim());
        await placeFile(context, file, { road: 'hub', origin: url, chunks: eachWithPulse(response.body, guard.pulse) });
    }
    catch (error) {
        context.signal?.throwIfAborted();
        if (error instanceof DomainError)
            throw error;
        throw new DomainError('UNAVAILABLE', `${url} could not be fetched: ${reasonOf(error)}.`, 'Set HF_ENDPOINT to a mirror that answers.', {
            cause: error,
        });
    }
    finally {
        guard.stop();
    }
};
/** Downloads the model at its pinned revision from the hub, or from the mirror that `HF_ENDPOINT` names. */
export const fromHub = async (context) => {
    const { model, revision } = context.manifest.hub;
    const host = await hostOf(context.env);
    for (const file of context.missing)
        await download(context, file, `${host}${model}/resolve/${revision}/${file.path}`);
};
//# sourceMappingURL=hub.js.map