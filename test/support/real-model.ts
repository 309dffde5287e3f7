import { fileURLToPath } from 'node:url';
import { type FetchedModel, fetchModel } from '../../services/embedding/fetch.js';
import { MINILM_Q8, type ModelManifest } from '../../services/embedding/manifest.js';

/** Where test runs keep the fetched models, so that only the first one fetches. */
export const TEST_MODELS = fileURLToPath(new URL('../../data/test-models', import.meta.url));

/** The real MiniLM, or the reason for which no road leads to it here. */
export const realModel = async (manifest: ModelManifest = MINILM_Q8): Promise<FetchedModel | string> => {
  try {
    return await fetchModel({ dir: TEST_MODELS, manifest });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};
