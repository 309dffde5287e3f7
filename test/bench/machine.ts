import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';

/** What the figures depend on besides the program. */
export type Machine = {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  readonly valkey: string;
  readonly commit: string;
  /** The one-minute load before the run: above 1 somebody else was working. */
  readonly load: number;
};

export const machineFacts = (): Machine => ({
  processor: cpus()[0]?.model.trim() || 'unknown',
  cores: availableParallelism(),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${process.platform} ${process.arch}, kernel ${release()}`,
  node: process.version,
  valkey: /v=(\S+)/.exec(output('valkey-server', '--version'))?.[1] ?? 'unknown',
  commit: output('git', 'rev-parse', '--short', 'HEAD') || 'unknown',
  load: Math.round((loadavg()[0] ?? 0) * 100) / 100,
});

const output = (command: string, ...args: readonly string[]): string => {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
};
