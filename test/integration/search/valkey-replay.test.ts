import { describe, expect, it, vi } from 'vitest';
import { createIndex, dropIndex, listIndexes, matching, nearest, readIndexInfo } from '../../../projections/search/valkey/commands.js';
import { driftOf, type IndexDefinition } from '../../../projections/search/valkey/definition.js';
import { ceilingOf, refusalOf } from '../../../projections/search/valkey/errors.js';
import { candidateOf } from '../../../projections/search/valkey/hits.js';
import { parseInfo } from '../../../projections/search/valkey/info.js';
import { IndexLifecycle } from '../../../projections/search/valkey/lifecycle.js';
import { detectSearchModule, moduleVersion } from '../../../projections/search/valkey/module.js';
import { replay, replaySteps } from '../../support/search-replay.js';
import { type Step, transcript } from '../../support/search-transcripts.js';

/** The index that most recordings made. */
const RECORDED: IndexDefinition = {
  ...{ name: 'idx', prefix: 'mem:episodic:', dimension: 8, m: 16, efConstruction: 200 },
  fields: [
    { name: 'state', type: 'TAG' },
    { name: 'project', type: 'TAG' },
    { name: 'licence', type: 'TAG' },
    { name: 'created_at', type: 'NUMERIC' },
  ],
};
const BACKFILLED: IndexDefinition = { ...RECORDED, fields: RECORDED.fields.slice(0, 1) };
const QUERY = Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0);
const refusal = (work: Promise<unknown>) => work.then(() => 'none', refusalOf);
const steps = (id: string, command: string): Step[] => transcript(id).steps.filter(({ cmd }) => cmd?.[0] === command);

describe('against what valkey-search 1.2.1 answered, byte for byte', () => {
  it('refuses what was not recorded, naming it', async () => {
    await using server = await replay('detect');
    await expect(server.redis.call('FT.SEARCH', 'idx', 'never asked')).rejects.toThrow('not recorded: FT.SEARCH idx never asked');
    expect(server.refused).toEqual(['FT.SEARCH idx never asked']);
  });

  it('creates, compares, lists and drops an index', async () => {
    await using server = await replay('lifecycle');
    const { redis } = server;
    await createIndex(redis, RECORDED);
    expect(await refusal(createIndex(redis, BACKFILLED))).toBe('index-exists');
    await createIndex(redis, { ...RECORDED, name: 'IDX', fields: [] });
    expect((await listIndexes(redis)).sort()).toEqual(['IDX', 'idx']);
    const young = await readIndexInfo(redis, 'idx');
    expect(young).toMatchObject({ state: 'backfill_in_progress', backfilled: 1, failures: 0, prefixes: ['mem:episodic:'] });
    expect(driftOf(RECORDED, young)).toBeUndefined();
    expect((await readIndexInfo(redis, 'idx')).state).toBe('ready');
    await dropIndex(redis, 'idx');
    expect(await refusal(dropIndex(redis, 'idx'))).toBe('no-index');
    await dropIndex(redis, 'IDX');
    expect(server.refused).toEqual([]);
  });

  it.each<[what: string, change: Partial<IndexDefinition>, told: string]>([
    ['dimension', { dimension: 384 }, 'its dimension was 8, not 384'],
    ['M', { m: 32 }, 'its M was 16, not 32'],
    ['EF_CONSTRUCTION', { efConstruction: 100 }, 'its EF_CONSTRUCTION was 200, not 100'],
    ['prefix', { prefix: 'other:' }, 'its prefix was mem:episodic:, not other:'],
    ['a renamed field', { fields: [...RECORDED.fields.slice(1), { name: 'status', type: 'TAG' }] }, 'its fields was'],
    ['a field of another type', { fields: [{ name: 'state', type: 'NUMERIC' }, ...RECORDED.fields.slice(1)] }, 'its fields was'],
    ['case', { fields: [{ name: 'state', type: 'TAG', caseSensitive: true }, ...RECORDED.fields.slice(1)] }, 'its fields was'],
  ])('sees a drift of the schema: %s', async (_, change, told) => {
    await using server = await replay('lifecycle');
    expect(driftOf({ ...RECORDED, ...change }, await readIndexInfo(server.redis, 'idx'))).toContain(told);
  });

  it('reads what 1.1 says of a vector field: flat, and under other names', async () => {
    await using server = await replay('lifecycle');
    const words = (text: string) => text.split(' ');
    const nested = (await server.redis.call('FT.INFO', 'idx')) as unknown[];
    const flat = nested.map((item) =>
      Array.isArray(item)
        ? item.map((attribute) => {
            if (!Array.isArray(attribute) || !attribute.includes('VECTOR')) return attribute;
            return [
              ...words('identifier vector attribute vector type VECTOR algorithm HNSW data_type FLOAT32 dim'),
              '8',
              ...words('distance_metric COSINE M 16 ef_construction 200 ef_runtime 10 capacity 10240 size 0'),
            ];
          })
        : item,
    );
    expect(driftOf(RECORDED, parseInfo(flat))).toBeUndefined();
    expect(driftOf({ ...RECORDED, dimension: 384 }, parseInfo(flat))).toBe('its dimension was 8, not 384');
    expect(driftOf({ ...RECORDED, m: 32 }, parseInfo(flat))).toBe('its M was 16, not 32');
  });

  it('tells an index apart whose fields are split or named in another way', async () => {
    const words = (text: string) => text.split(' ');
    const info = (tag: string) =>
      parseInfo([
        ...['index_definition', ['prefixes', ['mem:episodic:']], 'attributes'],
        [words('identifier vector attribute vector type VECTOR'), words(tag)],
      ]);
    const wanted = { ...RECORDED, fields: [{ name: 'project', type: 'TAG' }] } as const;
    expect(driftOf(wanted, info('identifier project attribute project type TAG SEPARATOR , CASESENSITIVE 0'))).toBeUndefined();
    expect(driftOf(wanted, info('identifier project attribute project type TAG SEPARATOR - CASESENSITIVE 0'))).toMatch(/SEPARATOR -/);
    expect(driftOf(wanted, info('identifier project attribute p type TAG SEPARATOR , CASESENSITIVE 0'))).toMatch(/project AS p TAG/);
  });

  it('makes no index anew for what a version does not tell, and takes one for ready that does not name its state', async () => {
    await using server = await replay('lifecycle');
    const info = (await server.redis.call('FT.INFO', 'idx')) as unknown[];
    const silent = info.map((item) =>
      Array.isArray(item) ? item.map((one) => (Array.isArray(one) && one.includes('VECTOR') ? one.slice(0, -2) : one)) : item,
    );
    expect(driftOf({ ...RECORDED, m: 32 }, parseInfo(silent))).toBeUndefined();
    const stateless = info.filter((item, i) => item !== 'state' && info[i - 1] !== 'state');
    expect(parseInfo(stateless).state).toBe('backfill_in_progress');
    const filled = stateless.map((item, i) => (stateless[i - 1] === 'backfill_in_progress' ? '0' : item));
    expect(parseInfo(filled).state).toBe('ready');
  });

  it('gives the nearest with score and fields, the score only where it is named', async () => {
    await using server = await replay('knn', 'default_limit');
    const ask = { index: 'idx', filter: '*', vector: QUERY, limit: undefined };
    const two = await nearest(server.redis, { ...ask, k: 2, fields: ['score', 'state'] });
    expect(two.total).toBe(2);
    expect(two.rows.map(({ key, fields }) => [key, String(fields.get('score')), String(fields.get('state'))])).toEqual([
      ['mem:episodic:m1', '0', 'active'],
      ['mem:episodic:m2', '0.00496286153793', 'active'],
    ]);
    const unnamed = await nearest(server.redis, { ...ask, k: 10, fields: ['state'] });
    expect(unnamed.rows.every(({ fields }) => !fields.has('score'))).toBe(true);
    const absent = await nearest(server.redis, { ...ask, k: 10, fields: ['score', 'absent'] });
    expect(absent.rows).toHaveLength(7);
    expect(await refusal(nearest(server.redis, { ...ask, k: 0, fields: [] }))).toBe('other');
    expect(server.refused).toHaveLength(1);
  });

  it('finds without KNN', async () => {
    await using server = await replaySteps([
      { cmd: ['FT.SEARCH', 'tags', '@num:[1 3]', 'RETURN', '1', 'tag', 'LIMIT', '0', '10', 'DIALECT', '2'], reply: unlimited() },
    ]);
    const { total, rows } = await matching(server.redis, { index: 'tags', filter: '@num:[1 3]', fields: ['tag'], limit: 10 });
    expect(total).toBe(3);
    expect(rows.map(({ key, fields }) => [key, String(fields.get('tag'))])).toContainEqual(['t:01', 'with space']);
  });

  it('takes entries that outlive their hash for ghosts', async () => {
    await using server = await replay('updates');
    const ask = { index: 'idx', filter: '@state:{pending2}', vector: QUERY, k: 10, limit: undefined, fields: ['score', 'state'] };
    for (let round = 0; round < 20; round++) {
      const { rows } = await nearest(server.redis, ask);
      for (const row of rows) expect(candidateOf(row, QUERY)).toBeUndefined();
      if (rows.some(({ fields }) => fields.size === 1)) return;
    }
    expect.fail('the recorded ghost was not met');
  });

  it('tells refusals apart', async () => {
    const text = async (id: string, wanted: RegExp) => {
      const step = transcript(id).steps.find(({ reply }) => wanted.test(JSON.stringify(reply ?? null)));
      await using server = await replaySteps(step ? [{ ...step, cmd: ['PING'] }] : []);
      return await refusal(server.redis.call('PING'));
    };
    expect(await text('detect', /'missing' not found/)).toBe('no-index');
    expect(await text('oom', /^{"-":"OOM/)).toBe('memory');
    expect(await text('databases', /not found in database 1/)).toBe('no-index');
    expect(await text('tags_filters', /too short for prefix/)).toBe('filter');
    expect(await text('knn', /cannot exceed 10000/)).toBe('ceiling');
    expect(await text('acl', /NOPERM/)).toBe('permission');
    expect(await text('acl', /does not have permission to access/)).toBe('permission');
    expect(await text('detect', /unknown command/)).toBe('no-command');
  });
});

it('takes a query that is too long for one that it cannot read', async () => {
  await using server = await replaySteps([{ cmd: ['PING'], reply: { '-': 'Query string is too long, max length is 10240 bytes.' } }]);
  expect(await refusal(server.redis.call('PING'))).toBe('filter');
});

it.each([
  ['KNN parameter', { of: 'k', most: 10_000 }],
  ['`EF_RUNTIME`', { of: 'ef', most: 1_000_000 }],
])('the ceiling of %s is read from the recorded refusal', (what, ceiling) => {
  const recorded = transcript('knn').steps.flatMap(({ reply }) => Object.values((reply ?? {}) as Record<string, unknown>).map(String));
  const error = new Error(recorded.find((text) => text.includes(`Value above maximum; ${what}`)));
  error.name = 'ReplyError';
  expect(ceilingOf(error)).toEqual(ceiling);
});

describe('a lifecycle over recorded replies', () => {
  it('makes the index, follows the backfill and is ready when the server says so', async () => {
    const [none] = steps('persistence', 'FT._LIST');
    await using server = await replaySteps([...(none ? [none] : []), ...transcript('backfill').steps]);
    const lifecycle = new IndexLifecycle(server.redis, BACKFILLED);
    expect(lifecycle.state).toBe('closed');
    await lifecycle.open();
    expect(lifecycle.state).toBe('backfilling');
    await vi.waitFor(() => expect(lifecycle.detail).toBe('19 % of the stored vectors are in the index'), 20_000);
    expect(await lifecycle.settled(5_000)).toBe(true);
    expect([lifecycle.state, lifecycle.detail]).toEqual(['ready', undefined]);
    expect(server.refused).toEqual([]);
    await lifecycle.close();
  });

  it('drops and makes anew what has another schema', async () => {
    const [, listed] = steps('persistence', 'FT._LIST');
    const [other] = steps('lifecycle', 'FT.INFO');
    const dropped = steps('lifecycle', 'FT.DROPINDEX').find(
      ({ cmd, reply }) => cmd?.length === 2 && JSON.stringify(reply) === '{"+":"OK"}',
    );
    const [created] = steps('backfill', 'FT.CREATE');
    const ready = steps('backfill', 'FT.INFO').at(-1);
    const recorded = [listed, other, dropped, created, ready].filter((step) => step !== undefined);
    await using server = await replaySteps(recorded);
    const lifecycle = new IndexLifecycle(server.redis, BACKFILLED);
    expect(await lifecycle.settled(5_000)).toBe(true);
    expect(lifecycle.rebuilds).toBe(1);
    expect(lifecycle.detail).toMatch(/^the index was made anew: its fields was created_at NUMERIC, licence TAG/);
    expect(server.refused).toEqual([]);
    await lifecycle.close();
  });

  it('says that it failed where the server refuses the index, and tries again at the next use', async () => {
    const [none] = steps('persistence', 'FT._LIST');
    const refused: Step = {
      cmd: steps('backfill', 'FT.CREATE')[0]?.cmd ?? [],
      reply: { '-': "OOM command not allowed when used memory > 'maxmemory'." },
    };
    await using server = await replaySteps([...(none ? [none, refused, none] : []), ...transcript('backfill').steps]);
    const lifecycle = new IndexLifecycle(server.redis, BACKFILLED);
    await expect(lifecycle.open()).rejects.toThrow('OOM');
    expect([lifecycle.state, lifecycle.detail]).toEqual(['failed', 'the server refused the index (memory)']);
    await lifecycle.open();
    expect(lifecycle.state).not.toBe('failed');
    await lifecycle.close();
  });
});

describe('the module', () => {
  const [listing] = steps('detect', 'MODULE');
  const hello = steps('detect', 'HELLO').map((step): Step => ({ ...step, cmd: ['HELLO'] }));
  const forbidden: Step = { cmd: ['MODULE', 'LIST'], reply: { '-': "NOPERM User ro has no permissions to run the 'module|list' command" } };

  it('is used from 1.2 on, as it names itself', async () => {
    await using server = await replay('detect');
    expect(await detectSearchModule(server.redis)).toEqual({
      usable: true,
      version: '1.2.1',
      reason: 'valkey-search 1.2.1 searches the vectors',
    });
  });

  it.each([
    ['1.1.1', '1.1.1'],
    ['1.0.3', '1.0.3'],
    ['1.0.1', '1.0.0 to 1.0.2'],
  ])('is not used as %s, and that is said', async (recorded, version) => {
    await using server = await replaySteps([{ cmd: ['MODULE', 'LIST'], reply: listing?.also?.[recorded] ?? null }]);
    const found = await detectSearchModule(server.redis);
    expect(found).toMatchObject({ usable: false, version });
    expect(found.reason).toBe(`valkey-search ${version} is older than 1.2 and is not used; vectors are searched in this process`);
  });

  it('is not used on a cluster, where it sees one node only', async () => {
    await using server = await replay('detect');
    expect(await detectSearchModule(server.redis, { cluster: true })).toMatchObject({ usable: false, version: '1.2.1' });
  });

  it('is found by HELLO where modules may not be listed', async () => {
    await using server = await replaySteps([forbidden, ...hello]);
    expect(await detectSearchModule(server.redis)).toMatchObject({ usable: true, version: '1.2.1' });
  });

  it('is not used where nothing tells its version', async () => {
    await using server = await replaySteps([forbidden, { cmd: ['HELLO'], reply: { '-': 'NOPERM' } }, ...steps('detect', 'FT._LIST')]);
    expect(await detectSearchModule(server.redis)).toMatchObject({
      usable: false,
      version: undefined,
      reason: expect.stringContaining('does not tell its version'),
    });
  });

  it('is absent where no list names it', async () => {
    await using server = await replaySteps([{ cmd: ['MODULE', 'LIST'], reply: [] }]);
    expect(await detectSearchModule(server.redis)).toMatchObject({
      usable: false,
      reason: 'The server has no search module; vectors are searched in this process',
    });
  });

  it('is not used when its version is no number', async () => {
    await using server = await replaySteps([{ cmd: ['MODULE', 'LIST'], reply: [['name', 'search', 'ver', 'unstable']] }]);
    expect(await detectSearchModule(server.redis)).toMatchObject({ usable: false });
  });

  it('has versions in two spellings', () => {
    expect([66_049, 65_793, 66_048, 10_003, 10_000].map(moduleVersion)).toEqual(['1.2.1', '1.1.1', '1.2.0', '1.0.3', '1.0.0 to 1.0.2']);
  });
});

/** What was recorded without an explicit limit, which is ten. */
const unlimited = () =>
  transcript('nonvector').steps.find(({ cmd }) => cmd?.join(' ') === 'FT.SEARCH tags @num:[1 3] RETURN 1 tag')?.reply ?? null;
