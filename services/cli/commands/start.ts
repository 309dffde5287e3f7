import { type AddCommand, examples } from '../command.js';
import type { GlobalOptions } from '../context.js';

export const addStart: AddCommand = (program) => {
  const command = program
    .command('start')
    .summary('run the server until Ctrl-C')
    .description(
      'Runs OmniMem until Ctrl-C: a Valkey of its own (unless VALKEY_URL is set), the views of the event log, the embedding model and the MCP server. Prints the addresses and the line that connects Claude Code. The same as npm start.',
    )
    .addHelpText('after', examples('omnimem start', 'MCP_PORT=9000 omnimem start', 'omnimem start --data-dir ~/memory'));
  command.action(async () => {
    const { json, dataDir } = command.optsWithGlobals<GlobalOptions>();
    if (dataDir !== undefined) process.env.OMNIMEM_DATA_DIR = dataDir;
    const { serve } = await import('../../serve.js');
    process.exitCode = await serve({ roles: ['mcp', 'projector'], json: json ?? false });
  });
};
