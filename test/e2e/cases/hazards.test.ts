import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memories } from '../../../projections/memories.js';
import type { Append } from '../../../services/eventlog/append.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { providerOf } from '../../support/embedders.js';
import { appendOf, eventsTold, newKey, remembered } from '../../support/eventlog.js';
import { eventually } from '../../support/mcp.js';

const keysOf = (results: readonly { readonly key: string }[]): string[] => results.map(({ key }) => key);

describe('hazards that the specification lists', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await openTestApp();
  });
  afterAll(async () => {
    await test.verifyAll();
    await test.end();
  });
  const remember = async (content: string, more: object = {}): Promise<string> => {
    const stored = await test.app.commands.remember({ content, force: true, ...more }, test.call);
    if (stored.status !== 'stored') throw new Error('not stored');
    return stored.key;
  };
  const recall = (query: string, more: object = {}) => test.app.queries.recall({ query, ...more }, test.call);
  const append = async (writes: Append['writes']): Promise<void> => {
    const answer = await test.log.append(appendOf(writes));
    if (answer.outcome !== 'appended') throw new Error(answer.outcome);
  };

  it('2: forgetting by a query that another memory only mentions does not touch the one that mentions it', async () => {
    const carrier = await remember(
      'We tried memcached for the tide cache and gave it up because of eviction; the tide cache uses Valkey now.',
    );
    const preview = await test.app.commands.forget({ key_or_query: 'memcached' }, test.call);
    if (preview.status === 'preview') expect(keysOf(preview.targets)).not.toContain(carrier);
    else expect(preview.status).toBe('not_found');
  });

  it('4: a small project among many memories fills its answer', async () => {
    await Promise.all(
      Array.from({ length: 300 }, (_, n) => remember(`Harbour log entry ${n} about berth allocation.`, { project: 'large' })),
    );
    const small = await Promise.all(
      Array.from({ length: 8 }, (_, n) => remember(`Harbour log entry ${n} about berth allocation.`, { project: 'small' })),
    );
    const { results } = await recall('Harbour log entry about berth allocation', { project_filter: 'small', top_k: 8 });
    expect(keysOf(results).sort()).toEqual([...small].sort());
  });

  it('5: a memory of knowledge keeps its project in filtered recall', async () => {
    const key = await remember('Eelgrass beds shelter young cod.', { namespace: 'knowledge', project: 'ecology' });
    expect(keysOf((await recall('Eelgrass beds shelter young cod', { project_filter: 'ecology' })).results)).toEqual([key]);
  });

  it('6: a late count does not bring a forgotten memory back', async () => {
    const key = await remember('The compass rose was repainted.');
    await recall('The compass rose was repainted');
    await test.app.commands.forget({ key_or_query: key, confirm: true, keys: [key] }, test.call);
    // The note of that recall is written after the forget; another one tells when.
    const other = await remember('The compass deck was swept.');
    await recall('The compass deck was swept');
    await expect.poll(() => test.redis.hget(test.keys.counter('recalls'), other)).toBe('1');
    expect(await test.redis.hget(test.keys.counter('recalls'), key)).toBeNull();
    expect(await test.redis.keys(`*view:${memories.name}*${key}`)).toEqual([]);
  });

  it('9: what is deleted leaves every index, and the numbers agree', async () => {
    const key = await remember('The old slipway is condemned.');
    expect(test.index.documents.has(key)).toBe(true);
    await test.app.commands.forget({ key_or_query: key, confirm: true, keys: [key] }, test.call);
    expect(test.index.documents.has(key)).toBe(false);
    const { issues, records } = await test.app.queries.health();
    expect(Object.values(records).reduce((sum, count) => sum + count, 0)).toBe(test.index.documents.size);
    expect(issues.map(({ code }) => code)).not.toContain('INDEX_DRIFT');
  });

  it('11: empty hints and an empty query match nothing', async () => {
    const key = await remember('A rusted anchor lies on the quay.');
    await test.app.commands.deprioritise({ key_or_query: key, reason: 'old', reinstate_hints: ['', '  ', '\t'] }, test.call);
    expect((await recall('completely different zeppelin question')).results.filter((found) => found.reinstate_candidate)).toEqual([]);
    await expect(recall('  ')).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  it('12: a fact never stands before its source, and goes with it', async () => {
    const source = await remember(
      'In the meeting of the pilots it was said that the channel marker seven is to be moved north by two cables.',
    );
    const fact = newKey();
    await append([
      {
        subject: fact,
        expected: 0,
        events: [remembered('channel marker seven is to be moved north by two cables', { enriched_from: source, namespace: 'episodic' })],
      },
    ]);
    await eventually(() => test.index.documents.has(fact));
    const { results } = await recall('channel marker seven is to be moved north by two cables');
    expect(keysOf(results)).toContain(source);
    expect(keysOf(results)).not.toContain(fact);
    const preview = await test.app.commands.forget({ key_or_query: source }, test.call);
    expect(preview.status === 'preview' && keysOf(preview.targets).sort()).toEqual([fact, source].sort());
    expect(await test.app.commands.forget({ key_or_query: source, confirm: true, keys: [source] }, test.call)).toMatchObject({
      deleted_keys: expect.arrayContaining([source, fact]),
    });
    expect(test.index.documents.has(fact)).toBe(false);
  });

  it('13: one corrupt field of a row breaks neither lists nor recall nor figures', async () => {
    const key = await remember('The tide gauge was read at dawn.', { tags: ['gauge'] });
    const other = await remember('The tide table was printed at dawn.');
    const [row] = await test.redis.keys(`${test.keys.prefix}view:${memories.name}:*:${key}`);
    const before = await test.redis.hgetall(row ?? '');
    await test.redis.hset(
      row ?? '',
      'chunk_index',
      'seven',
      'tags',
      '["gauge',
      'version',
      'NaN',
      'base_surface',
      'x',
      'event_date',
      'never',
      'reinstate_hints',
      '{',
    );
    expect(keysOf((await recall('The tide table was printed at dawn')).results)).toContain(other);
    expect(keysOf((await recall('The tide gauge was read at dawn')).results)).toContain(key);
    expect((await test.app.queries.memoryAudit({ limit: 500 }, test.call)).entries.length).toBeGreaterThan(2);
    expect((await test.app.queries.recallDetail({ keys: [key, other] }, test.call)).results).toHaveLength(2);
    expect(await test.app.queries.explainMemory({ key }, test.call)).toMatchObject({ status: 'found' });
    expect((await test.app.metrics()).body).toContain('omnimem_memories_total');
    expect((await test.app.queries.health()).valkey_connected).toBe(true);
    await test.redis.del(row ?? '');
    await test.redis.hset(row ?? '', before);
  });

  it('20: five hundred memories are erased in one call, and more are refused with a way out', async () => {
    const keys = await Promise.all(Array.from({ length: 500 }, (_, n) => remember(`Bilge reading ${n}.`)));
    const size = await eventsTold(test.log);
    const done = await test.app.commands.forget({ key_or_query: keys[0] ?? '', confirm: true, keys }, test.call);
    expect(done.status === 'deleted' && done.deleted_keys.length).toBe(500);
    expect(await eventsTold(test.log)).toBe(size + 500);
    await expect(
      test.app.commands.forget({ key_or_query: keys[0] ?? '', confirm: true, keys: [...keys, newKey()] }, test.call),
    ).rejects.toMatchObject({ code: 'TOO_LARGE', hint: expect.stringMatching(/\S/) });
  });

  it('21 and 22: what only the tail of a long text says, and what only an identifier connects, is found', async () => {
    const words = await openTestApp({ env: { EMBEDDING: 'none' }, provider: providerOf() });
    const store = async (content: string): Promise<string> => {
      const stored = await words.app.commands.remember({ content, force: true }, words.call);
      if (stored.status !== 'stored') throw new Error('not stored');
      return stored.key;
    };
    const find = async (query: string): Promise<string | undefined> =>
      (await words.app.queries.recall({ query }, words.call)).results[0]?.key;
    for (let n = 0; n < 50; n++) await store(`Watch ${n} passed without incident and the rudder was calm.`);
    const long = await store(
      `${'The watch passed without incident and the sea was calm. '.repeat(300)}The spare pin is under plank ZK-4471.`,
    );
    const code = await store('When the winch stalls it reports ERR_WINCH_0x8F and stops.');
    expect(await find('ZK-4471')).toBe(long);
    expect(await find('ERR_WINCH_0x8F')).toBe(code);
    expect(await find('what is err_winch_0x8f')).toBe(code);
    await words.verifyAll();
    await words.end();
  });
});
