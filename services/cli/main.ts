import { CommanderError } from 'commander';
import { isDomainError } from '../../domain/errors.js';
import { diskFault } from '../disk-fault.js';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.js';
import { createProgram } from './program.js';

/** One line a person can act on, or one JSON object, on standard error. Returns the exit code. */
const report = (error: unknown, json: boolean): ExitCode => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const known = isDomainError(error) ? error : diskFault(error);
  const code = known?.code ?? 'INTERNAL';
  const message = known?.message ?? (error instanceof Error ? error.message : String(error));
  const hint = known?.hint;
  if (json) process.stderr.write(`${JSON.stringify({ error: { code, message, hint } })}\n`);
  else process.stderr.write(`${message}\n${hint === undefined ? '' : `${hint}\n`}`);
  if (!known && error instanceof Error && process.env.LOG_LEVEL === 'debug') process.stderr.write(`${error.stack}\n`);
  return exitCodeOf(code);
};

// A reader that has seen enough (`omnimem log | head`) ends the command; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.kill(process.pid, 'SIGTERM');
  else process.exit(report(diskFault(error, 'Standard output') ?? error, process.argv.includes('--json')));
});

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = report(error, process.argv.includes('--json'));
}
