import type { Readable, Writable } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Logger } from '../log.js';
import { instructionsFor } from './instructions.js';
import { createMcpServer } from './server.js';
import { createLineTransport } from './stdio/line-transport.js';
import { createRemoteCaller, type RemoteParts } from './stdio/remote.js';
import { listTools, type Toolset, toolsByName } from './toolset.js';

export { guardStdout } from './stdio/guard.js';
export type { Instance } from './stdio/remote.js';

export type StdioParts = RemoteParts & {
  readonly version: string;
  readonly toolset: Toolset;
  /** Default true. */
  readonly outputSchemas?: boolean;
  readonly log: Logger;
  readonly input: Readable;
  /** What `guardStdout` returned. */
  readonly output: Writable;
  /** How long running calls may take after the input has ended. Default 30 s. */
  readonly drainMs?: number;
};

const MAX_LINE_BYTES = 10 * 1024 * 1024;

/**
 * Serves one client over standard input and output. `initialize` and `tools/list` are answered here; tools run in a running
 * instance, which is looked for at the first call. Resolves when the input has ended and running calls are answered: the
 * process may then exit with 0.
 */
export const runStdio = async ({
  connectInstance,
  version,
  toolset,
  outputSchemas = true,
  log,
  input,
  output,
  drainMs = 30_000,
}: StdioParts): Promise<void> => {
  const call = createRemoteCaller({ connectInstance });
  const parts = { version, instructions: instructionsFor(toolset), listed: listTools(toolset, outputSchemas), tools: toolsByName, call };
  const transport = createLineTransport({ input, output, drainMs, maxLineBytes: MAX_LINE_BYTES });
  serveStdio(() => createMcpServer(parts), { transport, onerror: (error) => log.debug({ reason: error.message }, 'stdio') });
  await transport.ended;
};
