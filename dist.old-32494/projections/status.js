import { ORIGIN } from '../domain/envelope.js';
import { readDeadLetters, readDegraded } from './dead-letter.js';
import { readGeneration, readPointers } from './generation.js';
/** A lag is counted up to here; what is beyond is "at least". */
export const LAG_COUNTED = 10_000;
/** How each view stands. Rejects on an outage. */
export const projectionStatus = async (redis, keys, names) => {
    const [seconds] = await redis.time();
    const letters = await readDeadLetters(redis, keys, LAG_COUNTED);
    return Promise.all(names.map((name) => statusOf(redis, keys, name, Number(seconds), letters)));
};
const statusOf = async (redis, keys, name, seconds, letters) => {
    const pointers = await readPointers(redis, keys, name);
    const serving = pointers.serving === undefined ? undefined : await readGeneration(redis, keys, name, pointers.serving);
    const building = pointers.building === undefined ? undefined : await readGeneration(redis, keys, name, pointers.building);
    const checkpoint = serving?.checkpoint ?? ORIGIN;
    const [oldest] = await redis.xrange(keys.log, `(${checkpoint}`, '+', 'COUNT', 1);
    return {
        name,
        generation: serving?.number,
        version: serving?.version,
        building: building && { generation: building.number, done: building.done, total: building.total },
        checkpoint,
        lagEvents: oldest ? await countAfter(redis, keys, checkpoint) : 0,
        lagSeconds: oldest ? Math.max(0, seconds - Number(oldest[0].split('-')[0]) / 1000) : 0,
        degraded: serving ? await readDegraded(redis, keys, name, serving.number) : new Map(),
        deadLetters: letters.filter((letter) => letter.projection === name && letter.generation === serving?.number).length,
        rebuildFailed: pointers.failed,
    };
};
const countAfter = async (redis, keys, position) => (await redis.xrange(keys.log, `(${position}`, '+', 'COUNT', LAG_COUNTED)).length;
//# sourceMappingURL=status.js.map