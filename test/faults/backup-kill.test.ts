import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { storeDigests } from '../../services/backup/digests.js';
import { readSet } from '../../services/backup/layout.js';
import { mergeBackup } from '../../services/backup/merge.js';
import { openBackup } from '../../services/backup/opened.js';
import { contents, liveALittle, restore, take, temporaryFolder } from '../support/backup.js';
import { TEST_SEED } from '../support/chance.js';
import { openTestLog, readAll, seededNumbers } from '../support/eventlog.js';
import { type Runner, runTypeScript } from '../support/run-ts.js';
import { startValkey, type TestValkey } from '../support/valkey.js';

const ROUNDS = Number(process.env.TEST_ROUNDS ?? 6);

/** Runs one of the three over and over until it is killed, and says when it goes on. */
const CHILD = `
import { openBackupParts } from './services/backup/cli.js';
import { takeBackup } from './services/backup/take.js';
import { restoreBackup } from './services/backup/restore.js';
import { mergeBackup } from './services/backup/merge.js';
const [what, socket, tenant, path, name] = process.argv.slice(2);
const say = (...line) => console.log(JSON.stringify(line));
const options = { path, target: { path: socket }, tenant, secrets: {}, actor: 'test', silentSeconds: 0, batch: 4, standby: true, onProgress: say };
if (what === 'take') {
  const parts = await openBackupParts({ path: socket }, tenant);
  await takeBackup(parts, { root: path, name, secrets: {}, actor: 'test', segmentEvents: 5, leaseMs: 300, onProgress: say });
} else if (what === 'restore') await restoreBackup(options);
else await mergeBackup(options);
say('done');
process.exit(0);
`;

let valkey: TestValkey;
beforeAll(async () => {
  valkey = await startValkey();
});
afterAll(() => valkey.stop());

/** Lets it get going, then kills it at some moment. */
const killSomewhere = async (child: Runner, going: (line: unknown) => boolean, milliseconds: number): Promise<void> => {
  let line: unknown;
  do {
    line = await child.next().catch(() => undefined);
  } while (line !== undefined && !going(line));
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  await child.kill();
};

it(`a backup killed at any moment leaves good what was there, and the next run goes on (${ROUNDS} times)`, {
  timeout: 120_000,
}, async () => {
  const random = seededNumbers(TEST_SEED);
  using folder = temporaryFolder();
  await using source = await openTestLog({ valkey });
  await liveALittle(source, TEST_SEED, 120);
  const dir = join(folder.path, 'b');
  let before = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const hint = `TEST_SEED=${TEST_SEED}, round ${round}`;
    const child = await runTypeScript(CHILD, ['take', valkey.socket, source.keys.tenant, folder.path, 'b']);
    await killSomewhere(child, () => true, random() * 60);
    if (!existsSync(join(dir, 'manifest.json'))) continue;
    const { manifest } = await readSet(dir);
    expect(manifest.events, hint).toBeGreaterThanOrEqual(before);
    before = manifest.events;
    const opened = openBackup({ path: dir, secrets: {} });
    if (before === 0)
      await expect(opened, hint).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringMatching(/holds nothing/) });
    else expect((await opened).events, hint).toBe(before);
    await liveALittle(source, TEST_SEED + round + 1, 10);
  }
  await take(source, folder.path, { name: 'b', leaseMs: 2_000 });
  expect(readdirSync(dir).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  await using target = await openTestLog({ valkey });
  const report = await restore(target, dir, { standby: true });
  expect(report.digests).toEqual(await storeDigests(source.redis, source.keys, source.log.logId, report.head));
});

it(`a restore killed at any moment is finished by the next one, equal to the source (${ROUNDS} times)`, { timeout: 120_000 }, async () => {
  const random = seededNumbers(TEST_SEED);
  using folder = temporaryFolder();
  await using source = await openTestLog({ valkey });
  await liveALittle(source, TEST_SEED, 120);
  const before = await contents(source.redis, source.keys);
  await take(source, folder.path, { segmentEvents: 20 });
  let unfinished = 0;
  // A fast machine may be done before any of the first kills.
  for (let round = 0; round < ROUNDS || (unfinished === 0 && round < 10 * ROUNDS); round++) {
    const hint = `TEST_SEED=${TEST_SEED}, round ${round}`;
    await using target = await openTestLog({ valkey });
    const child = await runTypeScript(CHILD, ['restore', valkey.socket, target.keys.tenant, folder.path]);
    await killSomewhere(child, (line) => Array.isArray(line) && line[0] === 'restoring', random() * 25);
    if ((await target.redis.exists(target.keys.restoring)) === 1) unfinished += 1;
    await restore(target, folder.path, { standby: true });
    expect(await contents(target.redis, target.keys), hint).toEqual(before);
    expect(await target.redis.exists(target.keys.restoring), hint).toBe(0);
  }
  expect(unfinished).toBeGreaterThan(0);
});

it(`a merge killed at any moment is finished by the next one (${ROUNDS} times)`, { timeout: 120_000 }, async () => {
  const random = seededNumbers(TEST_SEED);
  using folder = temporaryFolder();
  await using source = await openTestLog({ valkey });
  await liveALittle(source, TEST_SEED, 120);
  await take(source, folder.path, { segmentEvents: 20 });
  const histories = async (log: Parameters<typeof readAll>[0]): Promise<string[]> =>
    (await readAll(log))
      .flatMap((entry) => {
        if (entry.kind === 'fault') return [`fault ${entry.fault.code}`];
        const { subject, n, digest } = entry.kind === 'event' ? entry.event.envelope : entry.husk.envelope;
        return subject.startsWith('system:') ? [] : [`${subject} ${n} ${digest}`];
      })
      .sort();
  const wanted = await histories(source.log);
  for (let round = 0; round < ROUNDS; round++) {
    await using target = await openTestLog({ valkey });
    const child = await runTypeScript(CHILD, ['merge', valkey.socket, target.keys.tenant, folder.path]);
    await killSomewhere(child, (line) => Array.isArray(line) && line[0] === 'checking', random() * 40);
    await mergeBackup({ path: folder.path, target: { path: valkey.socket }, tenant: target.keys.tenant, secrets: {}, actor: 'test' });
    expect(await histories(target.log), `TEST_SEED=${TEST_SEED}, round ${round}`).toEqual(wanted);
  }
});
