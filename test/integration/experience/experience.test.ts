import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { OpenApp } from '../../../services/app.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventsTold } from '../../support/eventlog.js';
import { deedsWith } from './support.js';

let test: TestApp;
let other: OpenApp;
beforeAll(async () => {
  test = await openTestApp();
  other = await test.another();
  await other.app.whenReady(10_000);
  // The views of a new store are built while it is already written to.
  await vi.waitFor(() => test.app.queries.experienceSummary({}, test.call), { timeout: 30_000 });
});
afterAll(async () => {
  await test.verifyAll();
  await other.close();
  await test.end();
});

const { act, remember, warn, recall } = deedsWith(() => test);

describe('recall', () => {
  it('shows dead ends beside its results, taking none of their places', async () => {
    const keys = [];
    for (let i = 0; i < 4; i++) keys.push(await remember(`Ledger export number ${i} writes parquet files for the ledger.`));
    for (const [i, key] of keys.entries())
      await test.app.commands.logAbandoned(
        { key, name: i < 3 ? 'ledger export via csv' : 'Ledger Export via CSV', type: 'approach', reason: `too large ${i}` },
        test.call,
      );
    const { results, abandoned_warnings } = await recall('ledger export via csv', { top_k: 3 });
    expect(results).toHaveLength(3);
    expect(results.every((result) => !('result_type' in result))).toBe(true);
    expect(abandoned_warnings).toMatchObject([{ name: 'Ledger Export via CSV', reason: 'too large 3', key: keys[3] }]);
    const short = await test.app.queries.recallIndex({ query: 'ledger export via csv', top_k: 2 }, test.call);
    expect(short.results).toHaveLength(2);
    expect(short.abandoned_warnings).toEqual(abandoned_warnings);
  });

  it('multiplies by experience, and shows what it was', async () => {
    const [plain, hard] = [
      await remember('The glacier sensor sleeps for an hour.'),
      await remember('The glacier sensor sleeps for two hours.'),
    ];
    const input = {
      key: hard,
      effort_score: 5,
      outcome: 'succeeded',
      breakthrough: 'Wake it by radio.',
      gotchas: 'Cold drains it.',
    } as const;
    expect(await test.app.commands.recordExperience(input, test.call)).toEqual({
      key: hard,
      effort_score: 5,
      outcome: 'succeeded',
      experience_weight: 1.8,
    });
    const { results } = await recall('how long does the glacier sensor sleep', { score_breakdown: true });
    const [first, second] = [results.find(({ key }) => key === hard), results.find(({ key }) => key === plain)];
    expect(first).toMatchObject({
      effort_score: 5,
      outcome: 'succeeded',
      breakthrough: 'Wake it by radio.',
      score_breakdown: { experience: 1.8 },
    });
    expect(second).toMatchObject({ score_breakdown: { experience: 1 } });
    expect(second).not.toHaveProperty('outcome');
    const { similarity = 0, surface = 0, recency = 0, temporal = 0 } = first?.score_breakdown ?? {};
    expect(first?.score).toBeCloseTo(similarity * surface * recency * temporal * 1.8, 5);
    for (const details of [
      (await test.app.queries.recallDetail({ keys: [hard] }, test.call)).results[0],
      await test.app.queries.explainMemory({ key: hard }, test.call),
    ])
      expect(details).toMatchObject({
        gotchas: 'Cold drains it.',
        iterations: 1,
        experience_weight: 1.8,
        breakthrough: 'Wake it by radio.',
      });
    expect(await test.app.commands.deprioritise({ key_or_query: hard, reason: 'melted' }, test.call)).toMatchObject({
      affected: [{ key: hard, warning: expect.stringMatching(/effort score of 5.*[Aa]rchive/s) }],
    });
    expect(JSON.stringify(await test.app.commands.deprioritise({ key_or_query: plain, reason: 'melted' }, test.call))).not.toContain(
      'warning',
    );
  });
});

describe('experience', () => {
  it('keeps what one command wrote when another wrote since, on undo', async () => {
    const key = await remember('Trial of compilers.');
    const id = ulid();
    const logged = ulid();
    await test.app.commands.recordExperience({ key, effort_score: 2, outcome: 'pivoted' }, act(id));
    await test.app.commands.logAbandoned({ key, name: 'tcc', type: 'tool', reason: 'no C11' }, act(logged));
    await test.app.commands.recordExperience({ key, effort_score: 3, outcome: 'succeeded', breakthrough: 'zig cc' }, test.call);
    expect(await test.app.commands.undo({ correlation: id }, test.call)).toMatchObject({
      status: 'unchanged',
      kept: [{ key, fields: ['experience'] }],
    });
    expect(await test.app.commands.undo({ correlation: logged }, test.call)).toMatchObject({
      status: 'undone',
      restored: [{ key, fields: ['dead_ends'] }],
      kept: [],
    });
    expect(await warn('use tcc?', undefined, other)).toEqual({ status: 'clear' });
    const kept = await test.app.queries.getExperience({ key }, test.call);
    expect(kept).toMatchObject({ status: 'found', effort_score: 3, outcome: 'succeeded', breakthrough: 'zig cc' });
    expect(kept).not.toHaveProperty('abandoned_approaches');
  });

  it('is not_found, no_experience, or found with a dead end alone', async () => {
    const key = await remember('A memory without a past.');
    const unknown = 'mem:episodic:01ARZ3NDEKTSV4RRFFQ69G5FAV';
    const get = (wanted: string) => test.app.queries.getExperience({ key: wanted }, test.call);
    expect(await get(unknown)).toEqual({ status: 'not_found', key: unknown });
    expect(await get(key)).toEqual({ status: 'no_experience', key });
    await test.app.commands.logAbandoned({ key, name: 'haml', type: 'library', reason: 'taste' }, test.call);
    expect(await get(key)).toEqual({
      status: 'found',
      key,
      state: 'active',
      abandoned_approaches: [{ name: 'haml', type: 'library', reason: 'taste', attempted_at: expect.any(String) }],
    });
    await expect(
      test.app.commands.recordExperience({ key: unknown, effort_score: 1, outcome: 'succeeded' }, test.call),
    ).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('refuses what holds a credential, or is out of range, and stores nothing', async () => {
    const key = await remember('A memory to be refused on.');
    const size = await eventsTold(test.log);
    const { commands } = test.app;
    const token = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
    await expect(commands.logAbandoned({ key, name: 'x1', type: 'tool', reason: `with ${token}` }, test.call)).rejects.toMatchObject({
      code: 'VALIDATION',
    });
    for (const wrong of [{ effort_score: 0 }, { effort_score: 2.5 }, { iterations: 0 }, { gotchas: 'x'.repeat(5_001) }])
      await expect(commands.recordExperience({ key, effort_score: 1, outcome: 'succeeded', ...wrong }, test.call)).rejects.toMatchObject({
        code: 'VALIDATION',
      });
    expect(await eventsTold(test.log)).toBe(size);
  });

  it('is of its moment when an earlier one is asked for', async () => {
    const key = await remember('The tide gauge reports by radio.', 'tides');
    const before = (await test.log.head())?.position ?? '';
    const abandoned_approaches = [{ name: 'lorawan', type: 'service', reason: 'no gateway' }] as const;
    await test.app.commands.recordExperience({ key, effort_score: 5, outcome: 'succeeded', abandoned_approaches }, test.call);
    const between = (await test.log.head())?.position ?? '';
    await test.app.commands.recordExperience({ key, effort_score: 1, outcome: 'pivoted' }, test.call);
    const at = async (as_of?: string) => {
      const { results, abandoned_warnings } = await recall('tide gauge lorawan', { score_breakdown: true, ...(as_of && { as_of }) });
      const found = results.find((result) => result.key === key);
      return [
        found?.effort_score,
        found?.score_breakdown?.experience,
        abandoned_warnings?.map(({ name, effort_score }) => [name, effort_score]),
      ];
    };
    expect(await at(before)).toEqual([undefined, 1, undefined]);
    expect(await at(between)).toEqual([5, 1.8, [['lorawan', 5]]]);
    expect(await at()).toEqual([1, 0.7, [['lorawan', 1]]]);
  });

  it('is summed up from sets, by project and over all', async () => {
    const [a, b] = [await remember('Sum one.', 'sums'), await remember('Sum two.', 'sums')];
    await test.app.commands.recordExperience({ key: a, effort_score: 5, outcome: 'succeeded', breakthrough: 'add them' }, test.call);
    await test.app.commands.recordExperience({ key: b, effort_score: 2, outcome: 'pivoted' }, test.call);
    await test.app.commands.logAbandoned({ key: b, name: 'bc', type: 'tool', reason: 'slow' }, test.call);
    const summary = () => other.app.queries.experienceSummary({ project: 'sums' }, test.call);
    expect(await summary()).toEqual({
      project: 'sums',
      memories_with_experience: 2,
      average_effort_score: 3.5,
      outcome_breakdown: { succeeded: 1, pivoted: 1, abandoned: 0 },
      top_5_most_effortful: [
        { key: a, content: 'Sum one.', effort_score: 5, outcome: 'succeeded' },
        { key: b, content: 'Sum two.', effort_score: 2, outcome: 'pivoted' },
      ],
      graveyard: [{ name: 'bc', type: 'tool', reason: 'slow', attempted_at: expect.any(String), key: b, effort_score: 2, project: 'sums' }],
      top_3_breakthroughs: [{ key: a, effort_score: 5, breakthrough: 'add them' }],
    });
    await test.app.commands.archive({ key_or_query: b }, test.call);
    expect(await summary()).toMatchObject({ memories_with_experience: 1, average_effort_score: 5, graveyard: [] });
  });
});

describe('after a restart', () => {
  it('dead ends are read again', async () => {
    const own = await openTestApp();
    const stored = await own.app.commands.remember({ content: 'Tried svn once.', force: true }, own.call);
    if (stored.status !== 'stored') throw new Error('not stored');
    await own.app.commands.logAbandoned({ key: stored.key, name: 'subversion', type: 'tool', reason: 'branches' }, own.call);
    await own.close();
    const again = await own.another();
    await again.app.whenReady(10_000);
    expect(await again.app.queries.warnIfAbandoned({ query: 'subversion?' }, own.call)).toMatchObject({ status: 'warning', total: 1 });
    await again.close();
    await own.end();
  });
});
