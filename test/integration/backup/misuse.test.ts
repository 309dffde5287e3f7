import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ORIGIN } from '../../../domain/envelope.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { remember, restore, take, temporaryFolder } from '../../support/backup.js';
import { newKey, openTestLog } from '../../support/eventlog.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
beforeAll(async () => {
  valkey = await startValkey();
});
afterAll(() => valkey.stop());

const issues = async ({ app }: TestApp): Promise<readonly string[]> =>
  (await app.queries.health()).issues.filter(({ code }) => code.startsWith('BACKUP')).map(({ severity, code }) => `${severity} ${code}`);

const stored = async ({ app, call }: TestApp, content: string): Promise<string> => {
  const answer = await app.commands.remember({ content, force: true }, call);
  return answer.status === 'stored' ? answer.key : '';
};

describe('the folder of the backups', () => {
  it('its own names are no names of sets', async () => {
    const app = await openTestApp({ valkey });
    try {
      for (const filename of ['FORGOTTEN', 'forgotten', 'manifest.json', 'NUL', 'com1.bak']) {
        await expect(app.app.backups.dump({ filename }, app.call)).rejects.toMatchObject({ code: 'VALIDATION' });
        await expect(app.app.backups.restore({ filename }, app.call)).rejects.toMatchObject({ code: 'VALIDATION' });
      }
      expect(existsSync(join(app.dataDir, 'backups', 'FORGOTTEN'))).toBe(false);
    } finally {
      await app.end();
    }
  });

  it('where FORGOTTEN cannot be written, forgetting and health say so, and it is mended by itself', async () => {
    const app = await openTestApp({ valkey });
    try {
      const [first, second] = [await stored(app, 'first'), await stored(app, 'second')];
      await app.app.backups.dump({}, app.call);
      const list = join(app.dataDir, 'backups', 'FORGOTTEN');
      mkdirSync(list);
      const forget = (key: string) => app.app.commands.forget({ keys: [key], confirm: true }, app.call);
      expect(await forget(first)).toMatchObject({ status: 'deleted', deleted: 1, backups_note: expect.stringContaining('EISDIR') });
      await expect.poll(() => issues(app), { timeout: 5_000 }).toEqual(['red BACKUP_FORGOTTEN']);
      rmSync(list, { recursive: true });
      await expect.poll(() => issues(app), { timeout: 15_000 }).toEqual([]);
      expect(await forget(second)).not.toHaveProperty('backups_note');
    } finally {
      await app.end();
    }
  });

  it('that cannot be read is red for a schedule, with the age of the last good backup, and heals', async () => {
    const app = await openTestApp({ valkey, env: { BACKUP_SCHEDULE: '1m' } });
    const age = async () => Number(/^omnimem_backup_age_seconds (\S+)/m.exec((await app.app.metrics()).body)?.[1]);
    try {
      await stored(app, 'first');
      await expect.poll(async () => (await app.app.backups.list()).backups.length, { timeout: 10_000 }).toBe(1);
      await expect.poll(age, { timeout: 5_000 }).toBeGreaterThan(0);
      const root = join(app.dataDir, 'backups');
      rmSync(root, { recursive: true });
      writeFileSync(root, 'x');
      const before = await age();
      expect(before).toBeGreaterThan(0);
      expect((await app.app.metrics()).body).toMatch(/omnimem_valkey_up 1/);
      expect(await issues(app)).toContain('red BACKUP_FAILED');
      await expect(app.app.backups.list()).rejects.toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining(root) });
      await expect(app.app.backups.dump({}, app.call)).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringContaining(root),
      });
      rmSync(root);
      await expect(app.app.backups.dump({}, app.call)).resolves.toMatchObject({ segments_added: 1 });
      await expect.poll(() => issues(app), { timeout: 15_000 }).not.toContain('red BACKUP_FAILED');
    } finally {
      await app.end();
    }
  });

  it('inside that of Valkey is refused, by the tool and by the schedule, of which health tells', async () => {
    using data = temporaryFolder();
    const BACKUP_DIR = join(data.path, 'valkey', 'backups');
    mkdirSync(join(data.path, 'valkey'));
    const app = await openTestApp({ valkey, env: { OMNIMEM_DATA_DIR: data.path, BACKUP_DIR, BACKUP_SCHEDULE: '1m' } });
    try {
      await stored(app, 'first');
      await expect(app.app.backups.dump({}, app.call)).rejects.toMatchObject({
        code: 'VALIDATION',
        message: expect.stringContaining('Valkey keeps its own files'),
      });
      await expect.poll(() => issues(app), { timeout: 10_000 }).toContain('amber BACKUP_FAILED');
      expect(existsSync(BACKUP_DIR)).toBe(false);
    } finally {
      await app.end();
    }
  });

  it('that cannot be made is an error at once, and the next backup need not wait', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    writeFileSync(join(folder.path, 'file'), '');
    for (const root of [join(folder.path, 'file'), join(folder.path, 'x'.repeat(300)), ...(existsSync('/proc/self') ? ['/proc/x'] : [])]) {
      await expect(take(source, root)).rejects.toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining(root) });
    }
    const before = performance.now();
    await take(source, join(folder.path, 'good'));
    expect(performance.now() - before).toBeLessThan(5_000);
    await expect(restore(source, join(folder.path, 'x'.repeat(300)))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

it('a new backup under the name of one that is there is refused', async () => {
  using folder = temporaryFolder();
  await using source = await openTestLog({ valkey });
  await remember(source, newKey(), 'one');
  await take(source, folder.path, { name: 'foo', fresh: true });
  await expect(take(source, folder.path, { name: 'foo', fresh: true })).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringMatching(/backup foo already/),
  });
  expect(await take(source, folder.path, { name: 'foo' })).toMatchObject({ name: 'foo' });
});

it('one that is not encrypted beside one that is says so, once', async () => {
  using folder = temporaryFolder();
  await using source = await openTestLog({ valkey });
  await remember(source, newKey(), 'one');
  const sealed = await take(source, folder.path, { secrets: { passphrase: 'correct horse', workFactor: 2 } });
  const plain = await take(source, folder.path);
  expect(plain.warning).toMatch(new RegExp(`${plain.name} is not encrypted, and ${sealed.name} beside it is`));
  expect(sealed).not.toHaveProperty('warning');
  expect(await take(source, folder.path)).not.toHaveProperty('warning');
});

it('a moment before anything happened restores nothing and appends nothing', async () => {
  using folder = temporaryFolder();
  await using source = await openTestLog({ valkey });
  await using target = await openTestLog({ valkey });
  await remember(source, newKey(), 'one');
  await take(source, folder.path);
  const size = await target.log.size();
  const until = { kind: 'time', at: Date.parse('2020-01-01') } as const;
  expect(await restore(target, folder.path, { until })).toMatchObject({ status: 'unchanged', events_in_backup: 0, head: ORIGIN });
  expect(await restore(target, folder.path, { until, dryRun: true })).toMatchObject({ status: 'dry_run' });
  expect(await target.log.size()).toBe(size);
});

it('a name that differs from that of a backup by capital letters only is refused', async () => {
  using folder = temporaryFolder();
  await using source = await openTestLog({ valkey });
  await remember(source, newKey(), 'one');
  await take(source, folder.path, { name: 'Before-2.0' });
  for (const fresh of [true, false]) {
    await expect(take(source, folder.path, { name: 'before-2.0', fresh })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/backup Before-2\.0 already, and before-2\.0 differs from it by capital letters only/),
      hint: expect.stringContaining('Pass Before-2.0'),
    });
  }
  writeFileSync(join(folder.path, 'Before-2.0', 'manifest.json'), 'torn');
  await expect(take(source, folder.path, { name: 'BEFORE-2.0' })).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(readdirSync(folder.path).filter((name) => /before/i.test(name))).toEqual(['Before-2.0']);
  // Two that lie there already, on a disk that keeps them apart, are each continued.
  await take(source, folder.path, { name: 'one' });
  cpSync(join(folder.path, 'one'), join(folder.path, 'ONE'), { recursive: true });
  for (const name of ['one', 'ONE']) expect(await take(source, folder.path, { name })).toMatchObject({ name });
});

it('a process whose log was replaced under it writes no backup that mixes both', async () => {
  using folder = temporaryFolder();
  await using source = await openTestLog({ valkey });
  await using target = await openTestLog({ valkey });
  await remember(source, newKey(), 'one');
  await take(source, join(folder.path, 'theirs'));
  await restore(target, join(folder.path, 'theirs'));
  const own = join(folder.path, 'own');
  await expect(take(target, own)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringMatching(/Another log took the place/),
  });
  expect(readdirSync(own).filter((name) => !name.startsWith('.'))).toEqual([]);
});
