import { type DestinationStream, destination, type Logger, pino } from 'pino';
import type { LogLevel } from './log-levels.js';

export type { Logger } from 'pino';

export type LogOptions = {
  readonly level?: LogLevel;
  /** `text` is one short line a message, for a person at a terminal. */
  readonly format?: 'json' | 'text';
  /** Strings that are replaced by `***` wherever a line holds them. */
  readonly secrets?: readonly string[];
  /** Default: standard error, written at once, so that the last line before a crash is there. */
  readonly to?: DestinationStream;
};

/** The process's logger. Nothing goes to standard output: that belongs to the protocol of the stdio server. */
export const createLogger = ({ level = 'info', format = 'json', secrets = [], to }: LogOptions = {}): Logger => {
  const hidden = secrets.filter((secret) => secret.length >= 4).map((secret) => JSON.stringify(secret).slice(1, -1));
  const redact = (line: string): string => hidden.reduce((text, secret) => text.replaceAll(secret, '***'), line);
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: (line) => (format === 'text' ? readable(redact(line)) : redact(line)) },
    },
    to ?? destination({ fd: 2, sync: true }),
  );
};

/** `12:00:01 warn  Valkey ended restarts=1`. */
const readable = (line: string): string => {
  const { time, level, msg, pid: _pid, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const details = Object.entries(rest).map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const reason = typeof err === 'object' && err !== null && 'message' in err ? [`(${String(err.message)})`] : [];
  return `${[String(time).slice(11, 19), String(level).padEnd(5), msg, ...reason, ...details].filter(Boolean).join(' ')}\n`;
};
