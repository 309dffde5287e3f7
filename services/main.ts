import { DomainError, isDomainError } from '../domain/errors.js';
import type { Role } from './instance.js';
import { serve } from './serve.js';

const ROLES: Readonly<Record<string, readonly Role[]>> = { start: ['mcp', 'projector'], mcp: ['mcp'], projector: ['projector'] };
const FLAGS = new Set(['--json', '--while-attached']);

const HELP = `Usage: npm start [-- --json|--help]
       node dist/services/main.js start|mcp|projector

Runs OmniMem until Ctrl-C: a Valkey of its own (unless VALKEY_URL is set), the views of the event log, the
embedding model and the MCP server. mcp and projector run one part each, for several services on one Valkey.
--json prints one JSON object a line. --while-attached (used by omnimem itself) ends when its last client has gone.

Settings come from the environment and from .env; .env.example lists them all.
Exit codes: 0 stopped, 1 a step failed or another instance runs here, 2 wrong arguments or settings.`;

/** Runs one or more services until a signal. Returns the exit code. */
const main = async (args: readonly string[]): Promise<number> => {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${HELP}\n`);
    return 0;
  }
  const names = args.filter((arg) => !FLAGS.has(arg));
  const named = names.length === 0 ? ['start'] : names;
  const unknown = named.find((name) => !Object.hasOwn(ROLES, name));
  if (unknown !== undefined) throw new DomainError('VALIDATION', `There is no service ${unknown}`, HELP);
  const roles = [...new Set(named.flatMap((name) => ROLES[name] ?? []))];
  return serve({ roles, json: args.includes('--json'), whileAttached: args.includes('--while-attached') });
};

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const known = isDomainError(error);
  process.stderr.write(`${known ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  if (known && error.hint) process.stderr.write(`${error.hint}\n`);
  process.exitCode = known && error.code === 'VALIDATION' ? 2 : 1;
}
