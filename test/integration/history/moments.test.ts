import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cutAtPlace, millisOf } from '../../../projections/history/cut.js';
import { Moments } from '../../../services/history/moments.js';
import type { Resolved } from '../../../services/history/when.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { newKey, openTestLog, remembered, revised } from '../../support/eventlog.js';
import { happens } from '../../support/projector.js';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
});
afterAll(() => test.end());

const headOf = async (): Promise<string> => (await test.log.head())?.position ?? '';
const remember = async (content: string): Promise<{ readonly key: string; readonly place: string }> => {
  const stored = await test.app.commands.remember({ content, force: true }, test.call);
  if (stored.status !== 'stored') throw new Error('not stored');
  return { key: stored.key, place: await headOf() };
};
const recallAt = (query: string, as_of: string) => test.app.queries.recall({ query, as_of }, test.call);

describe('an earlier moment', () => {
  it('shows a memory as it was: text, tags, state and hints', async () => {
    const { key, place } = await remember('The harbour gate opens at six.');
    await test.app.commands.retag({ key, add: ['gate'] }, test.call);
    await test.app.commands.revise({ key, content: 'The harbour gate opens at nine.' }, test.call);
    const revisedAt = await headOf();
    await test.app.commands.deprioritise({ key_or_query: key, reason: 'closed', reinstate_hints: ['ferry timetable'] }, test.call);
    const putAside = await headOf();
    await test.app.commands.archive({ key_or_query: key }, test.call);

    expect((await recallAt('harbour gate', place)).results).toMatchObject([{ content: 'The harbour gate opens at six.', state: 'active' }]);
    expect((await recallAt('harbour gate', place)).results[0]).not.toHaveProperty('tags');
    expect((await recallAt('harbour gate', revisedAt)).results).toMatchObject([
      { content: expect.stringContaining('nine'), tags: ['gate'] },
    ]);
    expect((await recallAt('ferry timetable', putAside)).results).toMatchObject([
      { key, reinstate_candidate: true, deprioritised_reason: 'closed' },
    ]);
    expect((await recallAt('ferry timetable', revisedAt)).results).toEqual([]);
    expect((await test.app.queries.recall({ query: 'harbour gate' }, test.call)).results).toEqual([]);
  });

  it('holds topics that were suppressed then, and only those', async () => {
    const { place } = await remember('The zeppelin hangar needs a new roof.');
    await test.app.commands.suppressTopic({ topic: 'zeppelin' }, test.call);
    const suppressed = await headOf();
    await test.app.commands.unsuppressTopic({ topic: 'zeppelin' }, test.call);
    expect((await recallAt('hangar roof', place)).results).toHaveLength(1);
    expect((await recallAt('hangar roof', suppressed)).results).toEqual([]);
    expect((await recallAt('hangar roof', await headOf())).results).toHaveLength(1);
  });

  it('before the first event is empty and says so', async () => {
    for (const as_of of ['2001-01-01', '100000000000-0', '1969-07-20T20:17Z']) {
      const { recall, recallIndex, memoryAudit, explainMemory } = test.app.queries;
      const empty = { results: [], message: expect.stringContaining('log begins later'), as_of: { position: '0-0', exact: true } };
      expect(await recall({ query: 'harbour', as_of }, test.call)).toMatchObject(empty);
      expect(await recallIndex({ query: 'harbour', as_of }, test.call)).toMatchObject(empty);
      expect(await memoryAudit({ as_of }, test.call)).toMatchObject({ total: 0, entries: [], message: empty.message, as_of: empty.as_of });
      const { key } = await remember('Some memory to explain.');
      expect(await explainMemory({ key, as_of }, test.call)).toMatchObject({ status: 'not_found', as_of: { position: '0-0' } });
    }
  });

  it('in the future is refused', async () => {
    const later = Date.now() + 60_000;
    for (const as_of of [new Date(later).toISOString(), `${later}-0`, '9999-12-31', '9999999999999999-1'])
      await expect(recallAt('harbour', as_of)).rejects.toMatchObject({ code: 'VALIDATION', hint: expect.any(String) });
  });

  it('has as many events as its time, however long the log grows', async () => {
    const { place } = await remember('A quay is a landing place.');
    const time = millisOf(place) + 1;
    await sleep(5);
    const as_of = new Date(time).toISOString();
    const before = await recallAt('quay landing place', as_of);
    await remember('A quay is a landing place, too.');
    expect(await recallAt('quay landing place', as_of)).toEqual(before);
    expect(before).toMatchObject({ results: [{ content: 'A quay is a landing place.' }], as_of: { position: place } });
  });
});

describe('memories of an earlier moment', () => {
  it('come in the order asked for, whichever of them changed since', async () => {
    const keys: string[] = [];
    for (let n = 0; n < 6; n++) keys.push((await remember(`Mooring number ${n}.`)).key);
    const place = await headOf();
    const asked = [...keys].reverse();
    const moments = new Moments(test.queryParts);
    const now = { cut: cutAtPlace(place, millisOf(place)), erasures: await test.log.erasures() };
    const orders = () => moments.ask(now, async (moment) => [...(await moment.rows(asked)).keys()]);
    expect(await orders()).toEqual(asked);
    for (const n of [5, 2, 0]) await test.app.commands.revise({ key: keys[n] ?? '', content: `Mooring ${n} is gone.` }, test.call);
    expect(await orders()).toEqual(asked);
    moments.clear();
  });

  it('can be named by an age, counted back on the clock of the server', async () => {
    const { key } = await remember('The gangway is slippery.');
    await sleep(3_100);
    await test.app.commands.revise({ key, content: 'The gangway is dry again.' }, test.call);
    expect((await recallAt('gangway', '3s')).results).toMatchObject([{ key, content: 'The gangway is slippery.' }]);
    expect(await recallAt('gangway', '100w')).toMatchObject({ results: [], message: expect.stringContaining('log begins later') });
    await expect(recallAt('gangway', '0s')).rejects.toMatchObject({ code: 'VALIDATION' });
  });
});

describe('events that came by a merge', () => {
  it('count from when they happened in the log they came from', async () => {
    await using other = await openTestLog({ valkey: test.valkey });
    const subject = newKey();
    await happens(other, subject, 0, remembered('The lighthouse keeper is called Osgood.'));
    await sleep(5);
    const { place } = await remember('The lighthouse has a red lamp.');
    await sleep(5);
    await happens(other, subject, 1, revised('The lighthouse keeper is called Prudence.'));

    for (const [orig, fields] of await other.redis.xrange(other.keys.log, '-', '+'))
      await test.redis.xadd(test.keys.log, '*', ...fields, 'orig', orig);
    await test.redis.copy(other.keys.payloads(subject), test.keys.payloads(subject));
    const at = (as_of: string) => recallAt('lighthouse keeper called', as_of);
    const then = await at(new Date(millisOf(place)).toISOString());
    expect(then.results[0]).toMatchObject({ key: subject, content: expect.stringContaining('Osgood') });
    expect(then.as_of).toMatchObject({ position: place, exact: false, note: expect.stringContaining('merge') });
    expect((await at(place)).results.map(({ key }) => key)).not.toContain(subject);
    expect((await at(await headOf())).results[0]).toMatchObject({ content: expect.stringContaining('Prudence') });
  });
});

describe('the moments that are kept', () => {
  const cutNow = async () => {
    const place = await headOf();
    return { cut: cutAtPlace(place, millisOf(place)), erasures: await test.log.erasures() };
  };
  const identity = (moments: Moments, now: Resolved) => moments.ask(now, async (moment) => moment);

  it('are the last few, each built once', async () => {
    const moments = new Moments(test.queryParts, { most: 2 });
    const a = await cutNow();
    await remember('one more');
    const b = await cutNow();
    await remember('and one more');
    const c = await cutNow();
    const [one, same] = await Promise.all([identity(moments, a), identity(moments, a)]);
    expect(same).toBe(one);
    await identity(moments, b);
    expect(await identity(moments, a)).toBe(one);
    await identity(moments, c);
    expect(moments.size).toBe(2);
    expect(await identity(moments, a)).toBe(one);
    expect(await identity(moments, b)).not.toBe(one);
    moments.clear();
    expect(moments.size).toBe(0);
  });

  it('are dropped when idle, when too large, and after an erasure', async () => {
    const { key } = await remember('This will be forgotten.');
    const cut = await cutNow();
    const idle = new Moments(test.queryParts, { idleMs: 30 });
    await identity(idle, cut);
    expect(idle.size).toBe(1);
    await sleep(100);
    expect(idle.size).toBe(0);

    const tiny = new Moments(test.queryParts, { mostBytes: 1_000 });
    await identity(tiny, cut);
    expect(tiny.size).toBe(0);

    const moments = new Moments(test.queryParts);
    const before = await identity(moments, cut);
    await test.app.commands.forget({ key_or_query: key, confirm: true, keys: [key] }, test.call);
    const after = await identity(moments, { ...cut, erasures: await test.log.erasures() });
    expect(after).not.toBe(before);
    expect(after.ledger.forgottenSince).toBe(1);
    expect(await after.rows([key])).toEqual(new Map());
    moments.clear();
  });

  it('ask again when something is erased meanwhile', async () => {
    const { key } = await remember('Erased while somebody looks.');
    const moments = new Moments(test.queryParts);
    const asked: number[] = [];
    const rows = await moments.ask(await cutNow(), async (moment) => {
      const read = await moment.rows([key]);
      asked.push(read.size);
      if (asked.length === 1) await test.app.commands.forget({ keys: [key], confirm: true }, test.call);
      return read;
    });
    expect({ asked, rows }).toEqual({ asked: [1, 0], rows: new Map() });
    moments.clear();
  });

  it('fail when the log cannot be read, and are built the next time', async () => {
    const cut = await cutNow();
    let broken = true;
    const { log } = test.queryParts;
    const read: typeof log.read = (after, count) => (broken ? Promise.reject(new Error('gone')) : log.read(after, count));
    const moments = new Moments({ ...test.queryParts, log: { ...log, read } });
    await expect(identity(moments, cut)).rejects.toThrow('gone');
    broken = false;
    expect((await identity(moments, cut)).searched.documents.size).toBeGreaterThan(0);
    moments.clear();
  });
});

describe('the recalls that a memory appeared in', () => {
  it('are told with time, place, score, asker and question', async () => {
    const { key } = await remember('The clockmaker lives in Bergen.');
    await sleep(5);
    const before = new Date().toISOString();
    const asked = await test.app.queries.recall({ query: 'where does the clockmaker live' }, { actor: 'mcp:one/1' });
    await test.app.queries.recallIndex({ query: 'clockmaker Bergen' }, { actor: 'mcp:two/1' });
    await sleep(300);
    const told = await test.app.queries.explainMemory({ key }, test.call);
    expect(told).toMatchObject({
      recall_count: 2,
      recalls: [
        { kind: 'recall_index', actor: 'mcp:two/1', rank: 1, query: 'clockmaker Bergen' },
        {
          kind: 'recall',
          actor: 'mcp:one/1',
          rank: 1,
          query: 'where does the clockmaker live',
          score: asked.results[0]?.score,
          at: expect.any(String),
        },
      ],
    });
    const then = await test.app.queries.explainMemory({ key, as_of: before }, test.call);
    expect(then).toMatchObject({ status: 'found', timeline: [{ event: 'MemoryRemembered' }] });
    expect(then).not.toHaveProperty('recalls');
    expect(then).not.toHaveProperty('recall_count');
  });

  it('are the newest of many', async () => {
    const { key } = await remember('The glassblower works in Murano.');
    for (let i = 0; i < 25; i++) await test.app.queries.recall({ query: 'glassblower' }, test.call);
    await sleep(300);
    const told = await test.app.queries.explainMemory({ key }, test.call);
    expect(told).toMatchObject({ recalls_cut: { shown: 20, total: 25 } });
  });
});
