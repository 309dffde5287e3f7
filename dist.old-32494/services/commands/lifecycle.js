import { DomainError } from '../../domain/errors.js';
import { isLive, memoryDecider } from '../../domain/memory/memory.js';
import { surfaceScore } from '../../domain/scoring.js';
import { handleCommand } from '../eventlog/handle.js';
import { textClaim } from './claims.js';
import { isKey, parseKey } from './keys.js';
import { stampOf, visibility } from './parts.js';
import { expectFree } from './retag.js';
const MAX_REASON = 2_000;
/** Lowers a memory's weight in recall, with a reason and with hints that bring it back. */
export const deprioritise = async (parts, input, call) => {
    const reason = parseReason(input.reason);
    const reinstate_hints = (input.reinstate_hints ?? []).map((hint) => hint.trim()).filter((hint) => hint !== '');
    return change(parts, input.key_or_query, call, {
        command: { type: 'DeprioritiseMemory', data: { reason, reinstate_hints } },
        to: 'deprioritised',
        applies: ({ status }) => status === 'active',
    });
};
/** Takes a memory out of recall; it stays readable and can come back. */
export const archive = async (parts, input, call) => change(parts, input.key_or_query, call, {
    command: { type: 'ArchiveMemory', data: input.reason === undefined ? {} : { reason: parseReason(input.reason) } },
    to: 'archived',
    applies: ({ status }) => status !== 'archived',
});
/** Makes a deprioritised or archived memory active again. */
export const reinstate = async (parts, input, call) => change(parts, input.key_or_query, call, {
    command: { type: 'ReinstateMemory', data: {} },
    to: 'active',
    applies: ({ status }) => status !== 'active',
    anyOfTheBest: true,
});
const change = async (parts, keyOrQuery, call, change) => {
    const byKey = isKey(keyOrQuery);
    const keys = byKey ? [parseKey(keyOrQuery)] : await matching(parts, keyOrQuery, change.anyOfTheBest ?? false);
    if (keys.length === 0)
        return { affected: [], note: NO_MATCH };
    const { result, appended } = expectFree(await handleCommand(parts.log, memoryDecider, keys, stampOf(parts, call), (memories) => {
        const writes = [];
        const affected = [];
        for (const { subject, state } of memories) {
            if (!byKey && !(isLive(state) && change.applies(state)))
                continue;
            const events = memoryDecider.decide(change.command, state);
            if (!isLive(state))
                continue;
            writes.push({ subject, events, ...claimChange(parts.log.salt, state, change.to) });
            affected.push({
                key: subject,
                previous_state: state.status,
                new_state: change.to,
                surface_score: surfaceScore(change.to, state.enriched_from !== undefined, parts.deprioritisedWeight),
            });
        }
        return { writes, result: { affected } };
    }));
    const { affected } = result;
    return { affected, ...(affected.length === 0 && { note: NO_MATCH }), ...(await visibility(parts, appended)) };
};
const NO_MATCH = 'No memory matches the query well enough to be changed without its key. Call recall_index and pass the key.';
const matching = async (parts, query, anyOfTheBest) => {
    const best = (await parts.bestMatches(query, anyOfTheBest)).slice(0, 3);
    return best.filter(({ confident }) => anyOfTheBest || confident).map(({ key }) => key);
};
/** An archived text may be remembered anew, so its claim is free; coming back it takes it again unless it is held by now. */
const claimChange = (salt, { namespace, project, content, status }, to) => {
    const claim = textClaim(salt, namespace, project, content);
    if (to === 'archived')
        return { release: [claim] };
    return status === 'archived' ? { claims: [{ claim, mode: 'ifFree' }] } : {};
};
const parseReason = (text) => {
    const reason = text.trim();
    if (reason !== '' && reason.length <= MAX_REASON)
        return reason;
    throw new DomainError('VALIDATION', `The reason has ${reason.length} characters; 1 to ${MAX_REASON} are allowed`, 'Say in a sentence why');
};
//# sourceMappingURL=lifecycle.js.map