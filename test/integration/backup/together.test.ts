import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCK, withFolderLock } from '../../../services/backup/folder-lock.js';
import { BackupJob } from '../../../services/backup/job.js';
import { listSets } from '../../../services/backup/layout.js';
import { openBackup } from '../../../services/backup/opened.js';
import { purgeBackups } from '../../../services/backup/purge.js';
import { backUp } from '../../../services/backup/service.js';
import { systemRandom } from '../../../services/eventlog/random.js';
import { liveALittle, take, temporaryFolder } from '../../support/backup.js';
import { newId, openTestLog, type TestLog } from '../../support/eventlog.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
beforeAll(async () => {
  valkey = await startValkey();
});
afterAll(() => valkey.stop());

const settings = (dir: string) => ({ dir, everyMs: undefined, newSetDays: 30, keep: 1, withEmbeddings: false });
const at = Date.parse('2026-05-03T12:00:00.500Z');
const backUpNow = ({ redis, keys, log }: TestLog, dir: string) =>
  backUp({ redis, keys, log, random: systemRandom(), now: () => at }, settings(dir), { actor: 'test' });

/** Whatever is in the folder opens, and is whole. */
const logsIn = async (root: string): Promise<readonly string[]> => {
  const { sets, unreadable } = await listSets(root);
  expect(unreadable).toEqual([]);
  for (const { dir } of sets) await openBackup({ path: dir, secrets: {} });
  return sets.map(({ manifest }) => manifest.log_id).sort();
};

describe('processes that back up into one folder in the same second', () => {
  it('each get a set of their own when they are of different stores, and purging disturbs none', async () => {
    using folder = temporaryFolder();
    const sources = await Promise.all([1, 2, 3].map(() => openTestLog({ valkey })));
    for (const [i, source] of sources.entries()) await liveALittle(source, i + 1, 25);
    const purge = ({ redis, keys }: TestLog) => purgeBackups({ redis, keys, stamp: newId }, { root: folder.path, secrets: {} });
    await Promise.all(sources.map((source) => backUpNow(source, folder.path)));
    await Promise.all(sources.flatMap((source) => [backUpNow(source, folder.path), purge(source)]));
    expect(await logsIn(folder.path)).toEqual(sources.map(({ log }) => log.logId).sort());
    for (const source of sources) await source[Symbol.asyncDispose]();
  });

  it('bring one set up to date one after the other when they are of one store', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await liveALittle(source, 4, 25);
    const reports = await Promise.all([1, 2, 3].map(() => backUpNow(source, folder.path)));
    expect(new Set(reports.map(({ report }) => report.name)).size).toBe(1);
    expect(reports.flatMap(({ expired }) => expired)).toEqual([]);
    expect(await logsIn(folder.path)).toEqual([source.log.logId]);
  });
});

it('the schedule gives way to a backup that somebody else runs, and calls it no failure', async () => {
  using folder = temporaryFolder();
  await using source = await openTestLog({ valkey });
  await liveALittle(source, 6, 10);
  const { redis, keys, log } = source;
  const troubles: unknown[] = [];
  let end = (): void => undefined;
  const held = withFolderLock(folder.path, () => new Promise<void>((resolve) => (end = resolve)), { leaseMs: 300 });
  const job = new BackupJob({
    ...{ redis, keys, log, random: systemRandom(), now: Date.now, leaseMs: 400 },
    settings: { ...settings(folder.path), everyMs: 60_000 },
    dataDir: join(folder.path, 'data'),
    onTrouble: (_message, error) => troubles.push(error),
  });
  job.start();
  await expect.poll(() => troubles, { timeout: 10_000 }).toMatchObject([{ code: 'CONFLICT' }]);
  expect(await job.status()).toMatchObject({ failed: undefined });
  end();
  await held;
  await job.close();
});

describe('the lock of a folder', () => {
  it('lets one wait for another that ends, and refuses it by name while that one goes on', async () => {
    using folder = temporaryFolder();
    let end = (): void => undefined;
    const held = withFolderLock(folder.path, () => new Promise<void>((resolve) => (end = resolve)), { leaseMs: 300 });
    await expect.poll(() => existsSync(join(folder.path, LOCK))).toBe(true);
    await expect(withFolderLock(folder.path, async () => 'in', { leaseMs: 600 })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`A backup is running in this folder (process ${process.pid} on `),
    });
    const waiting = withFolderLock(folder.path, async () => 'in', { leaseMs: 5_000 });
    await sleep(150);
    end();
    await held;
    expect(await waiting).toBe('in');
    expect(existsSync(join(folder.path, LOCK))).toBe(false);
  });

  it.each([
    ['whose process was killed', JSON.stringify({ id: 'gone', pid: 1, host: 'elsewhere', leaseMs: 300 })],
    ['that was left half written', ''],
  ])('does not stay for ever %s, and only one of many takes it over at a time', async (_what, content) => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, LOCK), content);
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, ++inside);
      await sleep(20);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 6 }, () => withFolderLock(folder.path, work, { leaseMs: 2_000 })));
    expect(most).toBe(1);
  });

  it('tells who slept too long that another has the folder', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, LOCK);
    const work = async (signal: AbortSignal): Promise<never> => {
      writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), id: 'another' }));
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    await expect(withFolderLock(folder.path, work, { leaseMs: 90 })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(existsSync(path)).toBe(true);
  });
});

it('who checks a set while a backup writes to it reads again what was replaced under him', async () => {
  using folder = temporaryFolder();
  await using source = await openTestLog({ valkey });
  await liveALittle(source, 5, 20);
  const { path: dir } = await take(source, folder.path, { name: 'one' });
  const moves: string[] = [];
  /** What the end of every backup does to the file beside the segments. */
  const replace = (): void => {
    if (moves.length > 0) return;
    const manifest = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as { side: string };
    moves.push(manifest.side);
    renameSync(join(dir, manifest.side), join(dir, 'side-later.json'));
    writeFileSync(join(dir, 'manifest.json'), JSON.stringify({ ...manifest, side: 'side-later.json' }));
  };
  expect((await openBackup({ path: dir, secrets: {}, onProgress: replace })).set.manifest.side).toBe('side-later.json');
  expect(moves).toHaveLength(1);
});
