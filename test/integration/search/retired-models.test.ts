import type { Redis } from 'iovalkey';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeys } from '../../../projections/keys.js';
import { Progress } from '../../../projections/recall/progress.js';
import type { RecallIndex } from '../../../projections/recall/recall-index.js';
import { valkeyVectors } from '../../../projections/search/valkey/space.js';
import { RetiredModels } from '../../../services/vectors/retired.js';
import { facets, generator, randomUnit } from '../../specs/search/samples.js';
import { type SearchServer, startSearchServer } from '../../support/search-server.js';

const DIMENSION = 8;
/** The second model's name begins as the first one's does. */
const [OLD, NEW] = ['model', 'model:2'];
const keys = createKeys('t[1]*');
const query = randomUnit(DIMENSION, generator(3));

describe('what old models left in the server', () => {
  let server: SearchServer;
  let redis: Redis;
  const serving = (model: string) => ({ serving: { model: { id: model } }, progress: new Progress() }) as unknown as RecallIndex;
  const looking = (index: RecallIndex) =>
    new RetiredModels({ redis, keys, index, inServer: true, onTrouble: (message) => expect.fail(message) }).look(
      new AbortController().signal,
    );
  const process = async (id: string, models: readonly string[] | undefined, age = 0) => {
    const at = Number((await redis.time())[0]) - age;
    await redis.hset(keys.processes, id, JSON.stringify({ name: id, at, behindSince: 0, erasures: 0, models }));
  };
  const left = async () => ({
    rows: (await redis.keys('*vec:*')).map((key) => (key.includes(`:${NEW}:`) ? NEW : OLD)).sort(),
    indexes: [...server.engine.indexes.keys()].map((name) => (name.includes(`:${NEW}:`) ? NEW : OLD)).sort(),
  });

  beforeEach(async () => {
    server = await startSearchServer();
    redis = server.client();
    for (const model of [OLD, NEW]) {
      await redis.sadd(keys.models, model);
      await redis.hset(keys.embedding(model, 'a'), 'n', '1');
      const index = valkeyVectors(redis, keys)(DIMENSION, 'episodic', model);
      await index.upsert('a', [query], facets());
      await index.close();
    }
  });
  afterEach(() => server[Symbol.asyncDispose]());

  it('goes once no living process uses them; their cached vectors stay', async () => {
    await process('killed a minute ago', [OLD], 60);
    await process('living', [NEW]);
    await looking(serving(NEW));
    expect(await left()).toEqual({ rows: [NEW], indexes: [NEW] });
    expect(await redis.exists(keys.embedding(OLD, 'a'))).toBe(1);
    expect(await redis.hkeys(keys.processes)).toEqual(['living']);
  });

  it('goes in the same way when the model with the longer name is the old one', async () => {
    await looking(serving(OLD));
    expect(await left()).toEqual({ rows: [OLD], indexes: [OLD] });
  });

  it.each([
    ['a living process uses them', [OLD, NEW]],
    ['a living process of an older version does not tell what it uses', undefined],
  ])('stays while %s', async (_, models) => {
    await process('living', models);
    const one = new RetiredModels({ redis, keys, index: serving(NEW), inServer: true, onTrouble: (message) => expect.fail(message) });
    await one.look(new AbortController().signal);
    expect(await left()).toEqual({ rows: [OLD, NEW], indexes: [OLD, NEW] });
    await process('living', [NEW]);
    await one.look(new AbortController().signal);
    expect(await left()).toEqual({ rows: [NEW], indexes: [NEW] });
  });

  it('goes also where this user may not list indexes, and when another process drops them at the same time', async () => {
    server.engine.intercept = ([command]) =>
      command === 'FT._LIST' ? { error: "NOPERM User u has no permissions to run the 'FT._LIST' command" } : undefined;
    server.engine.indexes.delete(keys.searchIndex(OLD, 'episodic'));
    await looking(serving(NEW));
    expect(await left()).toEqual({ rows: [NEW], indexes: [NEW] });
  });

  it('is left alone by whoever begins to use it meanwhile', async () => {
    const index = { ...serving(NEW), building: undefined as unknown };
    server.engine.intercept = ([command]) => {
      if (command === 'FT._LIST') index.building = { model: { id: OLD } };
      return undefined;
    };
    await looking(index as unknown as RecallIndex);
    expect(await left()).toEqual({ rows: [OLD, NEW], indexes: [OLD, NEW] });
  });
});
