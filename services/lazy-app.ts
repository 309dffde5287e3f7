import { DomainError } from '../domain/errors.js';
import type { App, HealthResult, Queries } from './api.js';
import { VERSION } from './version.js';

/** An app that is served before it is open: what is asked meanwhile waits in `whenReady`, bounded, and says what for. */
export type LazyApp = {
  readonly app: App;
  readonly opened: (app: App) => void;
  readonly closed: () => void;
  readonly waitsFor: (what: string) => void;
};

export const createLazyApp = (): LazyApp => {
  let open: App | undefined;
  let what = 'the start';
  const openings = new Set<() => void>();
  const need = (): App => {
    if (open) return open;
    throw new DomainError('UNAVAILABLE', `OmniMem is still starting: it waits for ${what}`, 'Try again in a moment; nothing is lost');
  };

  const untilOpen = (timeoutMs: number, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        openings.delete(done);
        if (open) resolve();
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
        return open?.queries ?? closedQueries(need, { health: async () => startingHealth(what), version: () => ({ version: VERSION }) });
      },
      get backups() {
        return need().backups;
      },
      whenReady: async (timeoutMs, onWait, signal) => {
        const started = performance.now();
        if (!open) {
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
      for (const done of openings) done();
    },
    closed: () => {
      open = undefined;
    },
    waitsFor: (next) => {
      what = next;
    },
  };
};

/** Queries that say why they cannot be answered yet. */
const closedQueries = (need: () => App, open: Pick<Queries, 'health' | 'version'>): Queries =>
  new Proxy(open as Queries, {
    get: (answers, name: keyof Queries) => (name in answers ? answers[name] : async (): Promise<App> => need()),
  });

/** Health of a process that has not opened its store: not well, and why. */
const startingHealth = (what: string): HealthResult => ({
  status: 'red',
  issues: [
    {
      code: 'STARTING',
      severity: 'red',
      message: `OmniMem is still starting: it waits for ${what}`,
      hint: 'Ask again in a moment; if it stays, see the log of the server',
    },
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
