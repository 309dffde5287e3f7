import { DomainError } from '../domain/errors.js';
import type { App, HealthResult, Queries } from './api.js';
import { VERSION } from './version.js';

/** An app that is served before it is open: what is asked meanwhile waits in `whenReady`, bounded, and says what for. */
export type LazyApp = {
  readonly app: App;
  readonly opened: (app: App) => void;
  readonly closed: () => void;
  readonly waitsFor: (what: string) => void;
  /** It will not open: whoever waits is told why at once. */
  readonly failed: (why: string) => void;
};

export const createLazyApp = (): LazyApp => {
  let open: App | undefined;
  let what = 'the start';
  let failure: string | undefined;
  const openings = new Set<() => void>();
  const need = (): App => {
    if (open) return open;
    if (failure !== undefined) throw new DomainError('UNAVAILABLE', `OmniMem could not start: ${failure}`);
    throw new DomainError('UNAVAILABLE', `OmniMem is still starting: it waits for ${what}`, 'Try again in a moment; nothing is lost');
  };

  const untilOpen = (timeoutMs: number, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        openings.delete(done);
        if (open || failure !== undefined) resolve();
        else reject(new DomainError('UNAVAILABLE', `OmniMem did not start in time: it waits for ${what}`, 'See the log of the server'));
      };
      const timer = setTimeout(done, timeoutMs);
      openings.add(done);
      signal?.addEventListener('abort', done, { once: true });
    });

  return {
    app: {
      get commands() {
        return need().commands;
      },
      get queries() {
        return (
          open?.queries ?? closedQueries(need, { health: async () => startingHealth(what, failure), version: () => ({ version: VERSION }) })
        );
      },
      get backups() {
        return need().backups;
      },
      whenReady: async (timeoutMs, onWait, signal) => {
        const started = performance.now();
        if (!open && failure === undefined) {
          onWait?.(what);
          await untilOpen(timeoutMs, signal);
        }
        await need().whenReady(Math.max(0, timeoutMs - (performance.now() - started)), onWait, signal);
      },
      metrics: () => need().metrics(),
      countToolCall: (...call) => open?.countToolCall(...call),
    },
    opened: (app) => {
      open = app;
      failure = undefined;
      for (const done of openings) done();
    },
    failed: (why) => {
      failure = why;
      for (const done of openings) done();
    },
    closed: () => {
      open = undefined;
    },
    waitsFor: (next) => {
      what = next;
      failure = undefined;
    },
  };
};

/** Queries that say why they cannot be answered yet. */
const closedQueries = (need: () => App, open: Pick<Queries, 'health' | 'version'>): Queries =>
  new Proxy(open as Queries, {
    get: (answers, name: keyof Queries) => (name in answers ? answers[name] : async (): Promise<App> => need()),
  });

/** Health of a process that has not opened its store: not well, and why. */
const startingHealth = (what: string, failure: string | undefined): HealthResult => ({
  status: 'red',
  issues: [
    failure === undefined
      ? {
          code: 'STARTING',
          severity: 'red',
          message: `OmniMem is still starting: it waits for ${what}`,
          hint: 'Ask again in a moment; if it stays, see the log of the server',
        }
      : { code: 'NOT_STARTED', severity: 'red', message: `OmniMem could not start: ${failure}`, hint: 'Mend that and start it again' },
  ],
  valkey_connected: false,
  records: {},
  indexes: {},
  model_loaded: false,
  log: { log_id: '', events: 0, head: null },
  projections: {},
  vectors: { pending: 0, refused: 0 },
  valkey: {},
  uptime_seconds: Math.round(process.uptime() * 10) / 10,
});
