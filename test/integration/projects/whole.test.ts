import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { projectKey } from '../../../domain/project/key.js';
import type { Call } from '../../../services/api.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { appendOf, eventsTold, keysHolding, newKey, readAll, rememberedWith } from '../../support/eventlog.js';

const TEXTS = { description: 'The marmalade shop.', stack: 'Python', goals: 'Sell.', current_state: 'Saffron-basilisk is open.' };
const IDS = ['01JZZZZZZZZZZZZZZZZZZZZZZ1', '01JZZZZZZZZZZZZZZZZZZZZZZ2', '01JZZZZZZZZZZZZZZZZZZZZZZ3'];

describe('a project as a whole', () => {
  let test: TestApp;
  let name: string;
  let count = 0;
  beforeAll(async () => {
    test = await openTestApp();
    await test.app.commands.suppressTopic({ topic: 'kafka' }, test.call);
    await vi.waitFor(async () => expect(await test.queryParts.fresh()).toBeUndefined(), 20_000);
  });
  beforeEach(() => {
    name = `shop-${String.fromCharCode(97 + count++).repeat(4)}`;
  });
  afterAll(async () => {
    await test.verifyAll();
    await test.end();
  });

  /** Memories straight into the log, as fast as it takes them. */
  const fill = async (howMany: number, of: object = {}): Promise<string[]> => {
    const keys = Array.from({ length: howMany }, newKey);
    await test.log.append(
      appendOf(
        keys.map((subject, i) => ({
          subject,
          expected: 0,
          events: [{ type: 'MemoryRemembered', data: rememberedWith(`${name} sells jar number ${i}.`, { project: name, ...of }) }],
        })),
      ),
    );
    await test.queryParts.fresh();
    return keys;
  };
  const set = () => test.app.commands.setProjectContext({ project_name: name, ...TEXTS }, test.call);
  const remove = (more: object = {}, call: Call = test.call) => test.app.commands.deleteProject({ project_name: name, ...more }, call);
  const statesOf = (keys: readonly string[]) => [...new Set(keys.map((key) => test.index.documents.get(key)?.state))];
  const listed = async () =>
    (await test.app.queries.listProjects({}, test.call)).projects.find(({ project_name }) => project_name === name);

  describe('listed', () => {
    it('with what it is and all of its memories', async () => {
      await set();
      await fill(3);
      await test.app.commands.remember(
        { content: `Always weigh ${name}.`, namespace: 'preference', project: name, force: true },
        test.call,
      );
      expect(await listed()).toMatchObject({
        description: TEXTS.description,
        state: 'active',
        has_context: true,
        memory_count: 4,
        by_namespace: { episodic: 3, preference: 1 },
        updated_at: expect.stringMatching(/^20/),
      });
    });
    it('though it has memories only', async () => {
      await fill(1);
      expect(await listed()).toMatchObject({ has_context: false, memory_count: 1, state: 'active' });
    });
    it('by name without regard to case, the description cut', async () => {
      const { setProjectContext } = test.app.commands;
      for (const project_name of ['zebra', 'Apple', 'mango'])
        await setProjectContext({ project_name, ...TEXTS, description: 'x'.repeat(100) }, test.call);
      const { projects, total } = await test.app.queries.listProjects({}, test.call);
      const names = projects.map(({ project_name }) => project_name);
      expect(names).toEqual([...names].sort((a, b) => a.toLowerCase().localeCompare(b.toLowerCase(), 'en')));
      expect(names.indexOf('Apple')).toBeLessThan(names.indexOf('mango'));
      expect(total).toBe(names.length);
      expect(projects.find(({ project_name }) => project_name === 'mango')?.description).toHaveLength(80);
    });
  });

  describe('deleted', () => {
    it('not before it is confirmed, and the context only when that is asked for', async () => {
      expect(await remove()).toMatchObject({ status: 'not_found', project_name: name });
      await set();
      const keys = await fill(2);
      const events = await eventsTold(test.log);
      expect(await remove()).toMatchObject({ status: 'preview', would_delete: { episodic: 2 }, total: 2 });
      expect(await remove({ include_context: true })).toMatchObject({ would_delete: { episodic: 2, context: 1 }, total: 3 });
      expect(await eventsTold(test.log)).toBe(events);
      expect(await remove({ confirm: true })).toMatchObject({ status: 'deleted', deleted: { episodic: 2 }, total: 2 });
      expect(keys.filter((key) => test.index.documents.has(key))).toEqual([]);
      expect(await test.app.queries.getProjectContext({ project_name: name }, test.call)).toMatchObject({ status: 'found' });
      expect(await listed()).toMatchObject({ memory_count: 0 });
      expect(await remove({ confirm: true })).toMatchObject({
        status: 'preview',
        total: 0,
        note: expect.stringContaining('include_context'),
      });
    });

    it('with the facts drawn from it, and nothing of another project', async () => {
      const [source = ''] = await fill(1);
      await fill(2, { enriched_from: source, namespace: 'knowledge' });
      const other = await fill(1, { project: 'untouched' });
      expect(await remove()).toMatchObject({ total: 3 });
      expect(await remove({ confirm: true })).toMatchObject({ total: 3 });
      expect(other.every((key) => test.index.documents.has(key))).toBe(true);
    });

    it('its context is gone from every place, and may be set anew', async () => {
      const subject = projectKey(name);
      await set();
      await test.app.commands.updateProjectState({ project_name: name, current_state: 'Saffron-basilisk is closed.' }, test.call);
      expect(await keysHolding(test.redis, test.keys, 'asilisk is closed')).not.toEqual([]);
      expect(await remove({ confirm: true, include_context: true })).toMatchObject({ status: 'deleted', deleted: { context: 1 } });
      expect(await keysHolding(test.redis, test.keys, 'asilisk is closed')).toEqual([]);
      for (const model of await test.redis.smembers(test.keys.models)) {
        expect(await test.redis.exists(test.keys.embedding(model, subject))).toBe(0);
      }
      expect(test.index.documents.has(subject)).toBe(false);
      expect((await test.app.queries.recall({ query: 'marmalade shop', project_filter: [name] }, test.call)).results).toEqual([]);
      expect(await listed()).toBeUndefined();
      expect(await test.app.queries.explainMemory({ key: subject }, test.call)).toMatchObject({
        status: 'forgotten',
        timeline: [{ erased: true }, { erased: true }, { event: 'ProjectDeleted' }],
      });
      await test.verifyAll();

      expect(await set()).toMatchObject({ status: 'stored', version: 4, embedding: 'stored' });
      expect((await test.app.queries.recall({ query: 'marmalade shop', project_filter: [name] }, test.call)).results[0]).toMatchObject({
        key: subject,
      });
      expect(await test.app.queries.getProjectContext({ project_name: name }, test.call)).toMatchObject({ version: 4, ...TEXTS });
      expect(test.index.serving?.missing.has(subject)).toBe(false);
      await expect.poll(() => test.redis.hget(test.keys.counter('recalls'), subject)).toBe('1');
    });

    it('in batches that go on when the call is cut off, under one correlation', async () => {
      await set();
      await fill(450);
      const stop = new AbortController();
      const seen: number[] = [];
      const progress = (_message: string, done = 0): void => {
        seen.push(done);
        if (done >= 200) stop.abort(new Error('killed'));
      };
      const call = { ...test.call, commandId: IDS[0], progress };
      await expect(remove({ confirm: true, include_context: true }, { ...call, signal: stop.signal })).rejects.toThrow('killed');
      await expect.poll(async () => (await listed())?.memory_count, { timeout: 20_000 }).toBe(251);
      expect(await remove({ confirm: true, include_context: true }, { ...test.call, commandId: IDS[0] })).toMatchObject({
        status: 'deleted',
        total: 451,
        deleted: { episodic: 450, context: 1 },
        correlation: IDS[0],
      });
      expect(seen[0]).toBe(200);
      expect(await listed()).toBeUndefined();
      const erased = (await readAll(test.log)).flatMap((entry) =>
        entry.kind === 'event' && entry.event.envelope.correlation === IDS[0] ? [entry.event] : [],
      );
      expect(erased).toHaveLength(451);
      expect(erased[0]?.type).toBe('ProjectDeleted');
    });

    it('to its end by another call, when the first one never comes back', async () => {
      await fill(250);
      const stop = new AbortController();
      const progress = (): void => stop.abort(new Error('killed'));
      await expect(remove({ confirm: true }, { ...test.call, progress, signal: stop.signal })).rejects.toThrow('killed');
      const cancelled = async () => (await test.app.queries.health()).issues.filter(({ code }) => code === 'ERASURE_CANCELLED').length;
      const before = await cancelled();
      expect(before).toBeGreaterThan(0);
      expect(await remove({ confirm: true })).toMatchObject({ status: 'deleted', total: 50 });
      expect(await listed()).toBeUndefined();
      await expect.poll(cancelled, { timeout: 20_000 }).toBe(before - 1);
    });
  });

  describe('set aside and brought back', () => {
    const aside = (more: object = {}, call: Call = test.call) =>
      test.app.commands.deprioritiseProject({ project_name: name, ...more }, call);
    const back = (more: object = {}, call: Call = test.call) => test.app.commands.reinstateProject({ project_name: name, ...more }, call);

    it('after a preview, all of it, with the reason that is given', async () => {
      expect(await aside()).toMatchObject({ status: 'not_found' });
      const keys = await fill(3);
      await test.app.commands.archive({ key_or_query: keys[2] ?? '' }, test.call);
      expect(await aside({ reason: 'over' })).toMatchObject({
        status: 'preview',
        would_deprioritise: { episodic: 2 },
        total: 2,
        already_inactive: { archived: 1 },
      });
      expect(statesOf(keys.slice(0, 2))).toEqual(['active']);
      expect(await aside({ reason: 'over', confirm: true })).toMatchObject({ status: 'deprioritised', deprioritised: { episodic: 2 } });
      expect(statesOf(keys)).toEqual(['deprioritised', 'archived']);
      expect(await test.app.queries.explainMemory({ key: keys[0] ?? '' }, test.call)).toMatchObject({ deprioritised_reason: 'over' });
      expect(await aside({ confirm: true })).toMatchObject({
        status: 'nothing_to_change',
        already_inactive: { deprioritised: 2, archived: 1 },
      });

      expect(await back()).toMatchObject({ status: 'preview', would_reinstate: { episodic: 3 }, total: 3 });
      expect(await back({ confirm: true })).toMatchObject({ status: 'reinstated', total: 3 });
      expect(statesOf(keys)).toEqual(['active']);
      const explained = await test.app.queries.explainMemory({ key: keys[0] ?? '' }, test.call);
      expect(explained).not.toHaveProperty('deprioritised_reason');
      expect(await back({ confirm: true })).toMatchObject({ status: 'nothing_to_change', already_active: 3 });
    });

    it('the context with it only when asked', async () => {
      await set();
      await fill(1);
      await aside({ confirm: true });
      expect(await listed()).toMatchObject({ state: 'active' });
      expect(await aside({ confirm: true, include_context: true, reason: 'over' })).toMatchObject({ deprioritised: { context: 1 } });
      expect(await listed()).toMatchObject({ state: 'deprioritised' });
      expect(await test.app.queries.getProjectContext({ project_name: name }, test.call)).toMatchObject({
        state: 'deprioritised',
        deprioritised_reason: 'over',
      });
      expect(await back({ confirm: true, include_context: true })).toMatchObject({ reinstated: { episodic: 1, context: 1 } });
      expect(await listed()).toMatchObject({ state: 'active' });
    });

    it('facts come back with half the weight they had', async () => {
      const [source = ''] = await fill(1);
      const [fact = ''] = await fill(1, { enriched_from: source });
      await aside({ confirm: true });
      await back({ confirm: true });
      expect(test.index.documents.get(fact)).toMatchObject({ state: 'active', isFact: true });
      const { results } = await test.app.queries.recall(
        { query: `${name} sells jar number 0`, project_filter: [name], score_breakdown: true },
        test.call,
      );
      expect(results[0]).toMatchObject({ key: source, score_breakdown: { surface: 1 } });
    });

    it('in batches that go on where they were cut off', async () => {
      const keys = await fill(450);
      const stop = new AbortController();
      const progress = (_message: string, done = 0): void => {
        if (done >= 200) stop.abort(new Error('killed'));
      };
      const call = { ...test.call, commandId: IDS[1] };
      await expect(aside({ confirm: true }, { ...call, progress, signal: stop.signal })).rejects.toThrow('killed');
      expect(await aside({ confirm: true }, call)).toMatchObject({ status: 'deprioritised', total: 450, correlation: IDS[1] });
      expect(statesOf(keys)).toEqual(['deprioritised']);
      expect(await aside({ confirm: true }, call)).toMatchObject({ status: 'deprioritised', total: 450 });
    });

    it('can be undone as one action', async () => {
      const keys = await fill(3);
      const done = await aside({ confirm: true });
      if (done.status !== 'deprioritised') throw new Error('not set aside');
      expect(await test.app.commands.undo({ correlation: done.correlation }, test.call)).toMatchObject({ status: 'undone' });
      expect(statesOf(keys)).toEqual(['active']);
    });
  });
});
