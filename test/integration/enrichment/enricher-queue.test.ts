import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ENRICHER_LEASE, requestAgain } from '../../../services/jobs/enricher-board.js';
import { ModelError } from '../../../services/llm/port.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { failing, held, type TestModel, testModel } from '../../support/models.js';
import { deedsWith, fact, until } from './support.js';

let test: TestApp;
let model: TestModel;

const open = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
  model = testModel();
  test = await openTestApp({ env, options: { model, enrichmentBackoff: { first: 10, longest: 40 } } });
};
beforeEach(() => open());
afterEach(async () => {
  await test.verifyAll();
  await test.end();
});

const { contentOf, contents, eventsOf, factsOf, forget, idle, remember, status } = deedsWith(() => test);

describe('a model that fails', () => {
  it('is asked again, ever more slowly, and then the memory is parked where everybody sees it', async () => {
    await test.end();
    await open({ ENRICHMENT_MAX_ATTEMPTS: '4' });
    model.answer = failing(new ModelError('OVERLOADED', 'overloaded'));
    const source = await remember('Nobody can say anything about this now.');
    await vi.waitFor(async () => expect((await status()).parked).toEqual([{ key: source, code: 'OVERLOADED', attempts: 4 }]), {
      timeout: 20_000,
    });
    expect(model.asked).toHaveLength(4);
    expect(await status()).toMatchObject({ pending: 0, parked_total: 1, trouble: { code: 'OVERLOADED', failures: 4, stopped: false } });
    const { status: colour, issues } = await test.app.queries.health();
    expect(colour).toBe('amber');
    expect(issues.map(({ code }) => code)).toEqual(expect.arrayContaining(['ENRICHMENT_PARKED', 'ENRICHMENT_FAILING']));
    expect((await test.app.metrics()).body).toContain('omnimem_enrichment_memories{state="parked"} 1');
  });

  it('once is no trouble: the memory is enriched by the next try', async () => {
    let calls = 0;
    model.answer = () => {
      calls += 1;
      if (calls < 3) throw new ModelError('GARBAGE', 'garbage');
      return [fact('It went well in the end.')];
    };
    const source = await remember('It does not go well at first, and then it does.');
    await idle();
    expect(await contents(source)).toEqual(['It went well in the end.']);
    expect(await test.redis.hgetall(test.keys.enrichment)).toEqual({});
  });

  it('for one text does not hold up the others', async () => {
    model.answer = ({ prompt }) => {
      if (prompt.includes('unspeakable')) throw new ModelError('REFUSED', 'refused');
      return [fact('Speakable things are spoken of.')];
    };
    const bad = await remember('Something unspeakable happened on the build server.');
    const good = await remember('Something speakable happened on the test server, too.');
    await vi.waitFor(() => expect(factsOf(good)).toHaveLength(1), { timeout: 20_000 });
    await vi.waitFor(async () => expect((await status()).parked).toMatchObject([{ key: bad, code: 'REFUSED', attempts: 8 }]), {
      timeout: 20_000,
    });
  });

  it('for want of a key stops everything, parks nothing, and goes on when somebody asks', async () => {
    model.answer = failing(new ModelError('UNAUTHORISED', 'The service does not accept the key (401)'));
    const source = await remember('There is a wrong key, and this waits for a right one.');
    await vi.waitFor(async () => expect(await status()).toMatchObject({ trouble: { code: 'UNAUTHORISED', stopped: true } }), {
      timeout: 20_000,
    });
    await remember('Another one that waits for the right key.');
    await delay(300);
    expect(model.asked.length).toBeLessThanOrEqual(2);
    expect(await status()).toMatchObject({ pending: 2, parked: [], note: expect.stringContaining('stands still') });
    expect((await test.app.queries.health()).issues.map(({ code }) => code)).toContain('ENRICHMENT_STOPPED');
    model.answer = () => [];
    await requestAgain(test.redis, test.keys, 'waiting');
    await idle();
    expect((await eventsOf(source)).at(-1)?.type).toBe('EnrichmentFinished');
    expect((await test.app.queries.health()).issues.map(({ code }) => code)).not.toContain('ENRICHMENT_STOPPED');
  });

  it('is asked again about what was parked once somebody wants it', async () => {
    await test.end();
    await open({ ENRICHMENT_MAX_ATTEMPTS: '1' });
    model.answer = failing(new ModelError('REJECTED', 'rejected'));
    const source = await remember('This is rejected at first.');
    await vi.waitFor(async () => expect((await status()).parked).toMatchObject([{ key: source, attempts: 1 }]), { timeout: 20_000 });
    await requestAgain(test.redis, test.keys, 'parked');
    await vi.waitFor(async () => expect((await status()).parked).toMatchObject([{ key: source, attempts: 2 }]), { timeout: 20_000 });
    model.answer = () => [fact('Accepted at last.')];
    await requestAgain(test.redis, test.keys, 'parked');
    await vi.waitFor(async () => expect(await status()).toMatchObject({ parked: [], pending: 0 }), { timeout: 20_000 });
    expect(await contents(source)).toEqual(['Accepted at last.']);
  });
});

describe('a document', () => {
  const CHUNKS = [
    'The parser reads tokens one at a time.',
    'The printer writes lines in blocks of eight.',
    'The cache holds at most ninety entries.',
  ];
  it('has a job for each chunk', async () => {
    model.answer = ({ prompt }) => [
      fact(prompt.includes('parser') ? 'Parser fact.' : prompt.includes('printer') ? 'Printer statement.' : 'Cache entry count.'),
    ];
    const { keys, doc_id, enrichment } = await test.app.commands.rememberDocument({ content: CHUNKS.join('\n\n') }, test.call);
    expect(enrichment).toBe('queued');
    await idle();
    expect(model.asked).toHaveLength(3);
    expect(await contents(keys[1] ?? '')).toEqual(['Printer statement.']);
    expect(await contentOf(factsOf(keys[0] ?? '')[0]?.key ?? '')).toMatchObject({ source_doc_id: doc_id, enriched_from: keys[0] });
  });

  it('is one call in batch mode; each fact belongs to the chunk it names', async () => {
    await test.end();
    await open({ ENRICHMENT_BATCH_MODE: 'true' });
    model.answer = () => [
      fact('Eight lines make a block.', { chunk: 2 }),
      fact('Ninety entries at most.', { chunk: 3 }),
      fact('From nowhere at all.', { chunk: 9 }),
    ];
    const { keys, enrichment } = await test.app.commands.rememberDocument({ content: CHUNKS.join('\n\n') }, test.call);
    expect(enrichment).toBe('batch_queued');
    await idle();
    expect(model.asked).toHaveLength(1);
    expect(model.asked[0]?.prompt).toMatch(/Chunk 1:[\s\S]*parser[\s\S]*Chunk 3:[\s\S]*cache/);
    expect(await Promise.all(keys.map(contents))).toEqual([[], ['Eight lines make a block.'], ['Ninety entries at most.']]);
    expect(await Promise.all(keys.map(async (key) => (await eventsOf(key)).at(-1)))).toMatchObject([
      { type: 'EnrichmentFinished', data: { skipped: 1 } },
      { type: 'EnrichmentFinished', data: { skipped: 0 } },
      { type: 'EnrichmentFinished', data: { skipped: 0 } },
    ]);
  });

  it('of which a chunk was forgotten meanwhile is read again without it', async () => {
    await test.end();
    await open({ ENRICHMENT_BATCH_MODE: 'true' });
    const gate = held(({ prompt }) => [fact(prompt.includes('parser') ? 'All three were read.' : 'Two were read.', { chunk: 1 })]);
    model.answer = gate.answer;
    const { keys } = await test.app.commands.rememberDocument({ content: CHUNKS.join('\n\n') }, test.call);
    await until(() => expect(gate.waiting).toHaveLength(1));
    await forget(keys[0] ?? '');
    gate.waiting[0]?.();
    await until(() => expect(gate.waiting).toHaveLength(2));
    gate.waiting[1]?.();
    await idle();
    expect(await contents(keys[1] ?? '')).toEqual(['Two were read.']);
    expect(model.asked[1]?.prompt).not.toContain('parser');
  });
});

describe('without a model', () => {
  it('memories are stored raw and the answer says so, with a note once', async () => {
    await test.end();
    test = await openTestApp();
    const first = await test.app.commands.remember({ content: 'The first without a key.' }, test.call);
    expect(first).toMatchObject({ enrichment: 'off', note: expect.stringContaining('ANTHROPIC_API_KEY') });
    const second = await test.app.commands.remember({ content: 'A second thing that has no key either.' }, test.call);
    expect(second).toMatchObject({ enrichment: 'off' });
    expect(second).not.toHaveProperty('note');
    expect(await test.app.commands.remember({ content: 'Somebody else is told as well.' }, { actor: 'another' })).toHaveProperty('note');
    expect(await contentOf(first.status === 'stored' ? first.key : '')).toMatchObject({ mode: 'raw' });
    expect(await status()).toMatchObject({ pending: 0, enrichment: 'off', note: expect.stringContaining('ANTHROPIC_API_KEY') });
    const document = await test.app.commands.rememberDocument({ content: 'One paragraph.\n\nAnother paragraph.' }, test.call);
    expect(document).toMatchObject({ enrichment: 'off', mode: 'raw' });
  });
});

describe('two processes', () => {
  it('share the queue: one works, and the other takes over when it ends in the middle', async () => {
    await test.end();
    model = testModel();
    test = await openTestApp({ options: { model, projects: false } });
    const leader = await test.another({ projects: true });
    await until(async () => expect(await test.redis.exists(test.keys.lease(ENRICHER_LEASE))).toBe(1));
    const other = await test.another({ projects: true });
    const gate = held(() => [fact('Said once.')]);
    model.answer = gate.answer;
    const source = await remember('Two processes see this memory and one enriches it.');
    await until(() => expect(gate.waiting).toHaveLength(1));
    await delay(300);
    expect(model.asked).toHaveLength(1);
    await leader.close();
    await until(() => expect(gate.waiting).toHaveLength(2));
    gate.waiting[1]?.();
    await idle();
    expect(await contents(source)).toEqual(['Said once.']);
    await other.close();
  });
});
