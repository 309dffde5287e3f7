import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from '../../domain/catalogue.js';
import { positionOf } from '../../domain/envelope.js';
import { isDomainError } from '../../domain/errors.js';
import { millisOf } from '../../projections/history/cut.js';
import { createKeys } from '../../projections/keys.js';
import { storeDigests, viewDigests } from '../../services/backup/digests.js';
import { mergeBackup } from '../../services/backup/merge.js';
import { purgeBackups } from '../../services/backup/purge.js';
import { restoreBackup } from '../../services/backup/restore.js';
import { createForgetPlans } from '../../services/commands/forget-plan.js';
import { systemRandom } from '../../services/eventlog/random.js';
import { migrate } from '../../services/migrations/runner.js';
import { openStore } from '../../services/ops/store.js';
import { VIEW_NAMES } from '../../services/views.js';
import { migration } from '../integration/migrations/shipped/0001-rename-a-tag.js';
import type { TestApp } from '../support/app.js';
import { take } from '../support/backup.js';
import { TEST_SEED } from '../support/chance.js';
import { erasuresConfirmed } from '../support/erasures.js';
import { newId, readAll, seededNumbers } from '../support/eventlog.js';
import { startValkey, type TestValkey } from '../support/valkey.js';
import { answersOf, historiesOf, type MixedLog, openMixedLog, type Questions, questionsOf, toldOf } from './mixed-log.js';
import { KILLED_CHILD } from './mixed-log-child.js';
import { DEEDS } from './mixed-log-deeds.js';
import { forgetSentinel, placesOfSentinel, plantSentinel, type Sentinel } from './mixed-log-sentinel.js';
import { dropTenant, openStill, reached } from './mixed-log-stores.js';
import { BEGINNING, type Clock } from './mixed-log-world.js';
import { type Child, cloneTenant, compileChild } from './operations.js';

/** `SOAK=1`: the log that the issue asks for, more kills, and figures. */
const SOAK = process.env.SOAK !== undefined;
const EVENTS = Number(process.env.TEST_EVENTS ?? (SOAK ? 50_000 : 400));
const KILLS = SOAK ? 3 : 1;
/** Kinds of events that a small log may lack. */
const CHANCE = 3;
/** How many people work at once. One, and the seed says everything. */
const LANES = SOAK ? 16 : 1;
const MOMENTS = 10;
const LONG = { timeout: SOAK ? 7_200_000 : 120_000 };
/** Below this the index of a live store is scanned exactly. */
const EXACT = 4_000;

const chance = seededNumbers(TEST_SEED + 1);
const below = (bound: number): number => Math.floor(chance() * bound);
const say = (text: string): void => {
  if (SOAK) process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
};
const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
  const begun = performance.now();
  const result = await work();
  say(`${what}: ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  return result;
};

/** The machine that remembers, and another one for everything that is made of its backups. */
let home: TestValkey;
let away: TestValkey;
let mixed: MixedLog;
let sentinel: Sentinel;
/** Everything on the disk, and the backups in it. */
let root: string;
let folder: string;
let start: (args: readonly string[]) => Child;
let questions: Questions;
/** A store that was restored from the whole backup while it was killed. */
let restored: string;
const children: Child[] = [];
const ends: (() => Promise<void>)[] = [];

type Killed = 'take' | 'restore' | 'merge' | 'replay' | 'migrate' | 'forget';
const kills: Record<string, string[]> = {};

/** Starts it and kills it between its first and its `most`th step; answers whether it was still at it. */
const kill = async (what: Killed, valkey: TestValkey, tenant: string, plan: object, most: number): Promise<boolean> => {
  const options = JSON.stringify({ after: 1 + below(most), ms: below(25), ...plan });
  const child = start([valkey.socket, tenant, mkdtempSync(join(root, 'killed-')), what, options]);
  children.push(child);
  const last = await child.next().catch(() => 'killed');
  await child.ended;
  kills[what] = [...(kills[what] ?? []), String(last)];
  return last === 'killed';
};

const tenantName = (): string => `t${newId().toLowerCase()}`;
const bring = (tenant: string) => ({ path: join(folder, 'whole'), target: { path: away.socket }, tenant, secrets: {}, actor: 'test' });

/** The product over a store on the other machine, as `openStill` opens it. */
const openAway = async (tenant: string, clock?: Clock): Promise<TestApp> => {
  const test = await openStill(away, tenant, LONG.timeout, clock);
  ends.push(test.end);
  return test;
};

const drop = (tenant: string): Promise<void> => dropTenant(away, tenant);

beforeAll(async () => {
  process.stdout.write(`mixed log: TEST_SEED=${TEST_SEED}, ${EVENTS} events\n`);
  root = mkdtempSync(join(tmpdir(), 'omt-mixed-'));
  folder = join(root, 'backups');
  [home, away, start] = await Promise.all([
    startValkey({ aof: 'everysec', config: { rdbcompression: 'no' } }),
    startValkey(),
    compileChild(KILLED_CHILD),
  ]);
  mixed = await openMixedLog(TEST_SEED, EVENTS, { valkey: home, lanes: LANES });
  const { test, world } = mixed;
  // A backup is written while the log grows, and killed each time.
  await timed(`${EVENTS} events`, async () => {
    const begun = performance.now();
    const rounds = KILLS + 1;
    for (let round = 1; round <= rounds; round++) {
      const plan = { path: folder, name: 'whole', segmentEvents: Math.max(20, Math.floor(EVENTS / 40)) };
      const killing = kill('take', home, test.keys.tenant, plan, 10);
      await mixed.upTo((EVENTS * round) / rounds, (events) => {
        say(`${events} events, ${Math.round((1_000 * events) / (performance.now() - begun))} a second, ${world.live.length} memories`);
      });
      if (round === 1) sentinel = await plantSentinel(mixed);
      await killing;
    }
  });
  questions = questionsOf(world);
  say(`done: ${JSON.stringify([...world.done])}\nrefused: ${JSON.stringify([...world.refused])}`);
}, LONG.timeout);

afterAll(async () => {
  say(`killed: ${JSON.stringify(kills)}`);
  for (const child of children) await child.kill().catch(() => undefined);
  for (const end of ends) await end();
  await mixed?.test.end();
  await Promise.all([home?.stop(), away?.stop()]);
  if (root !== undefined) rmSync(root, { recursive: true, force: true });
}, LONG.timeout);

describe(`a log of mixed events (TEST_SEED=${TEST_SEED})`, () => {
  it('was made by every command there is, and holds every kind of event that commands make', async () => {
    const beside = ['enrich', 'enrichInVain', 'importDump', 'setContextInVain'];
    expect(
      Object.keys(DEEDS)
        .filter((name) => !beside.includes(name))
        .sort(),
    ).toEqual(Object.keys(mixed.test.app.commands).sort());
    expect([...mixed.world.done.keys()].sort()).toEqual(Object.keys(DEEDS).sort());
    const made = new Set(
      (await readAll(mixed.test.log)).map(
        (entry) => (entry.kind === 'event' ? entry.event : entry.kind === 'husk' ? entry.husk : undefined)?.envelope.type,
      ),
    );
    const byOthers = ['BackupTaken', 'ErasureConfirmed', 'LogRestored', 'MigrationApplied'];
    const missing = catalogue.types.filter((type) => !made.has(type) && !byOthers.includes(type));
    // A command may find nothing to change: among few of them chance leaves one kind or another out.
    expect(missing.slice(SOAK ? 0 : CHANCE)).toEqual([]);
  });

  it('has views that are what a replay makes of it', LONG, async () => {
    await timed('verify', () => mixed.test.verifyAll());
  });

  it(
    'is restored into an empty store, by a restore that is killed, from a backup that was: digests and answers are equal',
    LONG,
    async () => {
      const { test } = mixed;
      const clock = { now: BEGINNING };
      // What the eraser notes, and the note of the backup itself, would be in one of them only.
      await erasuresConfirmed(test, LONG.timeout);
      await reached(test, LONG.timeout);
      const views = await viewDigests(test.redis, test.keys, VIEW_NAMES);
      const taken = await timed('backup', () => take(test, folder, { name: 'whole', withEmbeddings: true, leaseMs: 2_000 }));
      const head = taken.head ?? fail();
      const digests = await storeDigests(test.redis, test.keys, test.log.logId, head);
      expect(digests.log).toBe(taken.log_digest);
      restored = tenantName();
      for (let round = 0; round < KILLS; round++)
        await kill('restore', away, restored, { path: join(folder, 'whole'), batch: Math.ceil(EVENTS / 50) }, 40);
      await timed('restore, continued', () => restoreBackup({ ...bring(restored), standby: true, silentSeconds: 0 }));
      say(`digests: ${JSON.stringify(digests)}`);
      expect(await storeDigests(away.client(), createKeys(restored), test.log.logId, head)).toEqual(digests);

      const there = await timed('views and vectors of the restored', () => openAway(restored, clock));
      await there.verifyAll();
      expect(await viewDigests(there.redis, there.keys, VIEW_NAMES)).toEqual(views);
      say(`views: ${JSON.stringify(views)}`);
      await reached(test, LONG.timeout);
      const answers = await answersOf(test, questions, head);
      expect(answers.flat().length).toBeGreaterThan(SOAK ? 20 : 5);
      expect(await answersOf(there, questions, head)).toEqual(answers);
      clock.now = mixed.clock.now;
      if (mixed.world.live.length < EXACT) expect(await answersOf(there, questions)).toEqual(await answersOf(test, questions));
      await there.close();
    },
  );

  it('moves a store forward that held its beginning', LONG, async () => {
    const { test } = mixed;
    const entries = await readAll(test.log);
    const middle = positionOf(entries[Math.floor(entries.length * (0.2 + 0.6 * chance()))] ?? entries[0] ?? fail());
    const tenant = tenantName();
    await restoreBackup({ ...bring(tenant), standby: true, until: { kind: 'position', position: middle } });
    const report = await timed('fast-forward', () => restoreBackup({ ...bring(tenant), standby: true }));
    expect(report.status).toBe('forwarded');
    expect(report.digests).toEqual(await storeDigests(test.redis, test.keys, test.log.logId, report.head));
    await drop(tenant);
  });

  it("is merged into another machine's memories, by a merge that is killed, and touches none of those", LONG, async () => {
    const there = await openMixedLog(TEST_SEED + 2, 100, { valkey: away });
    const { tenant } = there.test.keys;
    ends.push(there.test.end);
    await there.upTo(100);
    const before = historiesOf(await readAll(there.test.log));
    for (let round = 0; round < KILLS; round++)
      await kill('merge', away, tenant, { path: join(folder, 'whole') }, Math.max(1, EVENTS / 2_000));
    const report = await timed('merge', () => mergeBackup(bring(tenant)));
    expect(report.unreadable).toEqual([]);
    // Both machines know projects and topics of the same names.
    expect(report.differing.filter((subject) => subject.startsWith('mem:') && !subject.startsWith('mem:project:'))).toEqual([]);
    const source = historiesOf((await readAll(mixed.test.log)).filter((entry) => entry.kind !== 'fault'));
    const after = historiesOf(await readAll(there.test.log));
    for (const [subject, history] of before) expect(after.get(subject)?.slice(0, history.length), subject).toEqual(history);
    for (const [subject, history] of source)
      if (!report.differing.includes(subject) && !before.has(subject)) expect(after.get(subject), subject).toEqual(history);
    expect(await mergeBackup(bring(tenant))).toMatchObject({ status: 'unchanged', events: 0, new: 0, continued: 0 });
    await reached(there.test, LONG.timeout);
    await there.test.verifyAll();
    await there.test.close();
    await drop(tenant);
  });

  /** A store like the restored one, to do things to. */
  const clone = async (): Promise<string> => {
    const tenant = tenantName();
    await cloneTenant(away.client(), createKeys(restored), tenant);
    return tenant;
  };

  it('has all its views rebuilt by a replay that is killed', LONG, async () => {
    const tenant = await clone();
    const client = away.client();
    const before = await viewDigests(client, createKeys(tenant), VIEW_NAMES);
    for (let round = 0; round < KILLS; round++) await kill('replay', away, tenant, { ms: below(EVENTS / 5) }, 1);
    const there = await timed('replay of every view, continued', () => openAway(tenant));
    await expect
      .poll(
        async () =>
          (await Promise.all(VIEW_NAMES.map((name) => client.hmget(there.keys.projection(name), 'wanted', 'building'))))
            .flat()
            .filter((one) => one !== null && one !== ''),
        LONG,
      )
      .toEqual([]);
    expect(await viewDigests(client, there.keys, VIEW_NAMES)).toEqual(before);
    await there.verifyAll();
    await there.close();
    await drop(tenant);
  });

  it('is migrated by a migration that is killed, each memory once', LONG, async () => {
    const tenant = await clone();
    for (let round = 0; round < KILLS; round++) await kill('migrate', away, tenant, {}, Math.max(1, EVENTS / 250));
    const there = await openAway(tenant);
    // A lock that was left behind lapses in ten seconds.
    await there.redis.del(there.keys.lease('migrations'));
    await timed('migration', () =>
      migrate({ log: there.log, redis: there.redis, keys: there.keys, random: systemRandom(), now: Date.now }, [migration]),
    );
    const entries = await readAll(there.log);
    const migrated = entries.flatMap((entry) =>
      entry.kind === 'event' && entry.event.envelope.actor.startsWith('migration') ? [entry.event.envelope] : [],
    );
    const retagged = migrated.filter(({ type }) => type === 'MemoryRetagged').map(({ subject }) => subject);
    expect(retagged.length).toBeGreaterThan(0);
    expect(new Set(retagged).size).toBe(retagged.length);
    expect(migrated.filter(({ type }) => type === 'MigrationApplied')).toHaveLength(1);
    await reached(there, LONG.timeout);
    const audit = await there.app.queries.recall({ query: 'legacy', top_k: 50 }, there.call);
    expect(audit.results.flatMap(({ tags = [] }) => tags)).not.toContain('legacy');
    await there.verifyAll();
    await there.close();
    await drop(tenant);
  });

  it('is forgotten as a whole by a forget that is killed, and that goes on by itself', LONG, async () => {
    const tenant = await clone();
    const preview = await (async () => {
      const there = await openAway(tenant);
      const answer = await there.app.commands.forget({ created_after: '2000-01-01' }, there.call);
      await there.close();
      if (answer.status !== 'preview') throw new Error(answer.status);
      return answer;
    })();
    const killed = await kill('forget', away, tenant, { previewId: preview.preview_id }, Math.max(1, Math.floor(preview.total / 400)));
    const there = await openAway(tenant);
    const plans = createForgetPlans(there.redis, there.keys);
    if (!killed) say('the forget ended before it was killed');
    await timed(`forget of ${preview.total}, gone on with`, () => expect.poll(() => plans.unfinished(), LONG).toEqual([]));
    await reached(there, LONG.timeout);
    expect((await there.app.queries.memoryAudit({ include_archived: true }, there.call)).total).toBe(0);
    expect([...there.index.documents.values()].filter(({ context }) => context === undefined)).toEqual([]);
    await there.verifyAll();
    await there.close();
    await drop(tenant);
  });

  it('answers as of ten moments what a store answers that was replayed only up to there', LONG, async () => {
    const { test } = mixed;
    const entries = await readAll(test.log);
    let compared = 0;
    await timed(`${MOMENTS} moments`, async () => {
      for (let moment = 0; moment < MOMENTS; moment++) {
        const place = positionOf(entries[40 + below(entries.length - 41)] ?? fail());
        const tenant = tenantName();
        const report = await restoreBackup({ ...bring(tenant), standby: true, until: { kind: 'position', position: place } });
        const clock = { now: BEGINNING };
        const then = await openAway(tenant, clock);
        const { answers, lacking } = await toldOf(test, questions, place);
        const hint = `TEST_SEED=${TEST_SEED}, as of ${place}, ${report.events_restored} events`;
        const answered = await answersOf(then, questions, place);
        // Beyond five hundred texts that were revised since, or fifteen seconds, an answer says what it lacks.
        if (!lacking) {
          expect(answered, hint).toEqual(answers);
          compared += answers.flat().length;
        }
        clock.now = millisOf(place);
        if (then.index.documents.size < EXACT) expect(await answersOf(then, questions), hint).toEqual(answered);
        await then.close();
        await drop(tenant);
      }
    });
    expect(compared).toBeGreaterThan(SOAK ? 100 : 30);
  });

  it('is undone command by command, the newest first, and the views still are what a replay makes', LONG, async () => {
    const tenant = await clone();
    const there = await openAway(tenant);
    const found = (await readAll(there.log)).map((entry) =>
      entry.kind === 'fault' ? '' : (entry.kind === 'event' ? entry.event : entry.husk).envelope.correlation,
    );
    const correlations = [...new Set(found.reverse())].filter((correlation) => /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(correlation));
    await timed(`undo of ${correlations.length} commands`, async () => {
      for (const correlation of correlations) {
        const answer = await there.app.commands.undo({ correlation }, there.call).catch((error: unknown) => {
          if (isDomainError(error, 'NOT_FOUND') || isDomainError(error, 'UNAVAILABLE')) return undefined;
          throw new Error(`undo of ${correlation} (TEST_SEED=${TEST_SEED})`, { cause: error });
        });
        if (answer) expect(answer.correlation).toBe(correlation);
      }
    });
    await reached(there, LONG.timeout);
    await timed('verify after the undo', () => there.verifyAll());
    // What was remembered goes with the command that remembered it, whatever was changed and changed back in between.
    const left = [...there.index.documents.values()].filter(({ state, context }) => state !== 'archived' && context === undefined);
    expect(left.map(({ key }) => key)).toEqual([]);
    await there.close();
    await drop(tenant);
  });

  it('forgets a sentence that was said in every way: no byte of it is in the store, the data folder or the backups', LONG, async () => {
    const { test } = mixed;
    const folders = [test.dataDir, home.dir, folder];
    const before = await placesOfSentinel(test, folders);
    for (const where of folders.slice(1))
      expect(
        before.some((place) => place.startsWith(where)),
        where,
      ).toBe(true);
    await forgetSentinel(mixed, sentinel);
    await timed('erasure on the disk', () => erasuresConfirmed(test, LONG.timeout));
    const { redis, keys } = test;
    const purged = await timed('purge of the backups', () => purgeBackups({ redis, keys, stamp: newId }, { root: folder, secrets: {} }));
    expect(purged.sets.flatMap(({ failed = [] }) => failed)).toEqual([]);
    expect(await placesOfSentinel(test, folders)).toEqual([]);
    for (const key of [sentinel.key, ...sentinel.facts]) expect(test.index.documents.has(key)).toBe(false);
    await test.verifyAll();

    const last = await take(test, folder, { name: 'whole', withEmbeddings: true });
    const tenant = tenantName();
    const report = await restoreBackup({ ...bring(tenant), standby: true });
    expect(report.digests).toEqual(await storeDigests(test.redis, test.keys, test.log.logId, last.head ?? fail()));
    const store = await openStore({ target: { path: away.socket }, tenant });
    expect((await store.log.load([sentinel.key]))[0]?.events.map(({ type }) => type)).toEqual(['MemoryForgotten']);
    store.close();
    await test.close();
    expect(await placesOfSentinel({ redis: home.client() }, folders)).toEqual([]);
  });

  it('was really cut off: most of what was to be killed was still at it', () => {
    const all = Object.values(kills).flat();
    expect(all.filter((end) => end === 'killed').length, JSON.stringify(kills)).toBeGreaterThan(all.length / 2);
  });
});

const fail = (): never => {
  throw new Error('there is no such event');
};
