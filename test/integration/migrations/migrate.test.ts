import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Migration } from '../../../domain/migration.js';
import { systemRandom } from '../../../services/eventlog/random.js';
import { loadMigrations } from '../../../services/migrations/load.js';
import { type MigrationParts, migrate } from '../../../services/migrations/runner.js';
import { appendOf, newMemory, openTestLog, readAll, remembered, snapshot, type TestLog } from '../../support/eventlog.js';
import { forgets } from '../../support/projector.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
let shipped: readonly Migration[];
beforeAll(async () => {
  valkey = await startValkey();
  shipped = await loadMigrations(new URL('./shipped/', import.meta.url));
});
afterAll(() => valkey.stop());

const partsOf = ({ log, redis, keys }: TestLog): MigrationParts => ({ log, redis, keys, random: systemRandom(), now: Date.now });

/** So many memories, every second of them tagged `legacy`. */
const filled = async (count: number): Promise<TestLog> => {
  const test = await openTestLog({ valkey });
  const writes = Array.from({ length: count }, (_, i) =>
    newMemory('', { events: [remembered(`memory ${i}`, { tags: i % 2 ? ['legacy'] : [] })] }),
  );
  await test.log.append(appendOf(writes));
  return test;
};
const made = async (test: TestLog, type: string) =>
  (await readAll(test.log)).flatMap((entry) => (entry.kind === 'event' && entry.event.type === type ? [entry.event] : []));

describe('the migrations of the program', () => {
  it('are found by their file names', async () => {
    expect(shipped.map(({ number, name }) => [number, name])).toEqual([[1, 'rename-a-tag']]);
    expect((await loadMigrations()).map(({ number }) => number)).toEqual((await loadMigrations()).map((_, i) => i + 1));
  });

  it.each([
    ['a gap', { '0002-two.js': 'export const migration = { number: 2, name: "two" };' }],
    ['another number inside', { '0001-one.js': 'export const migration = { number: 2, name: "one" };' }],
    ['another name inside', { '0001-one.js': 'export const migration = { number: 1, name: "two" };' }],
    ['nothing inside', { '0001-one.js': 'export const nothing = 1;' }],
  ])('are refused with %s', async (_, files) => {
    const folder = mkdtempSync(join(tmpdir(), 'omt-migrations-'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    await expect(loadMigrations(pathToFileURL(`${folder}/`))).rejects.toThrow(/Migration|export/);
    rmSync(folder, { recursive: true });
  });
});

describe('a migration', () => {
  it('is rehearsed without a trace', async () => {
    await using test = await filled(30);
    const before = await snapshot(test.redis, test.keys);
    expect(await migrate(partsOf(test), shipped, { dryRun: true })).toEqual([
      { number: 1, name: 'rename-a-tag', subjects: 15, events: 15 },
    ]);
    expect(await snapshot(test.redis, test.keys)).toEqual(before);
  });

  it('runs once, as one action, and is recorded', async () => {
    await using test = await filled(30);
    const forgotten = newMemory('', { events: [remembered('gone', { tags: ['legacy'] })] });
    await test.log.append(appendOf([forgotten]));
    await forgets(test, forgotten.subject, 1);
    expect(await migrate(partsOf(test), shipped)).toEqual([{ number: 1, name: 'rename-a-tag', subjects: 15, events: 15 }]);
    const retagged = await made(test, 'MemoryRetagged');
    const [applied] = await made(test, 'MigrationApplied');
    expect(retagged).toHaveLength(15);
    expect(applied).toMatchObject({ data: { number: 1, name: 'rename-a-tag', events: 15 }, envelope: { actor: 'migration:1' } });
    expect(new Set(retagged.map(({ envelope }) => envelope.correlation))).toEqual(new Set([applied?.envelope.correlation]));
    const size = await test.log.size();
    expect(await migrate(partsOf(test), shipped)).toEqual([]);
    expect(await test.log.size()).toBe(size);
    expect(await test.redis.exists(test.keys.migration(1), test.keys.lease('migrations'))).toBe(0);
  });

  it('goes on where it was cut off, and counts each event once', async () => {
    await using test = await filled(1_000);
    for (let cut = 0; cut < 3; cut++) {
      const stop = new AbortController();
      await expect(migrate(partsOf(test), shipped, { signal: stop.signal, onProgress: () => stop.abort() })).rejects.toThrow();
    }
    const half = (await made(test, 'MemoryRetagged')).length;
    expect(half).toBeGreaterThan(0);
    expect(half).toBeLessThan(500);
    expect(await made(test, 'MigrationApplied')).toEqual([]);
    expect(await migrate(partsOf(test), shipped)).toEqual([{ number: 1, name: 'rename-a-tag', subjects: 500, events: 500 }]);
    expect(new Set((await made(test, 'MemoryRetagged')).map(({ envelope }) => envelope.subject)).size).toBe(500);
    expect(await made(test, 'MemoryRetagged')).toHaveLength(500);
  });

  it('killed between a write and its checkpoint, finds what it did', async () => {
    await using test = await filled(300);
    const parts = partsOf(test);
    const killed: MigrationParts = {
      ...parts,
      log: {
        ...test.log,
        append: async (append) => {
          await test.log.append(append);
          throw new Error('killed');
        },
      },
    };
    await expect(migrate(killed, shipped)).rejects.toThrow('killed');
    await expect(migrate(killed, shipped)).rejects.toThrow('killed');
    expect(await migrate(parts, shipped)).toEqual([{ number: 1, name: 'rename-a-tag', subjects: 150, events: 150 }]);
    expect(await made(test, 'MemoryRetagged')).toHaveLength(150);
    expect(await made(test, 'MigrationApplied')).toHaveLength(1);
  });

  it('runs in one process at a time; the others wait and then have nothing to do', async () => {
    await using test = await filled(400);
    let waited = 0;
    const runs = Array.from({ length: 3 }, () => migrate(partsOf(test), shipped, { onWait: () => void waited++ }));
    const done = (await Promise.all(runs)).map((answer) => answer.length).sort();
    expect(done).toEqual([0, 0, 1]);
    expect(waited).toBeGreaterThan(0);
    expect(await made(test, 'MigrationApplied')).toHaveLength(1);
    expect(await made(test, 'MemoryRetagged')).toHaveLength(200);
  });

  it('decides again on a memory that changed meanwhile', async () => {
    await using test = await filled(10);
    let meddled = false;
    const meddling: MigrationParts = {
      ...partsOf(test),
      log: {
        ...test.log,
        append: async (append) => {
          const [write] = append.writes;
          if (!meddled && write?.events[0]?.type === 'MemoryRetagged') {
            meddled = true;
            const data = { tags: ['mine'], previous_tags: ['legacy'] };
            await test.log.append(appendOf([{ subject: write.subject, expected: 1, events: [{ type: 'MemoryRetagged', data }] }]));
          }
          return test.log.append(append);
        },
      },
    };
    expect(await migrate(meddling, shipped)).toMatchObject([{ events: 4 }]);
    expect((await made(test, 'MemoryRetagged')).filter(({ data }) => JSON.stringify(data).includes('mine'))).toHaveLength(1);
  });

  it('is known from the log alone where the store has no note of it, as after a restore', async () => {
    await using test = await filled(10);
    await migrate(partsOf(test), shipped);
    await test.redis.hdel(test.keys.meta, 'migrated');
    const size = await test.log.size();
    expect(await migrate(partsOf(test), shipped)).toEqual([]);
    expect(await test.log.size()).toBe(size);
  });

  it('that fails is not recorded, and the next run tries again', async () => {
    await using test = await filled(10);
    const broken: Migration = {
      number: 1,
      name: 'rename-a-tag',
      concerns: () => true,
      decide: () => {
        throw new Error('not today');
      },
    };
    await expect(migrate(partsOf(test), [broken])).rejects.toThrow('not today');
    expect(await made(test, 'MigrationApplied')).toEqual([]);
    expect(await migrate(partsOf(test), shipped)).toMatchObject([{ events: 5 }]);
  });
});
