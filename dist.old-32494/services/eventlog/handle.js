import { DomainError } from '../../domain/errors.js';
const ATTEMPTS = 5;
export const stateOf = ({ initialState, evolve }, history) => ({
    subject: history.subject,
    version: history.version,
    state: history.events.reduce(evolve, initialState()),
    claims: history.claims,
});
/**
 * The one way a command changes the world: load the subjects, decide, append with the versions that were seen; a subject
 * that was loaded and not written is a guard, since the decision rests on it. Only a
 * version conflict is retried, with a fresh load, at most five times; `claimed` is for the caller to answer.
 * An empty decision appends nothing.
 */
export const handleCommand = async (log, decider, subjects, stamp, decide) => {
    // The script would find the earlier result too, but a decision on the state it left may be to do nothing.
    const first = stamp.repeatable ? await log.firstAnswer(stamp.commandId) : undefined;
    if (first)
        return { result: first.result, appended: first };
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const loaded = (await log.load(subjects)).map((history) => stateOf(decider, history));
        const { writes, result } = decide(loaded);
        const changing = writes.filter(({ events }) => events.length > 0);
        if (changing.length === 0)
            return { result, appended: undefined };
        const versions = new Map(loaded.map(({ subject, version }) => [subject, version]));
        const written = new Set(changing.map(({ subject }) => subject));
        const answer = await log.append({
            ...stamp,
            writes: changing.map((write) => ({ ...write, expected: versions.get(write.subject) ?? 0 })),
            guards: loaded.filter(({ subject }) => !written.has(subject)),
            result,
        });
        if (answer.outcome === 'appended' || answer.outcome === 'repeated')
            return { result: answer.result, appended: answer };
        if (answer.outcome === 'claimed')
            return { claimedBy: answer.holder };
    }
    throw new DomainError('CONFLICT', 'Others kept changing the same memory', 'Read it again and repeat the call if it is still wanted');
};
//# sourceMappingURL=handle.js.map