import { type AddCommand, examples } from '../command.js';
import type { GlobalOptions } from '../context.js';

export const addMcp: AddCommand = (program) => {
  const command = program
    .command('mcp')
    .summary('serve one MCP client over standard input and output')
    .description(
      'Serves one MCP client over standard input and output. Tools run in the instance on the data folder; when none runs, one is started in the background and ends with its last client. Its log is omnimem.log in the data folder. Clients that speak HTTP need no such command: omnimem start prints their address.',
    )
    .requiredOption('--stdio', 'over standard input and output')
    .addHelpText('after', examples('claude mcp add omnimem -- omnimem mcp --stdio'));
  command.action(async () => {
    const { guardStdout } = await import('../../mcp/stdio/guard.js');
    const output = guardStdout();
    const { dataDir } = command.optsWithGlobals<GlobalOptions>();
    const { serveStdioClient } = await import('../stdio.js');
    await serveStdioClient(output, { ...(dataDir !== undefined && { dataDir }) });
  });
};
