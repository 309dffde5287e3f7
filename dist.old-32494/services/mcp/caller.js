import { DomainError, isDomainError } from '../../domain/errors.js';
import { withinCeiling } from './ceiling.js';
import { errorResultOf, refusalOf, resultOf } from './result.js';
/** While a call waits it repeats what for, so that the host sees that it lives. */
const REPEAT_MS = 5_000;
/**
 * Runs tools against the app: arguments are checked at once, then the call waits for the store if it needs it, then the
 * answer is held under the ceiling. Refusals and faults are answers too; only a cancelled call throws.
 */
export const createToolCaller = ({ app, maxTokens, readyWaitMs, log }) => async ({ tool, arguments: raw, actor, signal, progress }) => {
    const begun = performance.now();
    const count = (outcome) => app.countToolCall(tool.name, outcome, performance.now() - begun);
    try {
        const prepared = tool.prepare(raw);
        if (tool.needsStore)
            await storeReady(app, readyWaitMs, progress, signal);
        const ceiling = Math.min(maxTokens, prepared.maxTokens ?? maxTokens);
        const call = { actor, commandId: prepared.commandId, signal, progress };
        const answer = await prepared.run({ app, call, maxTokens: ceiling });
        count('ok');
        return resultOf(withinCeiling(answer, ceiling, tool), tool.text);
    }
    catch (error) {
        if (signal.aborted) {
            count('CANCELLED');
            throw error;
        }
        const refusal = refusalOf(error);
        count(refusal.code);
        if (refusal.code === 'INTERNAL')
            log.error({ err: error, tool: tool.name, actor }, 'a tool call failed');
        return errorResultOf(refusal);
    }
};
const storeReady = async (app, timeoutMs, progress, signal) => {
    let waitingFor;
    const repeat = setInterval(() => progress(`waiting for ${waitingFor ?? 'the store'}`), REPEAT_MS);
    try {
        await app.whenReady(timeoutMs, (what) => {
            waitingFor = what;
            progress(`waiting for ${what}`);
        }, signal);
    }
    catch (error) {
        if (!isDomainError(error, 'UNAVAILABLE') || waitingFor === undefined)
            throw error;
        const message = `${error.message} (waited ${Math.round(timeoutMs / 1_000)} s for ${waitingFor})`;
        throw new DomainError('UNAVAILABLE', message, error.hint ?? 'Try again in a moment; health says what is missing.', { cause: error });
    }
    finally {
        clearInterval(repeat);
    }
};
//# sourceMappingURL=caller.js.map