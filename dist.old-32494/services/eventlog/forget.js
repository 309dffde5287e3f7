import { loadScript, runScript } from '../../projections/scripts.js';
import { madeEvents, RESULT_SECONDS, repeated } from './append.js';
import { encodeEvent } from './encode.js';
/** Names of the counters kept per memory beside the log. */
export const RECALL_COUNTERS = { count: 'recalls', last: 'last-recalled' };
const SCRIPT = loadScript('services/eventlog/forget.lua');
/** Appends `MemoryForgotten` for each subject and erases what is known of it, in one step. Rejects with the raw Valkey error. */
export const forgetSubjects = async (redis, keys, catalogue, random, forget) => {
    const scriptKeys = [
        keys.log,
        keys.erasures,
        keys.claims,
        keys.commandResult(forget.commandId),
        keys.counter(RECALL_COUNTERS.count),
        keys.counter(RECALL_COUNTERS.last),
    ];
    const args = ['', JSON.stringify(forget.result)];
    const writes = forget.subjects.map(({ subject, expected, deletes }) => {
        const event = encodeEvent({ type: 'MemoryForgotten', data: {} }, forget, catalogue, random);
        return {
            k: scriptKeys.push(keys.payloads(subject)),
            s: args.push(subject),
            x: expected,
            ev: args.push(...event.args) - event.args.length + 1,
            d: deletes.map((key) => scriptKeys.push(key)),
        };
    });
    args[0] = JSON.stringify({ t: RESULT_SECONDS, r: 2, w: writes });
    const [outcome, first, second] = (await runScript(redis, SCRIPT, scriptKeys, args));
    switch (outcome) {
        case 'ok':
            return { outcome: 'appended', events: madeEvents(JSON.parse(String(first))), result: forget.result };
        case 'repeat':
            return repeated(String(first));
        case 'version':
            return { outcome: 'version', subject: forget.subjects[Number(first)]?.subject ?? '', actual: Number(second) };
        default:
            throw new Error(`forget.lua answered ${String(outcome)}`);
    }
};
//# sourceMappingURL=forget.js.map