import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DomainError } from '../../domain/errors.js';
import { MINILM_Q8 } from './manifest.js';
import { fromDirectory } from './roads/directory.js';
import { sha256Of, sizeOf, writeOwnFiles } from './roads/files.js';
import { fromHub } from './roads/hub.js';
import { fromMaven } from './roads/maven.js';
const ROADS = { directory: fromDirectory, hub: fromHub, maven: fromMaven };
/** The order in which the roads are tried. */
export const ROAD_NAMES = ['directory', 'hub', 'maven'];
/** No road led to the model. `failed` has each one's reason. */
export class ModelUnreachable extends DomainError {
    failed;
    constructor(manifest, failed) {
        const reasons = failed.map(({ road, reason }) => `${road}: ${reason}`).join(' | ');
        super('UNAVAILABLE', `The model ${manifest.name} (${manifest.dtype}) could not be fetched. ${reasons}`, 'Set OMNIMEM_MODEL_DIR to a folder with the model, or HF_ENDPOINT to a mirror of the hub, or put `mvn` on PATH; then run `omnimem model fetch`.');
        this.failed = failed;
    }
}
const LIMITS = { silenceMs: 20_000, mavenMs: 300_000 };
const filesOf = ({ tokenizer, graph }) => [tokenizer, graph];
/** The folder of one model below the folder of all models. */
export const modelDir = (models, { name, dtype }) => join(models, `${name}-${dtype}`);
/** Whether every file is there in its full size. The bytes themselves are checked when the model is loaded, or by `fetchModel`. */
export const looksFetched = async (models, manifest) => {
    const sizes = await Promise.all(filesOf(manifest).map(({ path }) => sizeOf(join(modelDir(models, manifest), path))));
    return filesOf(manifest).every(({ bytes }, i) => sizes[i] === bytes);
};
/** The files that must still be brought. One that is there and is not the pinned one is removed and reported. */
const missingFiles = async (dir, manifest, fail) => {
    const missing = [];
    for (const file of filesOf(manifest)) {
        const path = join(dir, file.path);
        const size = await sizeOf(path);
        if (size === file.bytes && (await sha256Of(path)) === file.sha256)
            continue;
        if (size !== undefined) {
            fail({ road: 'disk', reason: `${file.path} was altered (it is not the pinned file) and was removed.` });
            await rm(path);
        }
        missing.push(file);
    }
    return missing;
};
/**
 * Brings a model to disk and returns where it lies. Every file is checked against its pinned SHA-256, those already there
 * included. Files that came stay when a later one fails, so running it again goes on where it stopped.
 *
 * Throws ModelUnreachable when no road leads to all files, and the signal's reason when it aborts.
 */
export const fetchModel = async (options) => {
    const { manifest = MINILM_Q8, roads = ROAD_NAMES, env = process.env, signal, onProgress = () => { } } = options;
    const dir = modelDir(options.dir, manifest);
    const failed = [];
    const fail = (failure) => {
        failed.push(failure);
        options.onFailure?.(failure);
    };
    const context = { manifest, dir, env, signal, onProgress, limits: { ...LIMITS, ...options.limits } };
    let missing = await missingFiles(dir, manifest, fail);
    if (missing.length === 0)
        return { dir, manifest, road: 'disk', failed };
    await writeOwnFiles(dir, manifest);
    for (const road of roads) {
        signal?.throwIfAborted();
        try {
            await ROADS[road]({ ...context, missing });
            return { dir, manifest, road, failed };
        }
        catch (error) {
            signal?.throwIfAborted();
            fail({ road, reason: error instanceof Error ? error.message : String(error) });
        }
        missing = await missingFiles(dir, manifest, fail);
    }
    throw new ModelUnreachable(manifest, failed);
};
//# sourceMappingURL=fetch.js.map