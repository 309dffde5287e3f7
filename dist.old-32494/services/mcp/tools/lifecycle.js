/** What deprioritise, archive and reinstate answer. */
export const LIFECYCLE_OUTPUT = { affected: 'object[]', note: 'string', visible: 'boolean' };
export const CUT_AFFECTED = {
    list: 'affected',
    from: 'end',
    say: (_answer, dropped) => ({
        cut: { keys: dropped.map((transition) => transition.key), note: 'These were changed as well.' },
    }),
};
//# sourceMappingURL=lifecycle.js.map