import { writeFileSync } from 'node:fs';
import { encodeTime } from 'ulid';
import { describe, expect, it } from 'vitest';
import { openTestApp } from '../../support/app.js';
import { startValkey } from '../../support/valkey.js';
import { allRows, bring, folder, importedEvents } from './support.js';

const COUNT = 1_300;
const keyOf = (i: number): string => `mem:episodic:${encodeTime(1_700_000_000_000 + i, 10)}${String(i).padStart(16, '0')}`;
const dumpOf = (count: number): string =>
  JSON.stringify({
    metadata: {},
    data: Object.fromEntries(
      Array.from({ length: count }, (_, i) => [
        keyOf(i),
        {
          content: `Buoy ${i} is lit.`,
          state: i % 10 === 0 ? 'deprioritised' : 'active',
          created_at: String(1_700_000_000 + i),
          updated_at: String(1_700_000_000 + i + (i % 10 === 0 ? 60 : 0)),
          tags: '[]',
        },
      ]),
    ),
  });

describe('an import of many memories', () => {
  it('stops between batches on Ctrl-C, says how far it got, and goes on when run again', async () => {
    using place = folder();
    const test = await openTestApp({ env: { EMBEDDING: 'none' } });
    writeFileSync(place.in('dump.json'), dumpOf(COUNT));
    const stop = new AbortController();
    const bars: [number, number][] = [];
    const onProgress = (_: string, done: number, total: number): void => {
      bars.push([done, total]);
      stop.abort();
    };
    const first = await bring(test, place.in('dump.json'), { signal: stop.signal, onProgress });
    expect(first.status).toBe('interrupted');
    expect(first.imported).toBeGreaterThan(0);
    expect(first.imported).toBeLessThan(COUNT);
    expect(first.imported + (first.not_reached ?? 0)).toBe(COUNT);
    expect(bars).toEqual([[first.imported, COUNT]]);
    const batch = await importedEvents(test);
    expect(batch.length).toBeLessThanOrEqual(500);
    const second = await bring(test, place.in('dump.json'));
    expect(second).toMatchObject({ status: 'imported', imported: COUNT - first.imported, existing: first.imported });
    const rows = await allRows(test);
    expect([...rows.keys()]).toEqual(Array.from({ length: COUNT }, (_, i) => keyOf(i)));
    expect([...rows.values()].filter(({ state }) => state === 'deprioritised')).toHaveLength(COUNT / 10);
    expect(await importedEvents(test)).toHaveLength(COUNT + COUNT / 10);
    await test.verifyAll();
    await test.end();
  });

  it('run by two at once stores every memory once', async () => {
    using place = folder();
    const test = await openTestApp();
    writeFileSync(place.in('dump.json'), dumpOf(300));
    writeFileSync(place.in('notes.md'), Array.from({ length: 100 }, (_, i) => `# Note ${i}\nBeacon ${i} blinks.`).join('\n'));
    const reports = await Promise.all(
      ['dump.json', 'dump.json', 'notes.md', 'notes.md'].map((name, i) => bring(test, place.in(name), { setAside: place.in(`${i}.json`) })),
    );
    expect(reports.map(({ refused }) => refused)).toEqual([[], [], [], []]);
    expect(reports.reduce((sum, { imported }) => sum + imported, 0)).toBe(400);
    expect((await allRows(test)).size).toBe(400);
    const subjects = (await importedEvents(test))
      .filter(({ envelope }) => envelope.type === 'MemoryRemembered')
      .map(({ envelope }) => envelope.subject);
    expect(new Set(subjects).size).toBe(subjects.length);
    await test.verifyAll();
    await test.end();
  });

  it('outlives a server that is killed in the middle: the next run makes it whole', async () => {
    using place = folder();
    await using valkey = await startValkey({ aof: 'always' });
    const test = await openTestApp({ valkey, env: { EMBEDDING: 'none' } });
    writeFileSync(place.in('dump.json'), dumpOf(COUNT));
    let killed: Promise<void> | undefined;
    const outcome = await bring(test, place.in('dump.json'), {
      onProgress: () => {
        killed ??= valkey.kill();
      },
    }).catch((error: unknown) => error);
    expect(killed).toBeDefined();
    await killed;
    await valkey.restart();
    expect(outcome).toMatchObject({ code: 'UNAVAILABLE' });
    const again = await bring(test, place.in('dump.json'));
    expect(again.imported + again.existing).toBe(COUNT);
    const rows = await allRows(test);
    expect(rows.size).toBe(COUNT);
    expect([...rows.values()].filter(({ state }) => state === 'deprioritised')).toHaveLength(COUNT / 10);
    await test.verifyAll();
    await test.end();
  });
});
