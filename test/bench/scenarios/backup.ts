import { execFile } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Redis } from 'iovalkey';
import { createKeys, type Keys } from '../../../projections/keys.js';
import { restoreBackup } from '../../../services/backup/restore.js';
import { keysBeginning } from '../../../services/backup/side.js';
import { takeBackup } from '../../../services/backup/take.js';
import { textClaim } from '../../../services/commands/claims.js';
import { type EventLog, openEventLog } from '../../../services/eventlog/log.js';
import { systemRandom } from '../../../services/eventlog/random.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';
import { createCorpus } from '../corpus.js';
import { type Figure, ratioFigure, timed } from '../figures.js';
import { inTemporaryFolder } from '../folders.js';
import { appendOf, writeOf } from '../product.js';
import { byPipelines, PIPELINE } from '../raw.js';
import type { Scenario } from '../scenario.js';

const BATCH = 250;
const random = systemRandom();
const keys = createKeys('local');
const run = promisify(execFile);

export const backup: Scenario = {
  name: 'backup',
  about: 'backup against valkey-cli --rdb of the same bytes, restore against raw pipelined HSET of the restored hashes',
  run: async ({ quick, sizes, say }) => {
    const figures: Figure[] = [];
    for (const size of sizes) {
      await inTemporaryFolder('backup', async (folder) => void figures.push(...(await measure(size, quick ? 3 : 5, folder, say))));
    }
    return figures;
  },
};

const measure = async (size: number, rounds: number, folder: string, say: (text: string) => void): Promise<readonly Figure[]> => {
  await using source = await startValkey({ aof: 'always', config: { rdbcompression: 'no', 'repl-diskless-sync-delay': '0' } });
  await using target = await startValkey({ aof: 'always', config: { rdbcompression: 'no', 'repl-diskless-sync-delay': '0' } });
  const [redis, into] = [source.client(), target.client()];
  const log = await openLog(source);
  await fill(log, size);

  const root = join(folder, 'sets');
  const dump = join(folder, 'dump.rdb');
  let hashes: readonly Hash[] | undefined;
  const rates = { backup: [] as number[], copy: [] as number[], restore: [] as number[], raw: [] as number[] };
  const bytes = { backup: 0, copy: 0 };
  for (let round = 0; round <= rounds; round++) {
    const rate = async (work: () => Promise<unknown>): Promise<number> => size / ((await timed(work)) / 1000);
    await rm(root, { recursive: true, force: true });
    const took = await rate(async () => {
      const report = await takeBackup({ redis, keys, log, random, now: Date.now }, { root, secrets: {}, actor: 'bench' });
      bytes.backup = report.bytes;
    });
    const copied = await rate(() => run('valkey-cli', ['-s', source.socket, '--rdb', dump]));
    bytes.copy = (await stat(dump)).size;
    const restored = await rate(() =>
      restoreBackup({ path: root, target: { path: target.socket }, tenant: keys.tenant, secrets: {}, actor: 'bench' }),
    );
    hashes ??= await hashesOf(into, keys);
    await into.flushall();
    const restoredHashes = hashes;
    const written = await rate(() => byPipelines(into, restoredHashes, (pipeline, { key, fields }) => void pipeline.hset(key, ...fields)));
    await into.flushall();
    say(
      `round ${round} of ${size}: backup ${took.toFixed(0)}, copy ${copied.toFixed(0)}, restore ${restored.toFixed(0)}, HSET ${written.toFixed(0)} a second`,
    );
    // The first round warms up.
    if (round === 0) continue;
    rates.backup.push(took);
    rates.copy.push(copied);
    rates.restore.push(restored);
    rates.raw.push(written);
  }
  log.close();
  return [
    ratioFigure(
      { scenario: 'backup', name: 'backup', size, unit: 'per s', note: `${bytes.backup} bytes of backup, ${bytes.copy} of the dump` },
      rates.backup,
      { name: 'valkey-cli --rdb', rounds: rates.copy },
    ),
    ratioFigure(
      { scenario: 'backup', name: 'restore', size, unit: 'per s', note: RESTORE },
      rates.restore,
      { name: `HSET, ${PIPELINE} a pipeline`, rounds: rates.raw },
      { least: 0.4 },
    ),
  ];
};

const RESTORE = 'every byte is checked before, the log is written beside the hashes, and all of it is read back';

const openLog = (valkey: TestValkey): Promise<EventLog> =>
  openEventLog({ append: valkey.client('append'), read: valkey.client(), blocking: valkey.client('blocking') }, keys);

/** As `remember` writes: each memory claims its text. */
const fill = async (log: EventLog, size: number): Promise<void> => {
  const corpus = createCorpus(size, Date.now());
  for (let from = 0; from < size; from += BATCH) {
    const writes = Array.from({ length: Math.min(BATCH, size - from) }, () => {
      const memory = corpus.memory();
      const claim = textClaim(log.salt, memory.namespace, memory.project, memory.content);
      return { ...writeOf(memory, false), claims: [{ claim, mode: 'ifFree' as const }] };
    });
    await log.append(appendOf(writes, Date.now()));
  }
};

type Hash = { readonly key: string; readonly fields: readonly (string | Buffer)[] };

/** Everything that a restore brought and that is a hash. */
const hashesOf = async (redis: Redis, { prefix }: Keys): Promise<readonly Hash[]> => {
  const hashes: Hash[] = [];
  for await (const names of keysBeginning(redis, prefix)) {
    for (const key of names) {
      if ((await redis.type(key)) !== 'hash') continue;
      const found = await redis.hgetallBuffer(key);
      const fields = Object.entries(found).flat();
      // A hash of a hundred thousand claims is written in parts, as anybody would.
      for (let from = 0; from < fields.length; from += 2 * PIPELINE) hashes.push({ key, fields: fields.slice(from, from + 2 * PIPELINE) });
    }
  }
  return hashes;
};
