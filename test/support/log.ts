import { createLogger, type Logger } from '../../services/log.js';

/** A logger whose lines a test can read. */
export const capturingLog = (): { readonly log: Logger; readonly lines: Record<string, unknown>[] } => {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({ level: 'debug', to: { write: (line) => void lines.push(JSON.parse(line)) } });
  return { log, lines };
};
