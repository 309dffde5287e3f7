import { setTimeout as delay } from 'node:timers/promises';
import type { App } from './api.js';
import type { OpenApp } from './app.js';
import { createLazyApp } from './lazy-app.js';
import type { Logger } from './log.js';
import { openMigrations } from './migrations/open.js';

/** The memories that a process serves beside its own, each by its token. */
export type Tenants = {
  /** Begins to open the tenant when it is asked for the first time; calls wait for it, and for nobody else's. */
  readonly appOf: (tenant: string) => App;
  readonly close: () => Promise<void>;
};

export type TenantsParts = {
  /** `onReplaced` is called when another log took the place of the one that was opened. */
  readonly open: (tenant: string, onReplaced: () => void) => Promise<OpenApp>;
  /** Whether this process also keeps the views, and so runs the migrations. */
  readonly projects: boolean;
  readonly logger: Logger;
};

/** Milliseconds until a memory that could not be opened is tried again. */
const REOPEN_MS = 1_000;

export const createTenants = (parts: TenantsParts): Tenants => {
  const served = new Map<string, ReturnType<typeof serveTenant>>();
  return {
    appOf: (tenant) => {
      const found = served.get(tenant) ?? serveTenant(tenant, parts);
      served.set(tenant, found);
      return found.app;
    },
    close: async () => {
      await Promise.all([...served.values()].map(({ close }) => close()));
    },
  };
};

/** Keeps one memory open until it is closed, over outages at the start and over a restore that replaces its log. */
const serveTenant = (
  tenant: string,
  { open, projects, logger }: TenantsParts,
): { readonly app: App; readonly close: () => Promise<void> } => {
  const lazy = createLazyApp();
  const stopping = new AbortController();
  const { signal } = stopping;

  /** One life: from its opening to the end of the process or of its log. */
  const live = async (): Promise<void> => {
    lazy.waitsFor(`the memory of ${tenant}`);
    const replaced = new AbortController();
    const opened = await open(tenant, () => replaced.abort());
    try {
      const over = AbortSignal.any([signal, replaced.signal]);
      const ended = new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }));
      if (signal.aborted) return;
      lazy.opened(opened.app);
      if (projects) await openMigrations(opened)({ signal });
      if (!over.aborted) await ended;
    } finally {
      lazy.closed();
      await opened.close();
    }
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await live();
      } catch (error) {
        if (signal.aborted) return;
        logger.error({ err: error, tenant }, 'the memory of a tenant cannot be opened; trying again');
        await delay(REOPEN_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  };

  const running = run();
  return {
    app: lazy.app,
    close: () => {
      stopping.abort();
      return running;
    },
  };
};
