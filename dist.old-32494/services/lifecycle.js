import { DomainError, isDomainError } from '../domain/errors.js';
/** One Ctrl-C can arrive twice: from the terminal, and passed on by npm. */
const ECHO_MS = 300;
/**
 * Runs until SIGINT or SIGTERM, then gives `run` `graceMs` (default 10 s) to finish what it holds; a second signal or the
 * end of the grace exits with code 1. Returns, or throws what `run` throws, when `run` ends; the listeners are gone then.
 */
export const runUntilStopped = async (run, graceMs = 10_000) => {
    const stopping = new AbortController();
    let grace;
    let first = 0;
    const onSignal = () => {
        if (stopping.signal.aborted) {
            if (performance.now() - first > ECHO_MS)
                process.exit(1);
            return;
        }
        first = performance.now();
        grace = setTimeout(() => process.exit(1), graceMs);
        grace.unref();
        stopping.abort();
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
    try {
        await run(stopping.signal);
    }
    finally {
        clearTimeout(grace);
        process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    }
};
/** Throws VALIDATION for a name given twice, an unknown dependency or a circle. */
export const createStartup = (steps, { signal, onChange }) => {
    const ordered = inOrder(steps);
    const reports = new Map(ordered.map(({ name }) => [name, { name, state: 'waiting', detail: '', ms: undefined }]));
    const running = new Map();
    const set = (name, state, detail, ms) => {
        const report = { name, state, detail, ms };
        reports.set(name, report);
        onChange?.(report);
    };
    const perform = async ({ name, after = [], run }) => {
        await Promise.all(after.map((dependency) => running.get(dependency)));
        const blocking = after.find((dependency) => reports.get(dependency)?.state !== 'ok');
        if (blocking !== undefined)
            return set(name, 'waiting', `waits for ${blocking}, which is ${reports.get(blocking)?.state ?? 'missing'}`);
        if (signal.aborted)
            return set(name, 'waiting', 'stopped before it began');
        const begun = performance.now();
        const elapsed = () => Math.round(performance.now() - begun);
        set(name, 'running', '');
        try {
            set(name, 'ok', await run((detail) => set(name, 'running', detail), signal), elapsed());
        }
        catch (error) {
            set(name, 'failed', reasonOf(error), elapsed());
        }
    };
    const runAll = async (wanted) => {
        for (const step of ordered) {
            if (running.has(step.name) || !wanted(step))
                continue;
            running.set(step.name, perform(step).finally(() => running.delete(step.name)));
        }
        await Promise.all(running.values());
        return report();
    };
    const report = () => steps.flatMap(({ name }) => reports.get(name) ?? []);
    const notOk = ({ name }) => reports.get(name)?.state !== 'ok';
    return {
        run: () => runAll(notOk),
        rerun: (name) => {
            if (!reports.has(name))
                throw new DomainError('NOT_FOUND', `There is no start-up step ${name}`, `Steps: ${[...reports.keys()].join(', ')}`);
            const affected = new Set([name]);
            for (const step of ordered)
                if (step.after?.some((dependency) => affected.has(dependency)))
                    affected.add(step.name);
            return runAll((step) => step.name === name || (affected.has(step.name) && notOk(step)));
        },
        report,
    };
};
const reasonOf = (error) => {
    const message = error instanceof Error ? error.message : String(error);
    return isDomainError(error) && error.hint ? `${message}. ${error.hint}` : message;
};
/** Dependencies before those that name them. */
const inOrder = (steps) => {
    const byName = new Map(steps.map((step) => [step.name, step]));
    if (byName.size !== steps.length)
        throw new DomainError('VALIDATION', 'Two start-up steps have one name');
    const placed = new Set();
    const place = (step, path) => {
        if (placed.has(step))
            return;
        if (path.includes(step.name))
            throw new DomainError('VALIDATION', `Start-up steps wait for each other: ${[...path, step.name].join(' > ')}`);
        for (const name of step.after ?? []) {
            const dependency = byName.get(name);
            if (!dependency)
                throw new DomainError('VALIDATION', `Start-up step ${step.name} waits for ${name}, which does not exist`);
            place(dependency, [...path, step.name]);
        }
        placed.add(step);
    };
    for (const step of steps)
        place(step, []);
    return [...placed];
};
//# sourceMappingURL=lifecycle.js.map