import { type Runner, runTypeScript } from '../support/run-ts.js';

/** The whole product in a process of its own that a test can kill: `npm start` without the screen. */
const SERVER = `import { createLogger } from './services/log.ts';
import { loadConfig } from './services/config.ts';
import { startInstance } from './services/instance.ts';
const [dataDir, env] = process.argv.slice(2);
const { config } = loadConfig({ OMNIMEM_DATA_DIR: dataDir, OMNIMEM_MIN_FREE_MB: '0', MCP_PORT: '0', EMBEDDING: 'none', LOG_LEVEL: 'silent', ...JSON.parse(env) });
const stopping = new AbortController();
const instance = await startInstance({ config, logger: createLogger({ level: 'silent' }), signal: stopping.signal });
const failed = instance.steps.filter(({ state }) => state !== 'ok').map(({ name, detail }) => name + ': ' + detail);
process.on('SIGTERM', async () => { stopping.abort(); await instance.close(); console.log(JSON.stringify({ closed: true })); process.exit(0); });
console.log(JSON.stringify({ url: instance.mcpUrl, failed }));
process.on('SIGUSR2', () => { globalThis.gc?.(); console.log(JSON.stringify({ rss: process.memoryUsage.rss(), heap: process.memoryUsage().heapUsed })); });
setInterval(() => {}, 1e6);`;

export type ServerProcess = Runner & { readonly url: string };

/** Resolves when it is ready; throws what failed at its start. */
export const startServerProcess = async (dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> => {
  const runner = await runTypeScript(SERVER, [dataDir, JSON.stringify(env)]);
  const { url, failed } = (await runner.next()) as { url?: string; failed: string[] };
  if (url === undefined || failed.length > 0) {
    await runner.kill();
    throw new Error(`the server did not start: ${failed.join('; ')}`);
  }
  return { ...runner, url };
};

/** Ends it as Ctrl-C does, and waits. */
export const stopServerProcess = async (server: ServerProcess): Promise<void> => {
  await server.kill('SIGTERM');
};
