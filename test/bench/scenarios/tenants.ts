import { setTimeout as delay } from 'node:timers/promises';
import { openApp } from '../../../services/app.js';
import { loadConfig } from '../../../services/config.js';
import { parseInfo } from '../../../services/valkey/info.js';
import { providerOf } from '../../support/embedders.js';
import { startValkey } from '../../support/valkey.js';
import { byCallers, type Figure, plainFigure } from '../figures.js';
import { inTemporaryFolder } from '../folders.js';
import { quiet, untilIdle } from '../product.js';
import type { Scenario } from '../scenario.js';

const IDLE_MS = 5_000;

export const tenants: Scenario = {
  name: 'tenants',
  about: 'what an open tenant costs a process and its server while nobody asks it anything',
  long: true,
  named: true,
  run: ({ quick }) => inTemporaryFolder('tenants', (dataDir) => openMany(dataDir, quick ? 10 : 40)),
};

const openMany = async (dataDir: string, count: number): Promise<readonly Figure[]> => {
  await using valkey = await startValkey();
  const redis = valkey.client();
  const info = async (name: string): Promise<number> => Number(parseInfo(await redis.info()).get(name));
  const open = async (n: number) => {
    const { config } = loadConfig({ OMNIMEM_TENANT: `t${n}`, OMNIMEM_DATA_DIR: dataDir, OMNIMEM_MIN_FREE_MB: '0', EMBEDDING: 'none' });
    const opened = await openApp({ config, logger: quiet, target: valkey.url, provider: providerOf(undefined) });
    await opened.app.whenReady(60_000);
    await opened.app.commands.remember({ content: `The first memory of tenant ${n}.` }, { actor: 'bench' });
    return opened;
  };
  const measured = async () => {
    await untilIdle();
    global.gc?.();
    const [before, cpu] = [await info('total_commands_processed'), process.cpuUsage()];
    await delay(IDLE_MS);
    const used = process.cpuUsage(cpu);
    return {
      process: process.memoryUsage.rss(),
      server: await info('used_memory'),
      commands: ((await info('total_commands_processed')) - before) / (IDLE_MS / 1_000),
      busy: (used.user + used.system) / 1_000 / IDLE_MS,
    };
  };
  const first = await open(0);
  const one = await measured();
  const more: Awaited<ReturnType<typeof open>>[] = [];
  await byCallers(4, count, async (i) => more.push(await open(i + 1)));
  const many = await measured();
  await Promise.all([first, ...more].map(({ close }) => close()));
  const each = (of: (figures: typeof one) => number): number[] => [(of(many) - of(one)) / count];
  const figure = (name: string, unit: Figure['unit'], of: (figures: typeof one) => number): Figure =>
    plainFigure({ scenario: 'tenants', name: `each of ${count} more open tenants: ${name}`, unit }, each(of));
  return [
    figure('memory of the process', 'bytes', (figures) => figures.process),
    figure('memory of the server', 'bytes', (figures) => figures.server),
    figure('commands while idle', 'per s', ({ commands }) => commands),
    figure('one core, while idle', 'share', ({ busy }) => busy),
  ];
};
