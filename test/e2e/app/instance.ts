import { loadConfig } from '../../../services/config.js';
import { type RunningInstance, startInstance } from '../../../services/instance.js';
import { createLogger } from '../../../services/log.js';

/** The whole product in this process, with a Valkey of its own on this folder. Throws when a step of the start failed. */
export const startWhole = async (
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningInstance & { readonly url: string }> => {
  const { config } = loadConfig({
    OMNIMEM_DATA_DIR: dataDir,
    OMNIMEM_MIN_FREE_MB: '0',
    MCP_PORT: '0',
    EMBEDDING: 'none',
    LOG_LEVEL: 'silent',
    ...env,
  });
  const instance = await startInstance({ config, logger: createLogger({ level: 'silent' }), signal: new AbortController().signal });
  const failed = instance.steps.filter(({ state }) => state !== 'ok');
  if (failed.length > 0 || instance.mcpUrl === undefined) {
    await instance.close();
    throw new Error(`the start failed: ${JSON.stringify(failed)}`);
  }
  return {
    ...instance,
    /** Another one once a restored log took the place of the first. */
    get opened() {
      return instance.opened;
    },
    url: instance.mcpUrl,
  };
};
