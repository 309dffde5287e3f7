import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SECTIONS } from '../../../domain/briefing/sections.js';
import type { DomainEvent } from '../../../domain/catalogue.js';
import { comparePositions, type LogEntry, positionOf } from '../../../domain/envelope.js';
import { isMemoryKey } from '../../../domain/memory/key.js';
import { servingGeneration } from '../../../projections/generation.js';
import { millisOf } from '../../../projections/history/cut.js';
import { foldRow } from '../../../projections/history/fold.js';
import { memories } from '../../../projections/memories.js';
import { readTimeline, timeline } from '../../../projections/timeline.js';
import type { OpenApp } from '../../../services/app.js';
import type { Embedder } from '../../../services/embedding/port.js';
import { RECALL_COUNTERS } from '../../../services/eventlog/forget.js';
import { TOOLS } from '../../../services/mcp/tools/index.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { hashedEmbedder, providerOf } from '../../support/embedders.js';
import { readAll } from '../../support/eventlog.js';
import { type Answers, type Asked, askAll } from './ask-all.js';
import { createGenerator, type Generator } from './long-log.js';

/** `SOAK=1`: a longer log. */
const EVENTS = process.env.SOAK === undefined ? 2_000 : 5_000;
const MOMENTS = 5;
const DAY = 86_400_000;

type Recorded = { readonly place: string; readonly memories: readonly string[]; readonly answers: Answers };

/** The first model; the better one arrives when the log is long. */
const first = hashedEmbedder('use-lite');
const better = withFloor(hashedEmbedder('all-MiniLM-L6-v2'), 0.5);
const provider = providerOf(first);
let test: TestApp;
let generator: Generator;
let age = 0;
let clock: number | undefined;
const recorded: Recorded[] = [];

const until = async (holds: () => boolean): Promise<void> => {
  for (const end = Date.now() + 30_000; !holds(); await sleep(20)) if (Date.now() > end) throw new Error('it did not happen in time');
};

const ask = (there: OpenApp, { place, memories }: Pick<Recorded, 'place' | 'memories'>): Promise<Asked> =>
  askAll(there, generator, memories, test.call, place);

/** What everybody is answered now, with the clock at the log's head. */
const record = async (): Promise<void> => {
  await until(() => test.index.serving?.missing.size === 0);
  // A busy machine may be late with a view, which an answer then says.
  await vi.waitFor(async () => expect(await test.queryParts.fresh()).toBeUndefined(), 60_000);
  const place = (await test.log.head())?.position ?? '';
  const memories = generator.someLive(25);
  clock = millisOf(place);
  const { moments, answers } = await askAll(test, generator, memories, test.call);
  expect(moments).toEqual([]);
  clock = undefined;
  recorded.push({ place, memories, answers });
};

beforeAll(async () => {
  // Commands happen at all times of the last 200 days, so that age and dates weigh in the scores.
  const env = { AUTO_MAINTENANCE_INTERVAL: '0' };
  test = await openTestApp({ env, provider, options: { now: () => clock ?? Date.now() - age } });
  await until(() => test.index.serving !== undefined);
  generator = createGenerator(test, first, 20_260_503);
  for (let moment = 1; moment <= MOMENTS; moment++) {
    age = (MOMENTS - moment) * 40 * DAY;
    await generator.upTo((EVENTS * moment) / MOMENTS);
    if (moment === 3) await test.app.commands.mergeProjects({ from: 'teal', into: 'green' }, test.call);
    await record();
  }
  age = 0;
});
afterAll(async () => {
  await test.verifyAll();
  await test.end();
});

describe('a log that has grown long', () => {
  it('is long, and its answers then differ from those now', () => {
    const answers = recorded.map((one) => JSON.stringify(one.answers));
    expect(new Set(answers).size).toBe(MOMENTS);
    expect(recorded.flatMap((one) => one.answers.recalls.flat()).length).toBeGreaterThan(500);
  });

  it('is asked with every tool that takes as_of, and each part of a briefing has something to say', async () => {
    const { tools } = await ask(test, recorded[4] ?? fail());
    const taking = TOOLS.filter(({ inputSchema }) => 'as_of' in (inputSchema.properties ?? {})).map(({ name }) => name);
    expect([...tools].sort()).toEqual(taking.sort());
    const told = recorded.flatMap(({ answers }) => Object.values(answers.others).flatMap((answer) => Object.keys(answer as object)));
    const silent = SECTIONS.filter((section) => !told.includes(section));
    // Maintenance does not run, and no model draws facts.
    expect(silent).toEqual(['auto_maintenance', 'enrichment']);
  });

  it('has changed most memories since it was asked first', async () => {
    const { place, memories } = recorded[0] ?? fail();
    const changed = await Promise.all(
      memories.map(async (key) => {
        const explained = await test.app.queries.explainMemory({ key }, test.call);
        return explained.status === 'found' && explained.timeline.some(({ position }) => comparePositions(position, place) > 0);
      }),
    );
    expect(changed.filter(Boolean).length).toBeGreaterThan(memories.length / 2);
  });

  it('answers as of a place what it answered there, byte for byte', async () => {
    for (const one of recorded) {
      const { place } = one;
      const { moments, answers } = await ask(test, one);
      expect(answers).toEqual(one.answers);
      expect(new Set(moments.map((moment) => JSON.stringify(moment))).size).toBe(1);
      expect(moments[0]).toMatchObject({
        position: place,
        time: new Date(millisOf(place)).toISOString(),
        model: first.identity.id,
        forgotten_since: 0,
        exact: true,
      });
    }
  });

  it('answers the same as of that time, and in another process', async () => {
    const one = recorded[2] ?? fail();
    const then = await ask(test, { ...one, place: new Date(millisOf(one.place)).toISOString() });
    expect(then.answers).toEqual(one.answers);
    const another = await test.another({ projects: false });
    const elsewhere = await ask(another, one);
    await another.close();
    expect(elsewhere.answers).toEqual(one.answers);
  });

  it('has for every memory a row that is the fold of its timeline', async () => {
    const { redis, keys, log } = test;
    const generation = (await servingGeneration(redis, keys, memories.name)) ?? 0;
    const byMemory = new Map<string, LogEntry<DomainEvent>[]>();
    for (const entry of await readAll(log)) {
      const { subject } = entry.kind === 'event' ? entry.event.envelope : entry.kind === 'husk' ? entry.husk.envelope : fail();
      if (isMemoryKey(subject)) byMemory.set(subject, [...(byMemory.get(subject) ?? []), entry]);
    }
    expect(byMemory.size).toBeGreaterThan(EVENTS * 0.3);
    const rows = await Promise.all([...byMemory.keys()].map((key) => redis.hgetall(keys.row(memories.name, generation, key))));
    expect([...byMemory.values()].map(foldRow)).toEqual(rows);
    for (const [key, entries] of [...byMemory].slice(0, 200)) {
      const lines = await readTimeline(redis, keys, (await servingGeneration(redis, keys, timeline.name)) ?? 0, key);
      expect(lines.map(({ position }) => position)).toEqual(entries.map(positionOf));
    }
  });

  it('explains a memory by changes that lead from nothing to what it is, then and now', async () => {
    for (const key of generator.someLive(40))
      for (const as_of of [undefined, recorded[3]?.place]) {
        const explained = await test.app.queries.explainMemory({ key, as_of }, test.call);
        if (explained.status === 'not_found') continue;
        const told: Record<string, unknown> = {};
        for (const { changed = {} } of explained.timeline) for (const [field, { to }] of Object.entries(changed)) told[field] = to;
        for (const field of ['content', 'state', 'licence', 'licence_note', 'provenance', 'deprioritised_reason'] as const)
          expect([field, told[field]]).toEqual([field, explained[field]]);
        // A project that was merged is told under the name that it counts as.
        const merged = told.project === 'teal' && explained.project === 'green';
        if (!merged) expect(told.project).toEqual(explained.project);
        expect(told.tags).toEqual(explained.tags);
      }
  });

  it('does not count a look back as a recall', async () => {
    const { redis, keys } = test;
    const counted = async () => [await redis.xlen(keys.recalls), await redis.hgetall(keys.counter(RECALL_COUNTERS.count))];
    await sleep(300);
    const before = await counted();
    const { results } = await test.app.queries.recall({ ...(generator.questions[0] ?? fail()), as_of: recorded[0]?.place }, test.call);
    expect(results.length).toBeGreaterThan(0);
    await sleep(300);
    expect(await counted()).toEqual(before);
  });

  it('keeps its answers when the model changes, by the model of that moment', async () => {
    provider.arrive(better);
    await until(() => test.index.serving?.model.id === better.identity.id);
    const one = recorded[3] ?? fail();
    const { moments, answers } = await ask(test, one);
    expect(answers).toEqual(one.answers);
    expect(moments[0]).toMatchObject({ model: first.identity.id, exact: true });

    const now = (await test.log.head())?.position;
    const { as_of } = await test.app.queries.recall({ query: 'worker lease', as_of: now }, test.call);
    expect(as_of).toMatchObject({ model: better.identity.id, exact: true });
  });

  it('says so where the model of that moment is not to be had', async () => {
    const { place } = recorded[3] ?? fail();
    const { query } = generator.questions[0] ?? fail();
    const without = await test.another({ projects: false, provider: providerOf(better) });
    await until(() => without.index.serving !== undefined);
    const other = await without.app.queries.recall({ query, as_of: place }, test.call);
    await without.close();
    expect(other).toMatchObject({
      search: 'fused',
      as_of: { model: better.identity.id, exact: false, note: expect.stringContaining('use-lite') },
    });
    expect(other.results.length).toBeGreaterThan(0);

    const none = await test.another({ projects: false, provider: providerOf() });
    const byWords = await none.app.queries.recall({ query, as_of: place }, test.call);
    await none.close();
    expect(byWords).toMatchObject({ search: 'lexical', as_of: { model: null, exact: false } });
  });

  it('says so once something of that moment was forgotten', async () => {
    const one = recorded[1] ?? fail();
    // One that facts were drawn from takes them with it.
    const alone = await Promise.all(
      (one.answers.recalls[0] ?? []).map(async ({ key }) => {
        const explained = await test.app.queries.explainMemory({ key }, test.call);
        return explained.status === 'found' && explained.lineage?.facts === undefined;
      }),
    );
    const { key, content } = one.answers.recalls[0]?.[alone.indexOf(true)] ?? fail();
    await test.app.commands.forget({ key_or_query: key, confirm: true, keys: [key] }, test.call);
    const memories = one.memories.filter((memory) => memory !== key);
    const { moments, answers } = await ask(test, { ...one, memories });
    expect(new Set(moments.map(({ forgotten_since, exact }) => `${forgotten_since} ${exact}`))).toEqual(new Set(['1 false']));
    expect(moments[0]?.note).toContain('forgotten since');
    const { ofMemories: _histories, ...shown } = answers;
    expect(JSON.stringify(shown)).not.toContain(key);
    expect(JSON.stringify(answers)).not.toContain(content);
    const again = await ask(test, { ...one, memories });
    expect([again.answers, again.moments]).toEqual([answers, moments]);
  });
});

/** Each model has its own floor; that of the present one says nothing of an earlier moment. */
function withFloor(embedder: Embedder, recallFloor: number): Embedder {
  const { identity } = embedder;
  return { ...embedder, identity: { ...identity, thresholds: { ...identity.thresholds, recallFloor } } };
}

const fail = (): never => {
  throw new Error('the test is not set up');
};
