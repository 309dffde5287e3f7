import type { Keys } from '../projections/keys.js';
import type { App } from './api.js';
import type { OpenApp } from './app.js';
import { watchForAnotherLog } from './backup/watch.js';

export type LogWatch = {
  /** The app to serve: a restore that it does itself is noticed before its answer goes out, so that no call meets the old log. */
  readonly app: OpenApp['app'];
  readonly stop: () => void;
};

type Watched = {
  readonly app: OpenApp['app'];
  readonly redis: OpenApp['redis'];
  readonly keys: Keys;
  readonly log: { readonly logId: string };
};

/** Calls `onReplaced` once when another log took the place of the one that this app reads, whoever put it there. */
export const watchLogOf = ({ app, redis, keys, log }: Watched, onReplaced: () => void): LogWatch => {
  let told = false;
  const tell = (): void => {
    stop();
    if (told) return;
    told = true;
    onReplaced();
  };
  const stop = watchForAnotherLog({ redis, keys, logId: log.logId }, tell);
  const restore: App['backups']['restore'] = async (input, call) => {
    const result = await app.backups.restore(input, call);
    if (result.status === 'restored') tell();
    return result;
  };
  return {
    app: { ...app, backups: { ...app.backups, restore } },
    stop: () => {
      told = true;
      stop();
    },
  };
};
