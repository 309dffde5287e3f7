import { DomainError } from '../../domain/errors.js';
import { loadScript, runScript } from '../../projections/scripts.js';
import { fromValkey } from '../valkey/errors.js';
import { encodeEvent } from './encode.js';
/** More than this many events are not one append: they go in numbered batches of one correlation. */
export const MAX_EVENTS = 2_000;
export const RESULT_SECONDS = 24 * 60 * 60;
const MAX_GROUP_BYTES = 8 * 1024 * 1024;
const SCRIPT = loadScript('services/eventlog/append.lua');
/**
 * Group commit: commands that arrive while the loop is busy share one call of the script, and with it one sync of the
 * append-only file; each is still decided on its own. Rejects with the raw Valkey error, EventFault for an event that does
 * not fit the catalogue, and TOO_LARGE beyond MAX_EVENTS.
 */
export const createAppender = (redis, keys, catalogue, random) => {
    let waiting = [];
    let scheduled = false;
    const flush = () => {
        scheduled = false;
        while (waiting.length > 0) {
            let events = 0;
            let bytes = 0;
            const end = waiting.findIndex((pending, i) => {
                events += pending.events.reduce((sum, list) => sum + list.length, 0);
                bytes += pending.bytes;
                return i > 0 && (events > MAX_EVENTS || bytes > MAX_GROUP_BYTES);
            });
            const group = end < 0 ? waiting : waiting.slice(0, end);
            waiting = end < 0 ? [] : waiting.slice(end);
            void send(group);
        }
    };
    const send = async (group) => {
        try {
            const call = planOf(group, keys);
            const answers = (await runScript(redis, SCRIPT, call.keys, call.args));
            group.forEach((pending, i) => {
                pending.resolve(answerOf(pending.append, answers[i] ?? []));
            });
        }
        catch (error) {
            // A script keeps what it wrote before an error of its own: asked alone, each command learns what became of it.
            const ownFault = fromValkey(error) === error;
            if (ownFault && group.length > 1)
                for (const pending of group)
                    void send([pending]);
            else
                for (const pending of group)
                    pending.reject(error);
        }
    };
    return (append) => new Promise((resolve, reject) => {
        refuseTooLarge(append);
        const events = append.writes.map((write) => write.events.map((event) => encodeEvent(event, append, catalogue, random)));
        const bytes = events.flat().reduce((sum, { payload }) => sum + payload.length, 0);
        waiting.push({ append, events, bytes, resolve, reject });
        if (!scheduled) {
            scheduled = true;
            setImmediate(flush);
        }
    });
};
const refuseTooLarge = ({ writes }) => {
    const count = writes.reduce((sum, { events }) => sum + events.length, 0);
    if (count <= MAX_EVENTS)
        return;
    throw new DomainError('TOO_LARGE', `${count} events are more than the ${MAX_EVENTS} that one append holds`, 'Split the call into parts');
};
const planOf = (group, keys) => {
    const scriptKeys = [keys.log, keys.erasures, keys.claims];
    const args = [''];
    const key = (name) => scriptKeys.push(name);
    const arg = (...values) => args.push(...values) - values.length + 1;
    const plan = group.map(({ append, events }) => ({
        c: key(keys.commandResult(append.commandId)),
        t: RESULT_SECONDS,
        r: arg(JSON.stringify(append.result)),
        ...(append.erasures !== undefined && { e: append.erasures }),
        g: (append.guards ?? []).map(({ subject, version }) => [key(keys.payloads(subject)), version]),
        w: append.writes.map((write, i) => ({
            k: key(keys.payloads(write.subject)),
            s: arg(write.subject),
            x: write.expected === 'any' ? -1 : write.expected,
            ev: (events[i] ?? []).map((event) => [arg(...event.args), event.setsContent ? 1 : 0]),
            cl: (write.claims ?? []).map(({ claim, mode }) => [arg(claim), mode === 'free' ? 1 : 0]),
            rl: (write.release ?? []).map((claim) => arg(claim)),
            ...(write.vectors && { em: [key(keys.embedding(write.vectors.model, write.subject)), arg(write.vectors.bytes)] }),
        })),
    }));
    args[0] = JSON.stringify(plan);
    return { keys: scriptKeys, args };
};
export const madeEvents = (made) => made.map(([n, position]) => ({ n, position }));
/** The first result of a command that was met again. */
export const repeated = (stored) => {
    const { events, result } = JSON.parse(stored);
    return { outcome: 'repeated', events: madeEvents(events), result };
};
const answerOf = (append, [outcome, first, second, third]) => {
    switch (outcome) {
        case 'ok':
            return { outcome: 'appended', events: madeEvents(JSON.parse(String(first))), result: append.result };
        case 'repeat':
            return repeated(String(first));
        case 'version':
            return { outcome: 'version', subject: append.writes[Number(first)]?.subject ?? '', actual: Number(second) };
        case 'guard':
            return { outcome: 'version', subject: append.guards?.[Number(first)]?.subject ?? '', actual: Number(second) };
        case 'claim':
            return { outcome: 'claimed', subject: append.writes[Number(first)]?.subject ?? '', claim: String(second), holder: String(third) };
        case 'erasures':
            return { outcome: 'erasures', actual: Number(first) };
        default:
            throw new Error(`append.lua answered ${String(outcome)}`);
    }
};
//# sourceMappingURL=append.js.map