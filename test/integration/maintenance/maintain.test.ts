import { ulid } from 'ulid';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { isDomainError } from '../../../domain/errors.js';
import { createLeases } from '../../../projections/lease.js';
import { maintenance, readLastMaintenance } from '../../../projections/maintenance.js';
import { readServingMemories } from '../../../projections/memories.js';
import { readView } from '../../../projections/view.js';
import { maintenanceDone, maintenanceDue } from '../../../services/commands/maintenance/due.js';
import { openPairs } from '../../../services/queries/contradictions.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventsTold, readEvents } from '../../support/eventlog.js';

const DAY_MS = 24 * 60 * 60_000;

let test: TestApp;
/** The clock of the app, which the tests move. */
let ahead = 0;
beforeAll(async () => {
  test = await openTestApp({ env: { MAINTENANCE_MAX_CHANGES: '5' }, options: { now: () => Date.now() + ahead } });
  // The views are built behind the first commands, which takes a while on a busy machine.
  await vi.waitFor(() => last(), { timeout: 30_000, interval: 50 });
});
afterAll(async () => {
  await test.verifyAll();
  await test.end();
});
beforeEach(() => {
  ahead += 1_000;
});

const remember = async (content: string, project: string, more: object = {}): Promise<string> => {
  const stored = await test.app.commands.remember({ content, force: true, project, ...more }, test.call);
  if (stored.status !== 'stored') throw new Error('not stored');
  ahead += 1_000;
  return stored.key;
};
const maintain = (project?: string, commandId = ulid(), more: object = {}) =>
  test.app.commands.maintain({ project, ...more }, { ...test.call, commandId });
const states = async (...keys: readonly string[]) => {
  const rows = await readServingMemories(test.redis, test.keys, keys);
  return keys.map((key) => rows.get(key)?.state);
};
const last = (project?: string) =>
  readView(test.redis, test.keys, maintenance, (view) => readLastMaintenance(view, project === undefined ? undefined : [project]));
const madeBy = async (correlation: string) => (await readEvents(test.log)).filter(({ envelope }) => envelope.correlation === correlation);
const found = async (query: string, more: object = {}): Promise<readonly string[]> =>
  (await test.app.queries.recall({ query, ...more }, test.call)).results.map(({ key }) => key);

describe('a run of maintenance', () => {
  it('archives copies, flags contradictions and archives expired knowledge, as one action by maintenance that undo takes back', async () => {
    const first = await remember('The quarry importer reads the nightly file from the bucket', 'quarry');
    const second = await remember('THE QUARRY importer reads the nightly file from the bucket', 'quarry');
    const newest = await remember('The quarry importer reads the nightly file from the bucket.', 'quarry');
    const [never, always] = [
      await remember('Never delete the quarry bucket', 'quarry'),
      await remember('Always delete the quarry bucket', 'quarry'),
    ];
    const article = await remember('Quarry API keys rotate this week', 'quarry', {
      namespace: 'knowledge',
      expires_at: new Date(Date.now() + ahead + DAY_MS).toISOString(),
    });
    ahead += 2 * DAY_MS;

    const plan = await maintain('quarry', ulid(), { dry_run: true });
    expect(plan).toMatchObject({ status: 'dry_run', left: 0 });
    expect(await states(first, second, article)).toEqual(['active', 'active', 'active']);

    const correlation = ulid();
    const ran = await maintain('quarry', correlation);
    expect(ran).toMatchObject({ ...plan, status: 'ran', correlation });
    expect(ran.duplicates_archived).toEqual(
      expect.arrayContaining([
        { key: first, kept: newest },
        { key: second, kept: newest },
      ]),
    );
    expect(ran.contradictions_found.map(({ key_a, key_b }) => [key_a, key_b].sort())).toEqual([[never, always].sort()]);
    expect(ran.contradictions_found[0]?.content_a).toContain('quarry bucket');
    expect(ran.knowledge_expired).toEqual([article]);
    expect(await states(first, second, newest, article)).toEqual(['archived', 'archived', 'active', 'archived']);
    expect((await readServingMemories(test.redis, test.keys, [first])).get(first)?.deprioritised_reason).toContain(newest);
    const made = await madeBy(correlation);
    expect(new Set(made.map(({ envelope }) => envelope.actor))).toEqual(new Set(['maintenance']));
    expect(made.every(({ envelope }) => envelope.causation === undefined)).toBe(true);
    expect(await last('quarry')).toMatchObject({
      project: 'quarry',
      correlation,
      knowledge_expired: [article],
      left: 0,
      contradictions_found: [{}],
    });
    expect(await last()).toBeUndefined();

    const size = await eventsTold(test.log);
    expect(await maintain('quarry', correlation)).toEqual(ran);
    expect(await eventsTold(test.log)).toBe(size);
    expect(await maintain('quarry')).toMatchObject({ status: 'nothing_to_do', left: 0 });

    const undone = await test.app.commands.undo({ correlation }, test.call);
    expect(undone).toMatchObject({ status: 'undone', irreversible: [], kept: [] });
    expect(await states(first, second, newest, article)).toEqual(['active', 'active', 'active', 'active']);
    expect(await openPairs(test, { projects: ['quarry'], limit: 5 })).toEqual([]);
    expect(await maintain('quarry')).toMatchObject({ status: 'nothing_to_do' });
    expect(await states(first, second, article)).toEqual(['active', 'active', 'active']);
  });

  it('that was undone is no longer told as the last one, until the undo is undone', async () => {
    await remember('The rill gauge reads twice an hour', 'rill');
    await remember('The rill gauge reads twice an hour.', 'rill');
    const before = ulid();
    await maintain('rill', before);
    await remember('The rill gauge reads twice an hour!', 'rill');
    const correlation = ulid();
    await maintain('rill', correlation);
    expect((await last('rill'))?.correlation).toBe(correlation);
    const undone = await test.app.commands.undo({ correlation }, test.call);
    expect((await last('rill'))?.correlation).toBe(before);
    const again = await test.app.commands.undo({ correlation: undone.undo_correlation ?? '' }, test.call);
    expect((await last('rill'))?.correlation).toBe(correlation);
    await test.app.commands.undo({ correlation: again.undo_correlation ?? '' }, test.call);
    expect((await last('rill'))?.correlation).toBe(before);
  });

  it('changes no more than its cap and says what is left', async () => {
    const article = (n: number) =>
      remember(`Ridge bulletin number ${n} about ${'abcdefgh'[n]}`, 'ridge', {
        namespace: 'knowledge',
        expires_at: new Date(Date.now() + ahead + DAY_MS).toISOString(),
      });
    const keys = [];
    for (let n = 0; n < 7; n++) keys.push(await article(n));
    ahead += 2 * DAY_MS;
    const ran = await maintain('ridge');
    expect([ran.knowledge_expired.length, ran.left]).toEqual([5, 2]);
    expect((await last('ridge'))?.left).toBe(2);
    expect((await maintain('ridge')).left).toBe(0);
    expect(await states(...keys)).toEqual(Array(7).fill('archived'));
  });

  it('keeps a copy that knows more of the work, and reports it', async () => {
    const knowing = await remember('The spire build needs the old compiler', 'spire');
    await test.log.append({
      commandId: ulid(),
      actor: 'test',
      at: new Date().toISOString(),
      writes: [
        {
          subject: knowing,
          expected: 1,
          events: [{ type: 'ExperienceRecorded', data: { effort_score: 4, outcome: 'succeeded', abandoned_approaches: [] } }],
        },
      ],
      result: {},
    });
    const fresh = await remember('The spire build needs the old compiler.', 'spire');
    expect(await maintain('spire')).toMatchObject({ status: 'nothing_to_do', kept_for_experience: [{ key: knowing, copy_of: fresh }] });
    expect(await states(knowing, fresh)).toEqual(['active', 'active']);
  });

  it('takes nothing that gives another value, nor the copy of another project', async () => {
    await remember('The talus proxy allows 100 connections', 'talus');
    await remember('The talus proxy allows 200 connections', 'talus');
    await remember('The talus proxy speaks TLS', 'talus');
    await remember('The talus proxy speaks TLS.', 'umber');
    const ran = await maintain('talus');
    expect([ran.duplicates_archived, ran.contradictions_found.length]).toEqual([[], 1]);
    expect((await maintain()).duplicates_archived).toEqual([]);
  });

  it('is refused while another process runs one', async () => {
    const leases = createLeases(test.redis, test.keys, 10_000);
    const held = await leases.acquire(['job:maintenance']);
    const refusal = await maintain('vale').catch((error: unknown) => error);
    await leases.release(held);
    expect(isDomainError(refusal, 'CONFLICT')).toBe(true);
    expect(await maintain('vale')).toMatchObject({ status: 'nothing_to_do' });
  });

  it('runs once when two processes begin it together', async () => {
    const keys = [await remember('The xylem cron fires at dawn', 'xylem'), await remember('The xylem cron fires at dawn.', 'xylem')];
    const other = await test.another({ now: () => Date.now() + ahead });
    try {
      await other.app.whenReady(10_000);
      const outcomes = await Promise.allSettled([maintain('xylem'), other.app.commands.maintain({ project: 'xylem' }, test.call)]);
      for (const outcome of outcomes) if (outcome.status === 'rejected') expect(isDomainError(outcome.reason, 'CONFLICT')).toBe(true);
    } finally {
      await other.close();
    }
    expect(await states(...keys)).toEqual(['archived', 'active']);
    const archived = (await readEvents(test.log)).filter(
      ({ type, envelope }) => type === 'MemoryArchived' && keys.includes(envelope.subject),
    );
    expect(archived).toHaveLength(1);
  });

  it('asks whether a name that is not known is another one, and records nothing', async () => {
    await remember('The kelp farm opens in May', 'kelp-farm');
    const size = await eventsTold(test.log);
    expect(await maintain('Kelp-Farm')).toMatchObject({ status: 'nothing_to_do', project_suggestion: { did_you_mean: ['kelp-farm'] } });
    expect(await eventsTold(test.log)).toBe(size);
  });

  it('takes projects that were merged for one', async () => {
    const older = await remember('The zephyr fan curve is linear', 'zephyr-old');
    const newest = await remember('The zephyr fan curve is linear.', 'zephyr');
    expect((await maintain('zephyr')).duplicates_archived).toEqual([]);
    await test.app.commands.mergeProjects({ from: 'zephyr-old', into: 'zephyr' }, test.call);
    expect(await maintain('zephyr-old')).toMatchObject({ project: 'zephyr', duplicates_archived: [{ key: older, kept: newest }] });
    expect(await last('zephyr')).toMatchObject({ duplicates_archived: [older] });
  });

  it('never archives the last copy, although it is set aside while a run is under way', async () => {
    const [older, newest] = [await remember('The wadi job writes parquet', 'wadi'), await remember('The wadi job writes parquet.', 'wadi')];
    const { append } = test.log;
    let raced = false;
    const log = test.log as { append: typeof append };
    log.append = async (given) => {
      if (!raced && given.actor === 'maintenance') {
        raced = true;
        await test.app.commands.archive({ key_or_query: newest }, test.call);
      }
      return append(given);
    };
    try {
      await maintain('wadi');
    } finally {
      log.append = append;
    }
    expect(raced).toBe(true);
    expect(await states(older, newest)).toEqual(['active', 'archived']);
  });
});

describe('knowledge that expires', () => {
  const soon = (): string => new Date(Date.now() + ahead + DAY_MS).toISOString();

  it('shows its time in recall, is left out from then on, and is archived without any briefing', async () => {
    const expires_at = soon();
    const key = await remember('Yarrow certificates are renewed by the vendor', 'yarrow', { namespace: 'knowledge', expires_at });
    const item = (await test.app.queries.recall({ query: 'Yarrow certificates' }, test.call)).results.find((result) => result.key === key);
    expect(item).toMatchObject({ expires_at });
    ahead += 2 * DAY_MS;
    expect(await found('Yarrow certificates')).not.toContain(key);
    expect(await states(key)).toEqual(['active']);

    const other = await test.another({ now: () => Date.now() + ahead });
    try {
      await expect.poll(() => states(key), { timeout: 10_000 }).toEqual(['archived']);
    } finally {
      await other.close();
    }
    const [archived] = (await readEvents(test.log)).filter(({ type, envelope }) => type === 'MemoryArchived' && envelope.subject === key);
    expect(archived?.envelope.actor).toBe('maintenance');
    expect(await last()).toMatchObject({ knowledge_expired: expect.arrayContaining([key]) });
    const correlation = archived?.envelope.correlation ?? '';
    expect((await test.app.commands.undo({ correlation }, test.call)).status).toBe('undone');
    expect((await last())?.correlation).not.toBe(correlation);

    const row = async () => (await readServingMemories(test.redis, test.keys, [key])).get(key);
    expect(await row()).toMatchObject({ state: 'active', expires_at });
    expect(await found('Yarrow certificates')).not.toContain(key);
    expect((await maintain()).knowledge_expired).not.toContain(key);
    expect(await states(key)).toEqual(['active']);

    await test.app.commands.archive({ key_or_query: key }, test.call);
    await test.app.commands.reinstate({ key_or_query: key }, test.call);
    expect((await row())?.expires_at).toBeUndefined();
    expect(await found('Yarrow certificates')).toContain(key);
  });

  it('is refused for a past time, no time, or another namespace', async () => {
    const code = (input: object) =>
      test.app.commands.remember({ content: 'Zircon news', ...input }, test.call).then(
        () => 'stored',
        (error: unknown) => (isDomainError(error) ? error.code : error),
      );
    expect(await code({ namespace: 'knowledge', expires_at: '2001-01-01' })).toBe('VALIDATION');
    expect(await code({ namespace: 'knowledge', expires_at: 'tomorrow' })).toBe('VALIDATION');
    expect(await code({ namespace: 'episodic', expires_at: soon() })).toBe('VALIDATION');
  });
});

describe('when maintenance is due', () => {
  it('every so many briefings of a project, counted beside the log', async () => {
    const due = { redis: test.redis, keys: test.keys, maintenance: { interval: 3 } };
    const size = await eventsTold(test.log);
    const ask = async (times: number) => {
      const answers = [];
      for (let i = 0; i < times; i++) answers.push(await maintenanceDue(due, 'aster'));
      return answers;
    };
    expect(await ask(4)).toEqual([false, false, true, true]);
    expect(await maintenanceDue(due, 'other')).toBe(false);
    await maintenanceDone(due, 'aster');
    expect(await ask(3)).toEqual([false, false, true]);
    expect(await maintenanceDue({ ...due, maintenance: { interval: 0 } }, 'aster')).toBe(false);
    expect(await eventsTold(test.log)).toBe(size);
  });
});
