import type { Redis } from 'iovalkey';
import { DomainError } from '../domain/errors.js';
import type { Keys } from '../projections/keys.js';
import type { App } from './api.js';
import { watchForAnotherLog } from './backup/watch.js';

export type LogWatch = {
  /** The app to serve: once its log is gone it answers nothing but how it is, since all it keeps is of that log. */
  readonly app: App;
  readonly stop: () => void;
};

type Watched = { readonly app: App; readonly redis: Redis; readonly keys: Keys; readonly log: { readonly logId: string } };

/**
 * Calls `onReplaced` once when another log took the place of the one that this app reads, whoever put it there. A restore
 * that it does itself is noticed before its answer goes out, so that no call meets the old log.
 */
export const watchLogOf = ({ app, redis, keys, log }: Watched, onReplaced: () => void): LogWatch => {
  let gone = false;
  let stopped = false;
  const tell = (): void => {
    stop();
    if (gone || stopped) return;
    gone = true;
    onReplaced();
  };
  const stop = watchForAnotherLog({ redis, keys, logId: log.logId }, tell);
  const restore: App['backups']['restore'] = async (input, call) => {
    const result = await app.backups.restore(input, call);
    if (result.status === 'restored') tell();
    return result;
  };
  const isGone = (): boolean => gone;
  return {
    app: {
      ...app,
      commands: refusing(app.commands, [], isGone),
      queries: refusing(app.queries, ['health', 'version'], isGone),
      backups: refusing({ ...app.backups, restore }, ['list'], isGone),
    },
    stop: () => {
      stopped = true;
      stop();
    },
  };
};

/** The same functions; once the log is gone all but those named reject with UNAVAILABLE. */
const refusing = <T extends object>(functions: T, open: readonly (keyof T)[], isGone: () => boolean): T =>
  new Proxy(functions, {
    get: (target, name: string & keyof T) => (isGone() && !open.includes(name) ? refuse : target[name]),
  });

const refuse = async (): Promise<never> => {
  throw replaced();
};

/** What is said of a log that is not there any more. */
export const replaced = (): DomainError =>
  new DomainError(
    'UNAVAILABLE',
    'Another log took the place of the one that was opened here: a backup was restored, or the store was emptied',
    'Try again in a moment; if it stays, start this program anew. Nothing of the old log is shown',
  );
