import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { instructionsFor } from './instructions.js';
import { createMcpServer } from './server.js';
import { createLineTransport } from './stdio/line-transport.js';
import { createRemoteCaller } from './stdio/remote.js';
import { listTools, toolsByName } from './toolset.js';
export { guardStdout } from './stdio/guard.js';
const MAX_LINE_BYTES = 10 * 1024 * 1024;
/**
 * Serves one client over standard input and output. `initialize` and `tools/list` are answered here; tools run in a running
 * instance, which is looked for at the first call. Resolves when the input has ended and running calls are answered: the
 * process may then exit with 0.
 */
export const runStdio = async ({ connectInstance, version, toolset, outputSchemas = true, log, input, output, drainMs = 30_000, }) => {
    const call = createRemoteCaller({ connectInstance });
    const parts = { version, instructions: instructionsFor(toolset), listed: listTools(toolset, outputSchemas), tools: toolsByName, call };
    const transport = createLineTransport({ input, output, drainMs, maxLineBytes: MAX_LINE_BYTES });
    serveStdio(() => createMcpServer(parts), { transport, onerror: (error) => log.debug({ reason: error.message }, 'stdio') });
    await transport.ended;
};
//# sourceMappingURL=stdio.js.map