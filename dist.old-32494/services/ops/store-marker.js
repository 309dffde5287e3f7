import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
const pathOf = (dataDir, tenant) => join(dataDir, `store-${tenant}.json`);
/** The marker, or undefined when there is none or it cannot be read. */
export const readMarker = async (dataDir, tenant) => {
    try {
        return JSON.parse(await readFile(pathOf(dataDir, tenant), 'utf8'));
    }
    catch {
        return undefined;
    }
};
/** Writes the marker whole; throws when the folder cannot be written, which health reports. */
export const writeMarker = async (dataDir, tenant, marker) => {
    const path = pathOf(dataDir, tenant);
    const temporary = `${path}.${process.pid}.new`;
    await writeFile(temporary, JSON.stringify(marker));
    await rename(temporary, path);
};
/** Why the store is not the one that was here, in words, or undefined when it is. */
export const storeDiffers = (before, now) => {
    if (!before)
        return undefined;
    if (before.log_id !== now.log_id) {
        return `This is another store than before: it holds log ${now.log_id} (${now.events} events), and log ${before.log_id} with ${before.events} events was here on ${before.seen_at}.`;
    }
    if (now.events < before.events) {
        return `The log is shorter than it was: ${now.events} events now, ${before.events} on ${before.seen_at}.`;
    }
    return undefined;
};
//# sourceMappingURL=store-marker.js.map