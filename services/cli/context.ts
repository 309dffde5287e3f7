import { type Config, loadConfig } from '../config.js';
import { runUntilStopped } from '../lifecycle.js';
import type { ToolUsed } from './call.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { remembering, sayInterrupted } from './interrupted.js';
import { createProgress, type Progress } from './progress.js';
import type { Reached } from './reach.js';
import { createSession } from './session.js';

export type GlobalOptions = { readonly json?: boolean; readonly dataDir?: string };

/** What a command works with. */
export type Context = {
  readonly config: Config;
  readonly json: boolean;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** One line, or several, on standard output. */
  readonly print: (text: string) => void;
  /** The answer: as JSON when that was asked for, else as `human` says it. */
  readonly answer: <T extends object>(value: T, human: (value: T) => string) => void;
  /** Runs a tool of the MCP server in the instance. Throws the refusal as DomainError. */
  readonly tool: <T>(name: ToolUsed, input: Readonly<Record<string, unknown>>) => Promise<T>;
  /** The instance, started when none runs. */
  readonly instance: () => Promise<Reached>;
};

/** The environment with what was said on the command line. */
export const environmentOf = ({ dataDir }: GlobalOptions): NodeJS.ProcessEnv =>
  dataDir === undefined ? process.env : { ...process.env, OMNIMEM_DATA_DIR: dataDir };

/**
 * Reads the settings, runs one command until its end or Ctrl-C, and leaves the instance as it was. Ctrl-C ends it after the step
 * that is under way; what was done then, and what goes on, is said here for all commands. `name` as in `backup purge`.
 */
export const runInContext = async (
  name: string,
  globals: GlobalOptions,
  work: (context: Context) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const { config, warnings } = loadConfig(environmentOf(globals));
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  let code: ExitCode = EXIT.ok;
  await runUntilStopped(async (signal) => {
    code = await inSession(name, config, globals.json ?? false, signal, work);
  }, 20_000);
  return code;
};

const inSession = async (
  name: string,
  config: Config,
  json: boolean,
  signal: AbortSignal,
  work: (context: Context) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const progress = remembering(createProgress(process.stderr));
  const session = createSession(config);
  // The instance stays until the step is finished and its leases are given back.
  signal.addEventListener('abort', () => session.stopWaiting(), { once: true });
  const print = (text: string): void => {
    progress.clear();
    process.stdout.write(`${text}\n`);
  };
  const connect = (): Promise<Reached> => session.connect((what) => progress.say(`waiting for ${what}`));
  const tool = async <T>(name: ToolUsed, input: Readonly<Record<string, unknown>>): Promise<T> => {
    const { callTool } = await import('./call.js');
    return callTool<T>(connect, name, input, { signal, onProgress: progress.say });
  };
  const answer: Context['answer'] = (value, human) => print(json ? JSON.stringify(value) : human(value));
  try {
    return await work({ config, json, signal, progress, print, answer, tool, instance: connect });
  } catch (error) {
    if (!signal.aborted) throw error;
    progress.clear();
    const said = sayInterrupted(name, process.argv.slice(2), progress.last(), json);
    if (said !== undefined) process.stderr.write(`${said}\n`);
    return EXIT.interrupted;
  } finally {
    progress.clear();
    await session.close();
  }
};
