import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectKey } from '../../../domain/project/key.js';
import { mergeBackup } from '../../../services/backup/merge.js';
import { purgeBackups } from '../../../services/backup/purge.js';
import { parseUntil } from '../../../services/backup/until.js';
import { openTestApp } from '../../support/app.js';
import { contents, restore, take, temporaryFolder } from '../../support/backup.js';
import { appendOf, keysHolding, newId, openTestLog, readAll, type TestLog } from '../../support/eventlog.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
beforeAll(async () => {
  valkey = await startValkey();
});
afterAll(() => valkey.stop());

const SUBJECT = projectKey('my shop');

const set = ({ log }: TestLog, expected: number, description: string) =>
  log.append(
    appendOf([
      {
        subject: SUBJECT,
        expected,
        events: [
          {
            type: 'ProjectContextSet',
            data: { description, stack: '', goals: '', current_state: '', licence: 'own', provenance: 'asserted' },
          },
        ],
      },
    ]),
  );
const remove = ({ log }: TestLog, expected: number) =>
  log.forget({
    commandId: newId(),
    actor: 'test',
    at: '2026-05-03T12:00:00.000Z',
    subjects: [{ subject: SUBJECT, expected, deletes: [] }],
    result: {},
  });

const filesHolding = (dir: string, text: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text))
    .map(({ name }) => name);
const purge = ({ redis, keys }: TestLog, root: string) => purgeBackups({ redis, keys, stamp: newId }, { root, secrets: {} });

it.each([
  ['all at once', false],
  ['in two runs, the first of which still had the text', true],
])('a project that was deleted and set anew comes back from a backup as it was: %s', async (_how, twice) => {
  using folder = temporaryFolder();
  await using source = await openTestLog({ valkey });
  await set(source, 0, 'The old saffron shop.');
  if (twice) await take(source, folder.path, { name: 'one', segmentEvents: 10 });
  await remove(source, 1);
  await set(source, 2, 'The new shop.');
  const before = await contents(source.redis, source.keys);
  await take(source, folder.path, { name: 'one', segmentEvents: 10 });

  await using target = await openTestLog({ valkey });
  expect(await restore(target, folder.path, { standby: true })).toMatchObject({ status: 'restored' });
  expect(await contents(target.redis, target.keys)).toEqual(before);
  expect((await readAll(target.log)).filter(({ kind }) => kind === 'fault')).toEqual([]);
  const [history] = await target.log.load([SUBJECT]);
  expect(history?.events.map(({ type, n }) => [type, n])).toEqual([
    ['ProjectDeleted', 2],
    ['ProjectContextSet', 3],
  ]);
});

describe('a project that was deleted', () => {
  it('does not come back from a backup that is older', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await set(source, 0, 'The old saffron shop.');
    await take(source, folder.path, { name: 'old' });
    await remove(source, 1);
    await take(source, folder.path, { name: 'new' });
    await using target = await openTestLog({ valkey });
    await restore(target, join(folder.path, 'old'));
    expect(await keysHolding(target.redis, target.keys, 'saffron')).toEqual([]);
    expect((await target.log.load([SUBJECT]))[0]?.events).toMatchObject([{ type: 'ProjectDeleted' }]);
  });

  it('nor by a restore that stops before it was deleted, though it was set anew later', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await set(source, 0, 'The old saffron shop.');
    await take(source, folder.path, { name: 'one' });
    const position = (await source.log.head())?.position ?? '';
    await remove(source, 1);
    await set(source, 2, 'The new shop.');
    await take(source, folder.path, { name: 'one' });
    rmSync(join(folder.path, 'FORGOTTEN'));
    await using target = await openTestLog({ valkey });
    await restore(target, join(folder.path, 'one'), { until: parseUntil(position) });
    expect(await keysHolding(target.redis, target.keys, 'saffron')).toEqual([]);
    expect((await target.log.load([SUBJECT]))[0]?.events).toMatchObject([{ type: 'ProjectDeleted' }]);
  });

  it('leaves no byte in the backups after a purge; what was set after it stays', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await set(source, 0, 'The old saffron shop.');
    await take(source, folder.path, { name: 'one' });
    await remove(source, 1);
    await set(source, 2, 'The new marmalade shop.');
    await take(source, folder.path, { name: 'one' });
    expect(filesHolding(folder.path, 'saffron')).toHaveLength(1);
    await purge(source, folder.path);
    expect(filesHolding(folder.path, 'saffron')).toEqual([]);
    expect(filesHolding(folder.path, 'marmalade')).toHaveLength(1);

    await remove(source, 3);
    await purge(source, folder.path);
    expect(filesHolding(folder.path, 'marmalade')).toEqual([]);
  });

  it('takes nothing from another store in the same folder that has a project of that name', async () => {
    using folder = temporaryFolder();
    await using theirs = await openTestLog({ valkey });
    await set(theirs, 0, 'The saffron shop of somebody else.');
    await take(theirs, folder.path, { name: 'theirs' });
    await using source = await openTestLog({ valkey });
    await set(source, 0, 'The old marmalade shop.');
    await take(source, folder.path, { name: 'ours' });
    await remove(source, 1);
    await purge(source, folder.path);
    expect(filesHolding(folder.path, 'marmalade')).toEqual([]);
    expect(filesHolding(folder.path, 'saffron')).toHaveLength(1);
    await using target = await openTestLog({ valkey });
    await restore(target, join(folder.path, 'theirs'));
    expect((await target.log.load([SUBJECT]))[0]?.events.at(-1)).toMatchObject({
      data: { description: 'The saffron shop of somebody else.' },
    });
  });

  it('and has a new context keeps that one when an older backup is restored over it', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await set(source, 0, 'The old saffron shop.');
    await take(source, folder.path, { name: 'old' });
    await remove(source, 1);
    await set(source, 2, 'The new marmalade shop.');
    await take(source, folder.path, { name: 'new' });
    await using target = await openTestLog({ valkey });
    await restore(target, join(folder.path, 'new'), { standby: true });
    await restore(target, join(folder.path, 'old')).catch(() => undefined);
    expect((await target.log.load([SUBJECT]))[0]?.events.at(-1)).toMatchObject({ data: { description: 'The new marmalade shop.' } });
  });
});

it('a merge that brings a deletion leaves no text and no vector of the project, in whichever view, and says that something was erased', async () => {
  using folder = temporaryFolder();
  const here = await openTestApp({ valkey });
  const project = { project_name: 'my shop', stack: 'none', goals: 'none', current_state: 'open' };
  await here.app.commands.setProjectContext({ ...project, description: 'The old saffron shop.' }, here.call);
  const [{ version = 0 } = {}] = await here.log.load([SUBJECT]);
  await using blank = await openTestLog({ valkey });
  await take(here, folder.path, { name: 'common' });
  await restore(blank, join(folder.path, 'common'), { standby: true });
  await using there = await openTestLog({ valkey, tenant: blank.keys.tenant });
  await remove(there, version);
  await set(there, version + 1, 'The new marmalade shop.');
  await take(there, folder.path, { name: 'there' });
  const model = (await here.redis.smembers(here.keys.models))[0] ?? '';
  expect(await here.redis.exists(here.keys.embedding(model, SUBJECT))).toBe(1);
  expect(await keysHolding(here.redis, here.keys, 'saffron')).not.toHaveLength(0);
  // Nobody follows the log meanwhile: what is gone is gone by the merge itself.
  await here.close();
  await using looking = await openTestLog({ valkey, tenant: here.keys.tenant });
  const { keys, redis, log } = looking;
  const erasures = await log.erasures();
  const merged = () =>
    mergeBackup({ path: join(folder.path, 'there'), target: { path: valkey.socket }, tenant: keys.tenant, secrets: {}, actor: 'test' });
  expect(await merged()).toMatchObject({ status: 'merged', continued: 1, differing: [] });
  expect(await keysHolding(redis, keys, 'saffron')).toEqual([]);
  expect(await redis.exists(keys.embedding(model, SUBJECT))).toBe(0);
  expect(await log.erasures()).toBe(erasures + 1);
  expect((await log.load([SUBJECT]))[0]?.events.at(-1)).toMatchObject({ data: { description: 'The new marmalade shop.' } });
  expect(await merged()).toMatchObject({ status: 'unchanged' });
  expect(await log.erasures()).toBe(erasures + 1);
});
