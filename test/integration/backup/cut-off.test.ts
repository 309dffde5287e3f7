import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { positionOf } from '../../../domain/envelope.js';
import { listBackups } from '../../../services/backup/cli.js';
import { mergeBackup } from '../../../services/backup/merge.js';
import { backUp } from '../../../services/backup/service.js';
import { setToWrite } from '../../../services/backup/set.js';
import type { BackupSettings } from '../../../services/backup/settings.js';
import { takeBackup } from '../../../services/backup/take.js';
import { systemRandom } from '../../../services/eventlog/random.js';
import { openTestApp } from '../../support/app.js';
import { remember, restore, take, temporaryFolder } from '../../support/backup.js';
import { newKey, openTestLog, type TestLog } from '../../support/eventlog.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
beforeAll(async () => {
  valkey = await startValkey();
});
afterAll(() => valkey.stop());

const DAY = 86_400_000;
const HOLDS_NOTHING = { code: 'CONFLICT', message: expect.stringMatching(/holds nothing/) };

/** What a first run leaves that is cut off before its first segment. */
const begin = async ({ log, keys }: Pick<TestLog, 'log' | 'keys'>, root: string, name?: string, now = Date.now()): Promise<string> =>
  (await setToWrite({ root, name, fresh: true, secrets: {} }, log, keys.tenant, now)).name;

describe('a backup whose first run was cut off before it wrote anything', () => {
  it('is named as empty, is not restored or merged, and never taken for the newest', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await remember(source, newKey(), 'one');
    const empty = await begin(source, folder.path);
    expect((await listBackups(folder.path)).backups).toMatchObject([{ filename: empty, empty: true, complete: false, events: 0 }]);
    for (const path of [folder.path, join(folder.path, empty)]) {
      await expect(restore(source, path, { dryRun: true })).rejects.toMatchObject(HOLDS_NOTHING);
      await expect(
        mergeBackup({ path, target: { path: valkey.socket }, tenant: source.keys.tenant, secrets: {}, actor: 'test' }),
      ).rejects.toMatchObject(HOLDS_NOTHING);
    }
    const { name } = await take(source, folder.path);
    expect(name).toBe(empty);
    const after = (await listBackups(folder.path)).backups;
    expect(after).toMatchObject([{ filename: empty, complete: true }]);
    expect(after[0]).not.toHaveProperty('empty');
    expect(await restore(source, folder.path, { dryRun: true })).toMatchObject({ would: 'unchanged' });
  });

  it('is gone on with by a run that begins a new one, named or not, and counts for nothing where backups are kept', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await remember(source, newKey(), 'one');
    let clock = Date.now() - 30 * DAY;
    const parts = { ...source, random: systemRandom(), now: () => clock };
    const settings: BackupSettings = { dir: folder.path, everyMs: undefined, newSetDays: 7, withEmbeddings: false, keep: 1 };
    const good = (await backUp(parts, settings, { actor: 'test' })).report.name;
    clock += 8 * DAY;
    const tries = [await begin(source, folder.path, undefined, clock), await begin(source, folder.path, undefined, clock + 1_000)];
    expect(new Set(tries).size).toBe(1);
    expect((await restore(source, folder.path, { dryRun: true })).backup).toBe(good);
    clock += DAY;
    await remember(source, newKey(), 'two');
    const { report, expired } = await backUp(parts, settings, { actor: 'test' });
    expect(report).toMatchObject({ name: tries[0] });
    expect(report.events).toBe(report.events_added);
    expect(expired).toEqual([good]);
    await begin(source, folder.path, 'named', clock + 1_000);
    expect(await take(source, folder.path, { name: 'named', fresh: true })).toMatchObject({ name: 'named' });
    await expect(take(source, folder.path, { name: 'named', fresh: true })).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('after its first segment is told as a part, with its true size and until when it goes', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await using target = await openTestLog({ valkey });
    for (const content of ['one', 'two', 'three', 'four']) await remember(source, newKey(), content);
    const stop = new AbortController();
    let clock = Date.now();
    const now = (): number => {
      clock += 1_000;
      return clock;
    };
    const options = { root: folder.path, secrets: {}, actor: 'test', segmentEvents: 2, signal: stop.signal };
    const cutOff = takeBackup(
      { ...source, random: systemRandom(), now },
      { ...options, onProgress: () => stop.abort(new Error('killed')) },
    );
    await expect(cutOff).rejects.toThrow(/killed/);
    const [part] = (await listBackups(folder.path)).backups;
    expect(part).toMatchObject({ complete: false, events: 2, segments: 1 });
    expect(part?.size_kb).toBeGreaterThan(0);
    const cut = { complete: false, cut_off_at: part?.updated_at };
    expect(Date.parse(part?.updated_at ?? '')).toBeGreaterThan(Date.parse(part?.created_at ?? ''));
    const into = { target: { path: valkey.socket }, tenant: target.keys.tenant, secrets: {}, actor: 'test' };
    expect(await mergeBackup({ path: folder.path, dryRun: true, ...into })).toMatchObject({ status: 'dry_run', events: 2, ...cut });
    expect(await restore(target, folder.path, { dryRun: true })).toMatchObject({ status: 'dry_run', ...cut });
    const restored = await restore(target, folder.path, { standby: true });
    expect(restored).toMatchObject({ status: 'restored', events_restored: 2, ...cut });
    // What lies before its end is all there.
    const [first] = await source.log.read('0-0', 1);
    const until = { kind: 'position', position: first ? positionOf(first) : '' } as const;
    await using earlier = await openTestLog({ valkey });
    const before = await restore(earlier, folder.path, { dryRun: true, until });
    expect(before).toMatchObject({ complete: true, events_in_backup: 1 });
    await take(source, folder.path);
    const whole = await restore(target, folder.path, { dryRun: true });
    expect(whole).toMatchObject({ complete: true });
    expect(whole).not.toHaveProperty('cut_off_at');
  });

  it('after its first segment is told as a part by the tool, too, and a moment before the first event is nothing to restore', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    const app = await openTestApp({ env: { OMNIMEM_TENANT: source.keys.tenant, BACKUP_DIR: folder.path } });
    try {
      for (const content of ['one', 'two']) await remember(source, newKey(), content);
      const stop = new AbortController();
      const cutOff = take(source, folder.path, {
        segmentEvents: 1,
        signal: stop.signal,
        onProgress: () => stop.abort(new Error('killed')),
      });
      await expect(cutOff).rejects.toThrow(/killed/);
      const [part] = (await app.app.backups.list()).backups;
      const filename = part?.filename ?? '';
      expect(await app.app.backups.restore({ filename }, app.call)).toMatchObject({
        complete: false,
        cut_off_at: part?.updated_at,
        note: expect.stringMatching(/Not complete: its run was cut off at 20.*later events are missing/),
      });
      const { note } = await app.app.backups.restore({ filename, until: '2020-01-01' }, app.call);
      expect(note).toBe('Nothing had happened by then: nothing is there to restore.');
    } finally {
      await app.end();
    }
  });

  it('leaves the age of the backups unknown', async () => {
    const app = await openTestApp({ valkey });
    try {
      const root = join(app.dataDir, 'backups');
      const name = await begin(app, root);
      expect((await app.app.backups.list()).backups).toMatchObject([{ filename: name, empty: true }]);
      await expect(app.app.backups.restore({ filename: name }, app.call)).rejects.toMatchObject(HOLDS_NOTHING);
      expect((await app.app.metrics()).body).toMatch(/omnimem_backup_age_seconds -1/);
    } finally {
      await app.end();
    }
  });

  it('is left by a run that lost the folder before its first segment', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await remember(source, newKey(), 'one');
    const stop = new AbortController();
    // What the run asks next once it has written what lies beside the segments.
    const log = Object.assign(Object.create(source.log) as typeof source.log, {
      erasures: async () => {
        stop.abort(new Error('the folder is lost'));
        return source.log.erasures();
      },
    });
    await expect(take({ ...source, log }, folder.path, { signal: stop.signal })).rejects.toThrow(/folder is lost/);
    const [left] = (await listBackups(folder.path)).backups;
    expect(left).toMatchObject({ empty: true });
    await expect(restore(source, folder.path)).rejects.toMatchObject(HOLDS_NOTHING);
    expect(await take(source, folder.path)).toMatchObject({ name: left?.filename, events: 1, events_added: 1 });
  });

  it('is not even begun where its manifest cannot be written', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await remember(source, newKey(), 'one');
    mkdirSync(join(folder.path, 'b', `.manifest.json.${process.pid}.tmp`), { recursive: true });
    const secrets = { passphrase: 'correct horse battery', workFactor: 2 };
    await expect(take(source, folder.path, { name: 'b', secrets })).rejects.toThrow();
    expect(existsSync(join(folder.path, 'b', 'key.age'))).toBe(false);
    expect((await listBackups(folder.path)).backups).toEqual([]);
  });
});
