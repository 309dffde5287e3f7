import type { TestApp } from '../support/app.js';
import { type Runner, runTypeScript } from '../support/run-ts.js';

/** A process that keeps the views and the vectors of a store, and says which views it writes whenever that changes. */
const WORKER = `import { createLogger } from './services/log.ts';
import { loadConfig } from './services/config.ts';
import { openApp } from './services/app.ts';
import { hashedEmbedder, providerOf } from './test/support/embedders.ts';
const [path, tenant, dataDir] = process.argv.slice(2);
const { config } = loadConfig({ OMNIMEM_DATA_DIR: dataDir, OMNIMEM_TENANT: tenant, OMNIMEM_MIN_FREE_MB: '0', LOG_LEVEL: 'silent' });
const app = await openApp({ config, logger: createLogger({ level: 'silent' }), target: { path }, provider: providerOf(hashedEmbedder()) });
process.on('SIGTERM', async () => { await app.close(); process.exit(0); });
let told = '';
setInterval(() => {
  const held = [...app.runner.state().held].sort().join();
  if (held === told) return;
  told = held;
  console.log(JSON.stringify(held.split(',').filter(Boolean)));
}, 5);`;

export type Worker = Runner & {
  /** Resolves when it writes every view. */
  readonly holding: (views: number) => Promise<void>;
};

export const startWorker = async ({ valkey, keys, dataDir }: Pick<TestApp, 'valkey' | 'keys' | 'dataDir'>): Promise<Worker> => {
  const runner = await runTypeScript(WORKER, [valkey.socket, keys.tenant, dataDir]);
  return {
    ...runner,
    holding: async (views) => {
      for (;;) if (((await runner.next()) as string[]).length === views) return;
    },
  };
};
