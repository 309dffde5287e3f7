import { readPointers, retireGeneration } from './generation.js';
import { deleteGeneration } from './rows.js';
/** Deletes generations whose grace is over, and one that a process which died left half built. For the lease's holder, not during a rebuild. */
export const sweep = async (holder, graceMs) => {
    const { redis, keys, name, now } = holder;
    const { building, retired } = await readPointers(redis, keys, name);
    if (building !== undefined) {
        await retireGeneration({ ...holder, now: 0 }, building);
        await deleteGeneration(redis, keys, name, building);
    }
    for (const [generation, at] of retired) {
        if (now - at >= graceMs)
            await deleteGeneration(redis, keys, name, generation);
    }
};
//# sourceMappingURL=sweep.js.map