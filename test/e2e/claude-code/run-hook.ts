import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const PLUGIN = fileURLToPath(new URL('../../../integrations/claude-code/', import.meta.url));

export type HookRun = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What was printed, when that is JSON. */
  readonly answer: HookAnswer | undefined;
};
export type HookAnswer = {
  readonly systemMessage?: string;
  readonly decision?: string;
  readonly reason?: string;
  readonly hookSpecificOutput?: { readonly hookEventName: string; readonly additionalContext: string };
};

export type HookRunOptions = {
  readonly env?: Readonly<Record<string, string>>;
  /** What the host writes; left open without end when absent. */
  readonly input?: string | object;
  readonly cwd?: string;
};

/** A busy machine may need long for what a hook does; where the hook's own limit is tested, it is left to the hook. */
const PATIENT = { OMNIMEM_HOOKS_MS: '20000' };
export const OWN_LIMIT = { OMNIMEM_HOOKS_MS: '' };
/** Far above the hook's own limit: a hook that needs this was not stopped by itself. */
const HUNG_MS = 30_000;

/** Runs a hook as the host does: a process with the event on its standard input. */
export const runHook = async (script: string, { env = {}, input, cwd }: HookRunOptions): Promise<HookRun> => {
  const { OMNIMEM_URL: _url, MCP_AUTH_TOKEN: _token, OMNIMEM_PROJECT: _project, CLAUDE_PROJECT_DIR: _folder, ...inherited } = process.env;
  const child = spawn(process.execPath, [`${PLUGIN}hooks/${script}`], { env: { ...inherited, ...PATIENT, ...env }, cwd, timeout: HUNG_MS });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  child.stdin.on('error', () => undefined); // a hook that is switched off does not read
  if (input !== undefined) child.stdin.end(typeof input === 'string' ? input : JSON.stringify(input));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output, answer: parsed(output.stdout) };
};

const parsed = (text: string): HookAnswer | undefined => {
  try {
    return JSON.parse(text) as HookAnswer;
  } catch {
    return undefined;
  }
};
