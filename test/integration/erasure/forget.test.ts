import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ForgetInput, ForgetResult } from '../../../services/api.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { providerOf } from '../../support/embedders.js';
import { appendOf, eventsTold, keysHolding, newKey, newMemory, readAll, remembered } from '../../support/eventlog.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
let test: TestApp;
beforeAll(async () => {
  valkey = await startValkey({ config: { rdbcompression: 'no' } });
  test = await openTestApp({ valkey, provider: providerOf() });
});
afterAll(async () => {
  await test.verifyAll();
  await test.end();
  await valkey.stop();
});

type Preview = Extract<ForgetResult, { status: 'preview' }>;
const preview = async (input: ForgetInput): Promise<Preview> => {
  const answer = await test.app.commands.forget(input, test.call);
  if (answer.status !== 'preview') throw new Error(answer.status);
  return answer;
};
const confirm = (preview_id: string, call = test.call) => test.app.commands.forget({ preview_id, confirm: true }, call);
const store = async (content: string, fields: Parameters<typeof remembered>[1] = {}, at?: string): Promise<string> => {
  const subject = newKey();
  const write = { subject, expected: 0, events: [remembered(content, fields)] };
  await test.log.append(appendOf([write], at === undefined ? {} : { at }));
  return subject;
};
/** How many events an action made. */
const made = async (correlation: string): Promise<number> =>
  (await readAll(test.log)).filter((entry) => entry.kind === 'event' && entry.event.envelope.correlation === correlation).length;
const held = (text: string): Promise<readonly string[]> => keysHolding(test.redis, test.keys, text);

describe('what a preview means', () => {
  it('a document, a project and a time range, each with counts and nothing erased', async () => {
    const one = await store('chunk one', { doc_id: 'doc-1', project: 'atlas' }, '2020-01-01T00:00:00.000Z');
    const two = await store('chunk two', { doc_id: 'doc-1', project: 'atlas' }, '2020-02-01T00:00:00.000Z');
    const three = await store('not of it', { project: 'atlas' }, '2020-03-01T00:00:00.000Z');
    const four = await store('elsewhere', { project: 'borealis' }, '2020-03-01T00:00:00.000Z');
    const meant = async (input: ForgetInput) => (await preview(input)).targets.map(({ key }) => key).sort();
    expect(await meant({ doc_id: 'doc-1' })).toEqual([one, two].sort());
    expect(await meant({ project: 'atlas' })).toEqual([one, two, three].sort());
    expect(await meant({ created_after: '2020-02-01', created_before: '2020-03-02' })).toEqual([two, three, four].sort());
    expect(await meant({ project: 'atlas', created_after: '2020-02-01', created_before: '2020-03-01T00:00:00Z' })).toEqual([two]);
    expect(await meant({ keys: [four, one] })).toEqual([one, four].sort());
    expect(await preview({ project: 'atlas' })).toMatchObject({ total: 3, by_namespace: { episodic: 3 } });
    expect(await test.log.load([one, two, three, four])).toMatchObject(Array.from({ length: 4 }, () => ({ version: 1 })));
  });

  it('takes along the facts drawn from it, and the facts drawn from those', async () => {
    const source = await store('source text');
    const fact = await store('a fact', { enriched_from: source });
    const deeper = await store('a fact of a fact', { enriched_from: fact });
    const seen = await preview({ key_or_query: source });
    expect(seen).toMatchObject({ total: 3, facts: 2 });
    expect(await confirm(seen.preview_id)).toMatchObject({ deleted: 3, deleted_keys: [source, fact, deeper] });
  });

  it.each<[string, ForgetInput]>([
    ['nothing', {}],
    ['two ways at once', { key_or_query: 'x', project: 'atlas' }],
    ['no time', { created_after: 'yesterday' }],
    ['a range that ends before it begins', { created_after: '2026-02-01', created_before: '2026-01-01' }],
    ['no key', { keys: ['mem:nonsense'] }],
    ['an empty document', { doc_id: ' ' }],
  ])('refuses %s', (_, input) => expect(preview(input)).rejects.toMatchObject({ code: 'VALIDATION' }));

  it('finds nothing where nothing is', async () =>
    expect(await test.app.commands.forget({ project: 'no-such-project' }, test.call)).toEqual({
      status: 'not_found',
      note: expect.stringContaining('recall_index'),
    }));
});

describe('confirming', () => {
  it('erases exactly what was previewed, and keeps what came later', async () => {
    const before = await store('of the project', { project: 'cassini' });
    const { preview_id } = await preview({ project: 'cassini' });
    const after = await store('came later', { project: 'cassini' });
    expect(await confirm(preview_id)).toMatchObject({ status: 'deleted', deleted: 1, deleted_keys: [before] });
    expect((await preview({ project: 'cassini' })).targets.map(({ key }) => key)).toEqual([after]);
  });

  it('erases a thousand memories as one action, and answers the same when it is repeated', async () => {
    const writes = Array.from({ length: 1_000 }, (_, i) =>
      newMemory('', { events: [remembered(`the ledger of obsidian-heron ${i}`, { project: 'ledger' })] }),
    );
    await test.log.append(appendOf(writes));
    const seen = await preview({ project: 'ledger' });
    expect(seen).toMatchObject({ total: 1_000, by_namespace: { episodic: 1_000 } });
    expect(seen.targets.length).toBeLessThanOrEqual(20);
    expect(await held('obsidian-heron')).not.toEqual([]);
    const commandId = ulid();
    const steps: number[] = [];
    const call = { ...test.call, commandId, progress: (_message: string, done = 0) => void steps.push(done) };
    const answer = await confirm(seen.preview_id, call);
    expect(answer).toMatchObject({ deleted: 1_000 });
    expect(answer.status === 'deleted' && answer.deleted_keys.length).toBe(500);
    expect(steps.at(-1)).toBe(1_000);
    expect(await held('obsidian-heron')).toEqual([]);
    expect(await made(commandId)).toBe(1_000);
    const size = await eventsTold(test.log);
    expect(await confirm(seen.preview_id)).toEqual(answer);
    expect(await eventsTold(test.log)).toBe(size);
  });

  it.each<['keys' | 'preview']>([['keys'], ['preview']])('erases a memory with a thousand facts in bounded steps, by %s', async (how) => {
    const source = await store('the source of quartz-tapir');
    const facts = Array.from({ length: 1_000 }, (_, i) =>
      newMemory('', { events: [remembered(`quartz-tapir fact ${i}`, { enriched_from: source })] }),
    );
    await test.log.append(appendOf(facts));
    const seen = await preview({ key_or_query: source });
    expect(seen).toMatchObject({ total: 1_001, facts: 1_000 });
    const before = await test.log.erasures();
    const commandId = ulid();
    const input = how === 'keys' ? { keys: [source] } : { preview_id: seen.preview_id };
    const answer = await test.app.commands.forget({ ...input, confirm: true }, { ...test.call, commandId });
    const steps = (await test.log.erasures()) - before;
    expect(answer).toMatchObject({ deleted: 1_001 });
    // At most 200 memories in each step.
    expect(steps).toBe(6);
    expect(await held('quartz-tapir')).toEqual([]);
    expect(await made(commandId)).toBe(1_001);
    expect(await test.app.commands.forget({ ...input, confirm: true }, { ...test.call, commandId })).toMatchObject({ deleted: 1_001 });
  });

  it('goes on where it was interrupted, from another process, under the same correlation', async () => {
    const writes = Array.from({ length: 500 }, (_, i) =>
      newMemory('', { events: [remembered(`minutes of vermilion-stoat ${i}`, { project: 'minutes' })] }),
    );
    await test.log.append(appendOf(writes));
    const { preview_id } = await preview({ project: 'minutes' });
    const stop = new AbortController();
    const commandId = ulid();
    const call = { ...test.call, commandId, signal: stop.signal, progress: () => stop.abort() };
    await expect(confirm(preview_id, call)).rejects.toThrow();
    expect(await held('vermilion-stoat')).not.toEqual([]);
    const other = await test.another();
    try {
      await other.app.whenReady(10_000);
      const answer = await other.app.commands.forget({ preview_id, confirm: true }, { ...test.call, commandId: ulid() });
      expect(answer).toMatchObject({ deleted: 500 });
    } finally {
      await other.close();
    }
    expect(await held('vermilion-stoat')).toEqual([]);
    expect(await made(commandId)).toBe(500);
  });

  it('refuses a preview that is gone, a bare query, and more keys than one call names', async () => {
    await expect(confirm(ulid())).rejects.toMatchObject({ code: 'CONFIRMATION_REQUIRED' });
    await expect(test.app.commands.forget({ key_or_query: 'words', confirm: true }, test.call)).rejects.toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
    });
    const keys = Array.from({ length: 501 }, newKey);
    await expect(test.app.commands.forget({ keys, confirm: true }, test.call)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  it('leaves what was revised since, with the facts drawn from it, and says so', async () => {
    const [same, revised] = [await store('the dredger is cleaned', { project: 'dredger' }), await store('the dredger is sold')];
    const fact = await store('somebody bought a dredger', { enriched_from: revised });
    const ofSame = await store('somebody cleans a dredger', { enriched_from: same });
    const seen = await preview({ keys: [same, revised] });
    expect(seen).toMatchObject({ total: 4, facts: 2 });
    await test.app.commands.revise({ key: revised, content: 'the dredger must be kept' }, test.call);
    await store('somebody keeps a dredger', { enriched_from: revised });
    // What became of it otherwise is no other text.
    await test.app.commands.retag({ key: same, add: ['river'] }, test.call);
    const answer = await confirm(seen.preview_id);
    expect(answer).toMatchObject({
      deleted: 2,
      deleted_keys: [same, ofSame],
      changed_since_preview: [revised, fact],
      note: expect.stringContaining('changed since the preview'),
    });
    expect(await confirm(seen.preview_id)).toEqual(answer);
    const again = await preview({ keys: [revised] });
    expect(again.targets.map(({ content }) => content)).toContain('the dredger must be kept');
    expect(await confirm(again.preview_id)).toMatchObject({ deleted: 3 });
  });

  it('leaves what is revised between two steps of it', async () => {
    const writes = Array.from({ length: 401 }, (_, i) =>
      newMemory('', { events: [remembered(`barges of teal-marmot ${i}`, { project: 'barges' })] }),
    );
    await test.log.append(appendOf(writes));
    const { preview_id } = await preview({ project: 'barges' });
    const last = writes.at(-1)?.subject ?? '';
    const stop = new AbortController();
    await expect(confirm(preview_id, { ...test.call, signal: stop.signal, progress: () => stop.abort() })).rejects.toThrow();
    await test.app.commands.revise({ key: last, content: 'the last of the barges stays' }, test.call);
    expect(await confirm(preview_id)).toMatchObject({ deleted: 400, changed_since_preview: [last] });
    // Its earlier wording is its history.
    expect(await held('teal-marmot')).toEqual([test.keys.payloads(last)]);
  });

  it('erases what a plan of before listed, that kept no versions', async () => {
    const key = await store('an old plan of umber-vole');
    const { preview_id } = await preview({ keys: [key] });
    expect(await test.redis.hdel(test.keys.forgetPlan(preview_id), 'v0')).toBe(1);
    await test.app.commands.revise({ key, content: 'another text of umber-vole' }, test.call);
    const answer = await confirm(preview_id);
    expect(answer).toMatchObject({ deleted: 1, deleted_keys: [key] });
    expect(answer).not.toHaveProperty('changed_since_preview');
  });

  it('keeps no text in the plan, and lets it expire', async () => {
    const key = await store('a plan must not hold persimmon-lynx');
    const { preview_id } = await preview({ key_or_query: key });
    const plan = test.keys.forgetPlan(preview_id);
    expect(JSON.stringify(await test.redis.hgetall(plan))).not.toContain('persimmon');
    expect(await test.redis.ttl(plan)).toBeGreaterThan(60);
    expect(await test.redis.ttl(plan)).toBeLessThanOrEqual(1_800);
  });

  it('erases a memory whose bytes are damaged, alone and among others', async () => {
    const [one, two, three] = [await store('damaged one'), await store('damaged two'), await store('whole three')];
    for (const key of [one, two]) await test.redis.hset(test.keys.payloads(key), '1', 'garbage of copper-lemur');
    const alone = await preview({ key_or_query: one });
    expect(await confirm(alone.preview_id)).toMatchObject({ deleted: 1, deleted_keys: [one] });
    expect(await test.app.commands.forget({ keys: [two, three], confirm: true }, test.call)).toMatchObject({ deleted: 2 });
    expect(await held('copper-lemur')).toEqual([]);
  });

  it('works at the memory limit', async () => {
    const key = await store('too much of it');
    await test.redis.config('SET', 'maxmemory', '1mb');
    try {
      const { preview_id } = await preview({ key_or_query: key });
      expect(await confirm(preview_id)).toMatchObject({ deleted: 1 });
    } finally {
      await test.redis.config('SET', 'maxmemory', '0');
    }
  });
});
