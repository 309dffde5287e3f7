import { fetchModel, looksFetched, modelDir } from './fetch.js';
import { MINILM_Q8 } from './manifest.js';
import { openMiniLm } from './minilm.js';
import { AlteredModel } from './thread/client.js';
/**
 * Opens MiniLM by the shortest way: what lies on disk when it is whole, else after fetching it. A file that turns out to be
 * altered while it is loaded is fetched again. Throws as `fetchModel` and `openMiniLm` do.
 */
export const acquireMiniLm = async (options) => {
    const { manifest = MINILM_Q8, signal } = options;
    if (await looksFetched(options.dir, manifest)) {
        try {
            return await openMiniLm({ dir: modelDir(options.dir, manifest), manifest, ...(signal && { signal }) });
        }
        catch (error) {
            if (!(error instanceof AlteredModel))
                throw error;
        }
    }
    const { dir } = await fetchModel(options);
    return openMiniLm({ dir, manifest, ...(signal && { signal }) });
};
//# sourceMappingURL=acquire.js.map