import { withServing } from '../../projections/generation.js';
import { readSuppressions, suppressions } from '../../projections/suppressions.js';
import { unavailableWhenDown } from '../valkey/errors.js';
/** The topics that recall leaves out, by name, with the reasons that were given. */
export const listSuppressions = async (parts, _call) => {
    await parts.fresh();
    const { redis, keys } = parts;
    const found = await unavailableWhenDown(() => withServing(redis, keys, suppressions.name, (generation) => readSuppressions(redis, keys, generation)));
    const reasons = Object.fromEntries(found.flatMap(({ topic, reason }) => (reason === undefined ? [] : [[topic, reason]])));
    return { suppressed_topics: found.map(({ topic }) => topic), ...(Object.keys(reasons).length > 0 && { reasons }) };
};
//# sourceMappingURL=suppressions.js.map