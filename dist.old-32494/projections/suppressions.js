import { set } from './projection.js';
const TOPICS = 'topics';
/** One row: suppressed topic to its reason and time. */
export const suppressions = {
    name: 'suppressions',
    version: 1,
    handles: ['TopicSuppressed', 'TopicUnsuppressed'],
    apply: (event) => {
        switch (event.type) {
            case 'TopicSuppressed': {
                const { topic, reason } = event.data;
                return [set(TOPICS, { [topic]: JSON.stringify({ reason, since: event.envelope.at }) })];
            }
            case 'TopicUnsuppressed':
                return [set(TOPICS, { [event.data.topic]: undefined })];
            default:
                return [];
        }
    },
};
/** Every suppressed topic, by name. */
export const readSuppressions = async (redis, keys, generation) => {
    const topics = await redis.hgetall(keys.row(suppressions.name, generation, TOPICS));
    return Object.entries(topics)
        .map(([topic, json]) => {
        const { reason, since } = JSON.parse(json);
        return { topic, reason, since };
    })
        .sort((a, b) => (a.topic < b.topic ? -1 : 1));
};
//# sourceMappingURL=suppressions.js.map