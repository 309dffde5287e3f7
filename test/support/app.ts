import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { catalogue } from '../../domain/catalogue.js';
import { type VerifyReport, verify } from '../../projections/verify.js';
import type { Call } from '../../services/api.js';
import { type AppOptions, type OpenApp, openApp } from '../../services/app.js';
import { loadConfig } from '../../services/config.js';
import type { EmbedderProvider } from '../../services/embedding/provider.js';
import { createLogger } from '../../services/log.js';
import { PROJECTIONS } from '../../services/views.js';
import { hashedEmbedder, providerOf } from './embedders.js';
import { startValkey, type TestValkey } from './valkey.js';

export type TestApp = OpenApp & {
  readonly valkey: TestValkey;
  readonly dataDir: string;
  readonly call: Call;
  /** Opens another process's worth of the product on the same store and data folder. */
  readonly another: (options?: Partial<AppOptions>) => Promise<OpenApp>;
  /** Verifies every view by replay; throws when one differs. */
  readonly verifyAll: () => Promise<readonly VerifyReport[]>;
  readonly end: () => Promise<void>;
};

export type TestAppOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly provider?: EmbedderProvider;
  readonly valkey?: TestValkey;
  readonly options?: Partial<AppOptions>;
  /** Milliseconds that a log which is there already may take to be read. Default 10,000. */
  readonly readyMs?: number;
};

/** The whole product on a Valkey of its own, without MCP in front of it. Words and made-up vectors, unless a provider is given. */
export const openTestApp = async ({
  env = {},
  provider,
  valkey: given,
  options = {},
  readyMs = 10_000,
}: TestAppOptions = {}): Promise<TestApp> => {
  const valkey = given ?? (await startValkey());
  const dataDir = mkdtempSync(join(tmpdir(), 'omt-data-'));
  const { config } = loadConfig({
    OMNIMEM_TENANT: `t${ulid().toLowerCase()}`,
    OMNIMEM_DATA_DIR: dataDir,
    OMNIMEM_MIN_FREE_MB: '0',
    LOG_LEVEL: 'silent',
    ...env,
  });
  const logger = createLogger({ level: config.log.level });
  const embedders = provider ?? providerOf(hashedEmbedder());
  const open = (more: Partial<AppOptions> = {}): Promise<OpenApp> =>
    openApp({ config, logger, target: { path: valkey.socket }, provider: embedders, ...options, ...more });
  const app = await open();
  await app.app.whenReady(readyMs);
  const { keys } = app;
  return {
    ...app,
    valkey,
    dataDir,
    call: { actor: 'test' },
    another: open,
    verifyAll: async () => {
      const reports: VerifyReport[] = [];
      for (const projection of PROJECTIONS) {
        const report = await verify({ redis: app.redis, keys, log: app.log, fingerprint: catalogue.fingerprint, logger }, projection);
        if (!report.equal) throw new Error(`${projection.name} differs from its replay: ${report.differing.join(', ')}`);
        reports.push(report);
      }
      return reports;
    },
    end: async () => {
      await app.close();
      if (!given) await valkey.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
