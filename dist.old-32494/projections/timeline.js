import { set } from './projection.js';
const line = ({ subject, n, id, type, v, at, actor, correlation, causation }, position) => {
    const row = { n, id, type, v, at, actor, correlation, ...(causation !== undefined && { causation }), position };
    return set(subject, { [n]: JSON.stringify(row) });
};
/** Row per subject: the version an event made, to the event's line. */
export const timeline = {
    name: 'timeline',
    version: 1,
    handles: 'all',
    apply: ({ envelope, position }) => [line(envelope, position)],
    applyHusk: ({ envelope, position }) => [line(envelope, position)],
};
/** The subject's events, oldest first; empty when nothing ever happened to it. */
export const readTimeline = async (redis, keys, generation, subject) => {
    const lines = await redis.hvals(keys.row(timeline.name, generation, subject));
    return lines.map((text) => JSON.parse(text)).sort((a, b) => a.n - b.n);
};
//# sourceMappingURL=timeline.js.map