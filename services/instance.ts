import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'iovalkey';
import { DomainError, isDomainError } from '../domain/errors.js';
import type { App } from './api.js';
import { type OpenApp, openApp } from './app.js';
import { settingsOfTenant } from './backup/settings.js';
import { type Config, modelEnvironment } from './config.js';
import type { EmbedderProvider } from './embedding/provider.js';
import { openEmbedderProvider } from './embedding/select.js';
import { createLazyApp } from './lazy-app.js';
import { createStartup, type StepReport } from './lifecycle.js';
import type { Logger } from './log.js';
import { AS_MASKED, makeFolder } from './make-folder.js';
import { type McpHttp, startMcpHttp } from './mcp/http.js';
import { openMigrations } from './migrations/open.js';
import { createTenants } from './tenants.js';
import { checkServer } from './valkey/check-server.js';
import { connect, describeTarget, type ValkeyTarget } from './valkey/client.js';
import { obtainValkey } from './valkey/install/install.js';
import { type Claim, claimDataDir, type Instance } from './valkey/instance.js';
import { findPlace } from './valkey/place.js';
import { type Supervisor, startSupervisor } from './valkey/supervisor.js';

/** What one process does: `mcp` serves clients, `projector` keeps the views and the vectors. */
export type Role = 'mcp' | 'projector';

/** Milliseconds until a restored log that could not be opened is tried again. */
const REOPEN_MS = 1_000;

export type InstanceOptions = {
  readonly config: Config;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly roles?: readonly Role[];
  readonly onStep?: (report: StepReport) => void;
  /** What goes on while the model is fetched, in words. */
  readonly onModel?: (text: string) => void;
  /** Others find it here and keep it running. Its address is then a matter of taste: a free port does when the chosen one is taken. */
  readonly attachPort?: number | undefined;
};

export type RunningInstance = {
  readonly steps: readonly StepReport[];
  readonly mcpUrl: string | undefined;
  readonly valkey: string | undefined;
  readonly provider: EmbedderProvider;
  readonly opened: OpenApp | undefined;
  /** Drains: no new requests, running ones finish, leases released, the child stopped. */
  readonly close: () => Promise<void>;
};

/** A data folder that another living process holds. */
export class AlreadyRunning extends DomainError {
  readonly mcpUrl: string | undefined;

  constructor(dataDir: string, { pid, mcpUrl, attachPort }: Instance) {
    super(
      'CONFLICT',
      `OmniMem already runs on ${dataDir} (process ${pid}${mcpUrl ? `, MCP at ${mcpUrl}` : ', still starting'})`,
      attachPort === undefined
        ? 'Use that one, stop it first, or set OMNIMEM_DATA_DIR to another folder'
        : 'It was started for a client (omnimem mcp --stdio, or another command) and ends with it: close that one first, or set OMNIMEM_DATA_DIR to another folder',
    );
    this.mcpUrl = mcpUrl;
  }
}

/**
 * Starts the product: data folder, Valkey, views, model and MCP address, each a step of its own that is reported and can
 * fail alone. Throws AlreadyRunning when the data folder is taken; every other failure is in the steps.
 */
export const startInstance = async (options: InstanceOptions): Promise<RunningInstance> => {
  const { config, logger, signal, roles = ['mcp', 'projector'] } = options;
  const serves = roles.includes('mcp');
  // Several services of one deployment share a server, so only a process with a Valkey of its own takes the folder.
  const claim = config.valkey === undefined || roles.length === 2 ? await takeFolder(config) : undefined;
  const lazy = createLazyApp();
  const held: {
    supervisor?: Supervisor;
    target?: ValkeyTarget;
    cluster?: boolean;
    opened?: OpenApp;
    mcp?: McpHttp;
    reopening?: Promise<void>;
    closing?: true;
  } = {};
  await claim?.publish({ tenant: config.tenant, ...(options.attachPort !== undefined && { attachPort: options.attachPort }) });
  const provider = openEmbedderProvider({
    choice: config.embedding.choice,
    fetch: {
      dir: join(config.dataDir, 'models'),
      env: modelEnvironment(config),
    },
    log: logger,
    onProgress: ({ file, loaded, total }) => options.onModel?.(`fetching the embedding model: ${file} ${percent(loaded, total)}`),
  });

  const open = async (target: ValkeyTarget): Promise<OpenApp> => {
    const { supervisor } = held;
    const opened = await openApp({
      config,
      logger,
      target,
      cluster: held.cluster ?? false,
      provider,
      supervised: supervisor && (() => supervisor.status()),
      projects: roles.includes('projector'),
      onReplaced: () => {
        if (!held.closing) held.reopening = reopen(target);
      },
    });
    held.opened = opened;
    lazy.opened(opened.app);
    return opened;
  };
  const tenants = createTenants({
    projects: roles.includes('projector'),
    logger,
    open: async (tenant, onReplaced) => {
      if (!held.target) throw new DomainError('UNAVAILABLE', 'There is no Valkey to open');
      const { supervisor } = held;
      await inspect(held.target, tenant, signal);
      return openApp({
        config: { ...config, tenant, backup: settingsOfTenant(config.backup, tenant) },
        logger,
        target: held.target,
        cluster: held.cluster ?? false,
        provider,
        supervised: supervisor && (() => supervisor.status()),
        projects: roles.includes('projector'),
        onReplaced,
      });
    },
  });
  const appOf = (tenant: string): App => (tenant === config.tenant ? lazy.app : tenants.appOf(tenant));

  /** A restore put another log in the place of the one that was read, or somebody emptied the store. */
  const reopen = async (target: ValkeyTarget): Promise<void> => {
    logger.info('the log was replaced, by a restore or because the store was emptied; reading it anew');
    lazy.waitsFor('the log that took the place of the old one');
    lazy.closed();
    await held.opened?.close();
    while (!held.closing) {
      try {
        const opened = await open(target);
        if (roles.includes('projector')) await openMigrations(opened)({ signal });
        return;
      } catch (error) {
        logger.error({ err: error }, 'the log that took the place of the old one cannot be opened; trying again');
        await delay(REOPEN_MS);
      }
    }
  };

  const startup = createStartup(
    [
      {
        name: 'valkey',
        run: async (progress, stop) => {
          lazy.waitsFor('Valkey');
          if (config.valkey !== undefined) {
            await makeFolder(config.dataDir, AS_MASKED);
            held.target = config.valkey;
          } else {
            const { command, description } = await obtainValkey(config.dataDir, progress);
            progress(`starting ${description}`);
            const { dataDir, minFreeBytes } = config;
            held.supervisor = await startSupervisor({ dataDir, log: logger, minFreeBytes, command, signal: stop });
            held.target = held.supervisor.target;
            await claim?.publish({ socket: held.supervisor.target.path });
          }
          const facts = await inspect(held.target, config.tenant, stop);
          held.cluster = facts.cluster;
          for (const warning of facts.warnings) logger.warn(warning);
          await claim?.publish({ valkey: describeTarget(held.target) });
          return `Valkey ${facts.version} at ${describeTarget(held.target)}`;
        },
      },
      {
        name: 'memory',
        after: ['valkey'],
        run: async (progress, stop) => {
          lazy.waitsFor('the views of the log');
          if (!held.target) throw new DomainError('UNAVAILABLE', 'There is no Valkey to open');
          await held.opened?.close();
          const { app, index, log } = await open(held.target);
          progress('reading the log');
          await app.whenReady(2 ** 31 - 1, undefined, stop);
          return `${index.documents.size} memories, ${await log.size()} events`;
        },
      },
      ...(roles.includes('projector')
        ? [
            {
              name: 'migrations',
              after: ['memory'],
              run: async (progress: (detail: string) => void, stop: AbortSignal) => {
                if (!held.opened) throw new DomainError('UNAVAILABLE', 'There is no log to migrate');
                const migrated = await openMigrations(held.opened)({
                  signal: stop,
                  onWait: () => progress('another process migrates'),
                  onProgress: ({ name }, done, total) => progress(`${name}: ${percent(done, total)}`),
                });
                return migrated.length === 0 ? 'none to run' : migrated.map(({ name, events }) => `${name} (${events} events)`).join(', ');
              },
            },
          ]
        : []),
      ...(serves
        ? [
            {
              name: 'mcp',
              run: async () => {
                held.mcp = await listen(lazy.app, appOf, options);
                await claim?.publish({ mcpUrl: held.mcp.url });
                return held.mcp.url;
              },
            },
          ]
        : []),
    ],
    {
      signal,
      onChange: (report) => {
        if (report.state === 'failed' && (report.name === 'valkey' || report.name === 'memory')) lazy.failed(report.detail);
        options.onStep?.(report);
      },
    },
  );
  const steps = await startup.run();
  // Whoever keeps the views for others cannot wait to be asked.
  if (!serves) for (const { tenant } of config.mcp.tenantTokens) appOf(tenant);

  let closed: Promise<void> | undefined;
  return {
    steps,
    mcpUrl: held.mcp?.url,
    valkey: held.target && describeTarget(held.target),
    provider,
    get opened() {
      return held.opened;
    },
    close: () => {
      closed ??= (async () => {
        held.closing = true;
        await held.mcp?.close();
        await held.reopening;
        await held.opened?.close();
        await tenants.close();
        await provider.close();
        await held.supervisor?.stop();
        await claim?.release();
      })();
      return closed;
    },
  };
};

const listen = async (app: App, appOf: (tenant: string) => App, { config, logger: log, attachPort }: InstanceOptions): Promise<McpHttp> => {
  const { host, port, authToken, tenantTokens, allowedHosts, allowedOrigins, publicUrl, maxResponseTokens, toolset, outputSchemas } =
    config.mcp;
  const settings = {
    host,
    port,
    authToken,
    tenantTokens,
    allowedHosts,
    allowedOrigins,
    publicUrl,
    maxResponseTokens,
    toolset,
    outputSchemas,
  };
  try {
    return await startMcpHttp({ app, appOf, config: settings, log });
  } catch (error) {
    const taken = isDomainError(error) && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';
    if (attachPort === undefined || !taken) throw error;
    return startMcpHttp({ app, appOf, config: { ...settings, host: '127.0.0.1', port: 0 }, log });
  }
};

const takeFolder = async (config: Config): Promise<Claim> => {
  const answer = await claimDataDir(config.dataDir);
  if ('held' in answer) return answer.held;
  throw new AlreadyRunning(config.dataDir, answer.running);
};

const inspect = async (target: ValkeyTarget, tenant: string, signal: AbortSignal): Promise<Awaited<ReturnType<typeof checkServer>>> => {
  let client: Redis | undefined;
  const stop = (): void => client?.disconnect();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const { at } = await findPlace(target, tenant);
    client = connect(target, 'general', { name: 'omnimem-check', commandTimeoutMs: 10_000, ...at });
    return await checkServer(client);
  } catch (error) {
    if (!isDomainError(error, 'UNAVAILABLE')) throw error;
    const hint = 'Check VALKEY_URL, and that the server runs and can be reached from here';
    throw new DomainError('UNAVAILABLE', `Valkey at ${describeTarget(target)}: ${error.message}`, hint, { cause: error });
  } finally {
    signal.removeEventListener('abort', stop);
    client?.disconnect();
  }
};

const percent = (loaded: number, total: number | undefined): string =>
  total ? `${Math.round((100 * loaded) / total)} %` : `${loaded} bytes`;
