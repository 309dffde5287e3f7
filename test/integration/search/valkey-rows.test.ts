import type { Redis } from 'iovalkey';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createKeys } from '../../../projections/keys.js';
import { bytesOf } from '../../../projections/search/valkey/commands.js';
import { Rows, rowWriter } from '../../../projections/search/valkey/rows.js';
import { searchRowsOf, sweepVectors } from '../../../projections/search/valkey/space.js';
import { facets, unit } from '../../specs/search/samples.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

const [MODEL, SPACE] = ['model-2', 'episodic'];
const VECTOR = unit([1, 2]);

describe('the rows of a vector index', () => {
  const keys = createKeys('t');
  const row = (memory: string, window: number) => keys.searchRow(MODEL, SPACE, memory, window);
  const draft = (memory: string, window: number) => keys.searchDraft(MODEL, SPACE, memory, window);
  const place = { row, draft, source: (memory: string) => keys.embedding(MODEL, memory) };
  let valkey: TestValkey;
  let redis: Redis;
  let rows: Rows;

  beforeEach(async () => {
    valkey = await startValkey();
    redis = valkey.client();
    rows = new Rows(redis, place);
    await redis.sadd(keys.models, MODEL);
    for (const memory of ['a', 'b']) await redis.hset(place.source(memory), 'n', '1');
  });
  afterEach(() => valkey.stop());

  const names = async () => (await redis.keys('t:vec*')).sort();
  const read = (key: string) => redis.hgetall(key);
  /** What a process leaves that is killed between its draft and the renaming. */
  const leaveDraft = async (memory: string, windows: number, version: number) => {
    const dead = redis.duplicate();
    dead.disconnect();
    const killed = new Rows(redis, place, dead);
    const { windows: seen } = await rows.stored(memory);
    const vectors = Array.from({ length: windows }, () => VECTOR);
    await killed.put(memory, vectors, facets({ version, state: 'archived' }), seen).catch(() => undefined);
  };

  it('are renamed into their place, with all that they had and what is new', async () => {
    expect(await rows.put('a', [VECTOR, VECTOR], facets({ version: 1 }), 0)).toBe('done');
    expect(await rows.setFacets('a', facets({ version: 2, state: 'archived' }), 2)).toBe('done');
    expect(await names()).toEqual([row('a', 0), row('a', 1)]);
    expect(await read(row('a', 1))).toMatchObject({ key: 'a', w: '1', n: '2', v: '2', state: 'archived' });
    expect(await redis.hgetBuffer(row('a', 1), 'vector')).toEqual(bytesOf(VECTOR));
    expect(await redis.ttl(row('a', 0))).toBe(-1);
    expect(await rows.put('a', [VECTOR], facets({ version: 3, project: undefined }), 2)).toBe('done');
    expect(await names()).toEqual([row('a', 0)]);
    expect(await read(row('a', 0))).toMatchObject({ n: '1', v: '3', state: 'active', project: '' });
    expect(await rows.remove('a', 1, 3)).toBe('done');
    expect(await names()).toEqual([]);
  });

  it('take in what a killed process drafted, and never more than the newest', async () => {
    await rows.put('a', [VECTOR], facets({ version: 1 }), 0);
    await leaveDraft('a', 2, 5);
    expect(await names()).toEqual([draft('a', 0), draft('a', 1), row('a', 0)]);
    expect(await rows.put('a', [VECTOR], facets({ version: 4 }), 1)).toBe('newer');
    expect(await rows.setFacets('a', facets({ version: 6, licence: 'restricted' }), 1)).toBe('done');
    expect(await names()).toEqual([row('a', 0), row('a', 1)]);
    expect(await read(row('a', 1))).toMatchObject({ n: '2', v: '6', w: '1', licence: 'restricted' });
    await leaveDraft('a', 3, 7);
    await redis.rename(draft('a', 0), row('a', 0));
    expect(await rows.setFacets('a', facets({ version: 7, licence: 'own' }), 3)).toBe('done');
    expect(await names()).toEqual([row('a', 0), row('a', 1), row('a', 2)]);
    expect(await read(row('a', 2))).toMatchObject({ n: '3', v: '7', w: '2', licence: 'own' });
    await leaveDraft('a', 4, 8);
    expect(await rows.put('a', [VECTOR], facets({ version: 9 }), 3)).toBe('done');
    expect(await names()).toEqual([row('a', 0)]);
  });

  it('go with their drafts', async () => {
    await rows.put('a', [VECTOR], facets({ version: 1 }), 0);
    await leaveDraft('a', 2, 2);
    expect([...(await searchRowsOf(redis, keys, 'a'))].sort()).toEqual([draft('a', 0), draft('a', 1), row('a', 0), row('a', 1)]);
    expect(await rows.remove('a', 1, undefined)).toBe('done');
    await leaveDraft('b', 1, 1);
    await redis.del(place.source('b'));
    expect(await rows.put('b', [VECTOR], facets({ version: 2 }), 0)).toBe('gone');
    expect(await names()).toEqual([]);
  });

  it('are waited for no longer than a moment while the server holds back whoever writes them', async () => {
    const writer = rowWriter(redis);
    const held = new Rows(redis, place, writer);
    const before = writer.blpop('held', 60);
    expect(await held.put('a', [VECTOR], facets({ version: 1 }), 0)).toBe('done');
    expect(await names()).toEqual([draft('a', 0)]);
    await redis.lpush('held', 'go on');
    await before;
    await vi.waitFor(async () => expect(await names()).toEqual([row('a', 0)]), 20_000);
    writer.disconnect();
  });

  it('go at the memory limit too, which is the way out of it', async () => {
    await rows.put('a', [VECTOR, VECTOR], facets({ version: 1 }), 0);
    await redis.config('SET', 'maxmemory', '1');
    await expect(rows.put('b', [VECTOR], facets({ version: 1 }), 0)).rejects.toThrow('OOM');
    expect(await rows.remove('a', 2, 1)).toBe('done');
    expect(await names()).toEqual([]);
  });

  /** Lets `late` write through a connection that is held back, runs `meanwhile`, and goes on. */
  const heldBack = async (late: (held: Rows) => Promise<unknown>, meanwhile: () => Promise<unknown>) => {
    const writer = rowWriter(redis);
    const before = writer.blpop('held', 60);
    await late(new Rows(redis, place, writer));
    await meanwhile();
    await redis.lpush('held', 'go on');
    await before;
    await writer.ping();
    return writer;
  };

  it.each([
    ['windows of a longer text', (held: Rows) => held.put('a', [VECTOR], facets({ version: 2 }), 3)],
    ['a memory', (held: Rows) => held.remove('a', 3, 2)],
    ['windows beyond those there are', (held: Rows) => held.trim('a', 3)],
  ])('keep what is newer when the deleting of %s comes late', async (what, late) => {
    await rows.put('a', [VECTOR, VECTOR, VECTOR], facets({ version: 1 }), 0);
    if (what.startsWith('windows beyond')) await redis.hset(row('a', 0), 'n', '1');
    const writer = await heldBack(late, () => rows.put('a', [VECTOR, VECTOR, VECTOR], facets({ version: 3 }), 3));
    await vi.waitFor(async () => expect(await names()).toEqual([row('a', 0), row('a', 1), row('a', 2)]), 20_000);
    for (const window of [0, 1, 2]) expect(await read(row('a', window))).toMatchObject({ n: '3', v: '3', w: String(window) });
    writer.disconnect();
  });

  it('are not published for a memory that was forgotten in between', async () => {
    const writer = await heldBack(
      (held) => held.put('a', [VECTOR, VECTOR], facets({ version: 1 }), 0),
      async () => {
        await redis.del(place.source('a'));
        await sweepVectors(redis, keys, new AbortController().signal);
      },
    );
    expect(await names()).toEqual([]);
    writer.disconnect();
  });

  it('say that a text is stored only once all its windows are', async () => {
    const killed = redis.duplicate();
    const pipeline = killed.pipeline.bind(killed);
    vi.spyOn(killed, 'pipeline').mockImplementation((commands) => pipeline(commands?.slice(0, 1)));
    await new Rows(redis, place, killed).put('a', [VECTOR, VECTOR, VECTOR], facets({ version: 1 }), 0);
    expect((await rows.stored('a')).windows).toBe(0);
    expect(await searchRowsOf(redis, keys, 'a')).toEqual(expect.arrayContaining(await names()));
    expect((await sweepVectors(redis, keys, new AbortController().signal)).size).toBe(0);
    await rows.put('a', [VECTOR, VECTOR, VECTOR], facets({ version: 1 }), 0);
    expect(await names()).toEqual([row('a', 0), row('a', 1), row('a', 2)]);
    killed.disconnect();
  });

  it('are swept though one is renamed while the keys are read, and so are drafts beyond the windows', async () => {
    await leaveDraft('a', 1, 1);
    await redis.del(place.source('a'));
    await rows.put('b', [VECTOR], facets({ version: 1 }), 0);
    await redis.copy(row('b', 0), draft('b', 2));
    const scan = redis.scan.bind(redis) as (...args: unknown[]) => Promise<[string, string[]]>;
    vi.spyOn(redis, 'scan').mockImplementationOnce(async (...args: unknown[]) => {
      const [cursor, found] = await scan(...args);
      await redis.rename(draft('a', 0), row('a', 0));
      return [cursor, found.filter((key) => key !== draft('a', 0))];
    });
    await sweepVectors(redis, keys, new AbortController().signal);
    expect(await names()).toEqual([row('b', 0)]);
  });
});
