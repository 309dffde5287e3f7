import { Presets, SingleBar } from 'cli-progress';

/** How far long work is, on standard error, for a person. Silent when nobody watches. */
export type Progress = {
  /** What goes on; replaced by the next. */
  readonly say: (text: string) => void;
  readonly bar: (what: string, done: number, total: number) => void;
  /** Wipes what was shown. */
  readonly clear: () => void;
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
        bar = new SingleBar({ stream, format, clearOnComplete: true, hideCursor: true, gracefulExit: false }, Presets.shades_classic);
        bar.start(total, done, { what });
      }
      bar.setTotal(total);
      bar.update(done, { what });
    },
    clear,
  };
};
