import type { Writable } from 'node:stream';
import { loadConfig } from '../config.js';
import { runUntilStopped } from '../lifecycle.js';
import { createLogger } from '../log.js';
import { runStdio } from '../mcp/stdio.js';
import { VERSION } from '../version.js';
import { environmentOf, type GlobalOptions } from './context.js';
import { createSession } from './session.js';

/** A host that only looks at the tools is gone by then, and no instance is started for it. */
const WARM_UP_MS = 1_000;

/**
 * Serves one client until its input ends. The instance is reached before the first call, so that it is ready by then; when
 * this was its last client, this waits until it has stopped.
 */
export const serveStdioClient = async (output: Writable, globals: GlobalOptions): Promise<void> => {
  const { config, warnings, secrets } = loadConfig(environmentOf(globals));
  const format = process.stderr.isTTY ? 'text' : 'json';
  const log = createLogger({ level: config.log.level, format, secrets });
  for (const warning of warnings) log.warn(warning);
  const session = createSession(config);
  const connectInstance = (progress: (what: string) => void) => session.connect((what) => progress(`waiting for ${what}`));
  const warmUp = setTimeout(() => {
    session.connect().catch((error: Error) => log.warn({ reason: error.message }, 'no instance yet; the first call tries again'));
  }, WARM_UP_MS);
  await runUntilStopped(async (signal) => {
    signal.addEventListener('abort', () => process.stdin.destroy(), { once: true });
    await runStdio({
      connectInstance,
      version: VERSION,
      toolset: config.mcp.toolset,
      outputSchemas: config.mcp.outputSchemas,
      log,
      input: process.stdin,
      output,
    });
    clearTimeout(warmUp);
    process.stdin.destroy();
    await session.close();
  });
};
