import { type Options, Presets, SingleBar } from 'cli-progress';

/** How far long work is, on standard error, for a person. Silent when nobody watches. */
export type Progress = {
  /** What goes on; replaced by the next. */
  readonly say: (text: string) => void;
  readonly bar: (what: string, done: number, total: number) => void;
  /** Wipes what was shown. */
  readonly clear: () => void;
};

/** While nobody can tell yet, the library hands over a word in place of seconds, and its own format cuts it to `NFs`. */
const timeLeft = (seconds: unknown): string => {
  if (typeof seconds !== 'number') return '?';
  if (seconds < 60) return `${Math.round(seconds)}s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}m`;
};

export const createProgress = (stream: NodeJS.WriteStream): Progress => {
  if (!stream.isTTY) return { say: () => undefined, bar: () => undefined, clear: () => undefined };
  let bar: SingleBar | undefined;
  let said = false;
  const clear = (): void => {
    bar?.stop();
    bar = undefined;
    if (said) stream.write('\r\u001b[K');
    said = false;
  };
  return {
    say: (text) => {
      clear();
      stream.write(`… ${text.slice(0, Math.max(20, (stream.columns || 80) - 3))}`);
      said = true;
    },
    bar: (what, done, total) => {
      if (bar === undefined) {
        clear();
        const format = '{what} {bar} {percentage} %  {value}/{total}  {eta_formatted} left';
        const look: Options = { stream, format, formatTime: timeLeft, clearOnComplete: true, hideCursor: true, gracefulExit: false };
        bar = new SingleBar(look, Presets.shades_classic);
        bar.start(total, done, { what });
      }
      bar.setTotal(total);
      bar.update(done, { what });
    },
    clear,
  };
};
