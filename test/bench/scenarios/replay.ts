import type { Redis } from 'iovalkey';
import { catalogue } from '../../../domain/catalogue.js';
import { createKeys, type Keys } from '../../../projections/keys.js';
import { createLeases } from '../../../projections/lease.js';
import { memories } from '../../../projections/memories.js';
import type { Projection } from '../../../projections/projection.js';
import { type Rebuilt, rebuild } from '../../../projections/rebuild.js';
import { scanRows } from '../../../projections/rows.js';
import { openEventLog } from '../../../services/eventlog/log.js';
import { PROJECTIONS } from '../../../services/views.js';
import { startValkey } from '../../support/valkey.js';
import { createCorpus } from '../corpus.js';
import { type Figure, ratioFigure, timed } from '../figures.js';
import { appendOf, quiet, writeOf } from '../product.js';
import { byPipelines, PIPELINE } from '../raw.js';
import type { Scenario } from '../scenario.js';

const BATCH = 250;
const LEASE_MS = 600_000;

export const replay: Scenario = {
  name: 'replay',
  about: 'rebuild of the memories view, and of every view, from the log, against raw pipelined writes of the same rows',
  run: async ({ quick }) => {
    const [rounds, events] = quick ? [3, 4_000] : [5, 30_000];
    await using valkey = await startValkey({ aof: 'always' });
    const redis = valkey.client();
    const keys = createKeys('local');
    const log = await openEventLog({ append: valkey.client('append'), read: valkey.client(), blocking: valkey.client('blocking') }, keys);
    const corpus = createCorpus(1, Date.now());
    for (let from = 0; from < events; from += BATCH) {
      await log.append(
        appendOf(
          Array.from({ length: BATCH }, () => writeOf(corpus.memory(), false)),
          Date.now(),
        ),
      );
    }

    const deps = { redis, keys, log, fingerprint: catalogue.fingerprint, logger: quiet };
    const leases = createLeases(redis, keys, LEASE_MS);
    const replayOf = async (projections: readonly Projection[]): Promise<readonly Rebuilt[]> => {
      const orders = [];
      for (const projection of projections) {
        orders.push({ projection, token: await leases.seize(projection.name), serving: () => undefined });
        await redis.hdel(keys.projection(projection.name), 'serving');
      }
      const { signal } = new AbortController();
      return rebuild(deps, orders, { exclusively: (work) => work(), switched: () => undefined, signal });
    };

    const figures: Figure[] = [];
    for (const [name, projections] of [['memories view', [memories]] as const, ['every view', PROJECTIONS] as const]) {
      const rows = await rowsOf(redis, keys, await replayOf(projections));
      const rates = { replay: [] as number[], raw: [] as number[] };
      for (let round = 0; round < rounds; round++) {
        const begun = performance.now();
        const rebuilt = await replayOf(projections);
        rates.replay.push(events / ((performance.now() - begun) / 1000));
        await dropRows(redis, keys, rebuilt);
        rates.raw.push(events / ((await timed(() => writeRaw(redis, rows))) / 1000));
        await byPipelines(redis, rows, (pipeline, { row }) => void pipeline.unlink(row));
      }
      const baseline = { name: `HSET and ZADD, ${PIPELINE} a pipeline`, rounds: rates.raw };
      figures.push(ratioFigure({ scenario: 'replay', name, size: events, unit: 'per s' }, rates.replay, baseline, { least: 0.5 }));
    }
    log.close();
    return figures;
  },
};

type RawRow = { readonly row: string; readonly fields: readonly string[]; readonly members: readonly string[] };

/** What a rebuild left, and removes it. */
const rowsOf = async (redis: Redis, keys: Keys, rebuilt: readonly Rebuilt[]): Promise<RawRow[]> => {
  const rows: RawRow[] = [];
  for (const { projection, generation } of rebuilt) {
    for await (const names of scanRows(redis, keys, projection, generation)) {
      for (const name of names) {
        const key = keys.row(projection, generation, name);
        const row = `raw:${key}`;
        if ((await redis.type(key)) === 'zset') rows.push({ row, fields: [], members: await redis.zrange(key, 0, -1) });
        else rows.push({ row, fields: Object.entries(await redis.hgetall(key)).flat(), members: [] });
      }
    }
  }
  await dropRows(redis, keys, rebuilt);
  return rows;
};

const dropRows = async (redis: Redis, keys: Keys, rebuilt: readonly Rebuilt[]): Promise<void> => {
  for (const { projection, generation } of rebuilt) {
    for await (const names of scanRows(redis, keys, projection, generation)) {
      await redis.unlink(...names.map((name) => keys.row(projection, generation, name)));
    }
  }
};

/** Members of a set are added one by one, as they come to be. */
const writeRaw = (redis: Redis, rows: readonly RawRow[]): Promise<void> => {
  const commands = rows.flatMap(({ row, fields, members }) => [
    ...(fields.length > 0 ? [['hset', row, ...fields]] : []),
    ...members.map((member) => ['zadd', row, '0', member]),
  ]);
  return byPipelines(redis, commands, (pipeline, [name = '', ...args]) => pipeline.call(name, ...args));
};
