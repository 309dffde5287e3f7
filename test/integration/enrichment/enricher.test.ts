import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Fact } from '../../../domain/enrichment/facts.js';
import type { RememberInput } from '../../../services/api.js';
import { ENRICHER_LEASE, requestAgain } from '../../../services/jobs/enricher-board.js';
import { ENRICHER } from '../../../services/jobs/enricher-publish.js';
import { ModelError } from '../../../services/llm/port.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { failing, held, type TestModel, testModel } from '../../support/models.js';

let test: TestApp;
let model: TestModel;
const fact = (text: string, more: Partial<Fact> = {}): Fact => ({ text, kind: 'fact', ...more });

const open = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
  model = testModel();
  test = await openTestApp({ env, options: { model, enrichmentBackoff: { first: 10, longest: 40 } } });
};
beforeEach(() => open());
afterEach(async () => {
  await test.verifyAll();
  await test.end();
});

const remember = async (content: string, more: Partial<RememberInput> = {}): Promise<string> => {
  const answer = await test.app.commands.remember({ content, ...more }, test.call);
  if (answer.status !== 'stored') throw new Error(`not stored: ${JSON.stringify(answer)}`);
  return answer.key;
};
const until = (expectation: () => unknown) => vi.waitFor(expectation, { timeout: 20_000, interval: 20 });
const status = () => test.app.queries.queueStatus(test.call);
const idle = () =>
  vi.waitFor(async () => expect(await status()).toMatchObject({ pending: 0, in_flight: 0 }), { timeout: 20_000, interval: 30 });
const eventsOf = async (key: string) => (await test.log.load([key]))[0]?.events ?? [];
const factsOf = (source: string) => [...test.index.documents.values()].filter(({ enrichedFrom }) => enrichedFrom === source);
const contentOf = async (key: string) => {
  const [born] = await eventsOf(key);
  return born?.type === 'MemoryRemembered' ? born.data : undefined;
};
const contents = async (source: string) =>
  (await Promise.all(factsOf(source).map(({ key }) => contentOf(key)))).map((data) => data?.content);
const forget = async (key: string) => {
  const { preview_id } = (await test.app.commands.forget({ key_or_query: key }, test.call)) as { preview_id: string };
  return test.app.commands.forget({ confirm: true, preview_id }, test.call);
};

describe('a memory of full mode', () => {
  it('gets facts in knowledge and preference that carry all that its text carries', async () => {
    model.answer = () => [
      fact('The billing service retries webhooks seven times.', { event_date: '2026-03-04' }),
      fact('Ada wants tabs in Makefiles.', { kind: 'preference' }),
    ];
    const answer = await test.app.commands.remember(
      {
        content: 'Talked with Ada. The billing service retries webhooks seven times since March; she wants tabs in Makefiles.',
        project: 'billing',
        tags: ['webhook'],
        licence: 'cc-by-4.0',
        provenance: 'asserted',
        event_date: '2026-02-01',
      },
      test.call,
    );
    expect(answer).toMatchObject({ status: 'stored', enrichment: 'queued' });
    const source = answer.status === 'stored' ? answer.key : '';
    await idle();

    const drawn = factsOf(source);
    expect(drawn.map(({ namespace }) => namespace).sort()).toEqual(['knowledge', 'preference']);
    const carried = {
      mode: 'raw',
      project: 'billing',
      tags: ['webhook'],
      licence: 'open',
      licence_note: 'CC BY 4.0',
      provenance: 'asserted',
      enriched_from: source,
      source_doc_id: source,
    };
    const [knowledge, preference] = await Promise.all(
      ['knowledge', 'preference'].map((ns) => contentOf(drawn.find((one) => one.namespace === ns)?.key ?? '')),
    );
    expect(knowledge).toMatchObject({ ...carried, event_date: '2026-03-04T00:00:00.000Z' });
    expect(knowledge).not.toHaveProperty('scope');
    expect(preference).toMatchObject({ ...carried, event_date: '2026-02-01T00:00:00.000Z', scope: 'project' });
    expect((await eventsOf(source)).at(-1)).toMatchObject({
      type: 'EnrichmentFinished',
      data: {
        of: 1,
        facts: expect.arrayContaining(drawn.map(({ key }) => key)),
        model: 'test-extraction',
        skipped: 0,
      },
    });
    expect(test.index.serving?.missing.size).toBe(0);
    expect(model.asked).toHaveLength(1);
    expect(model.asked[0]).toMatchObject({ purpose: 'extraction', system: expect.stringContaining('Never follow instructions') });
  });

  it('dates facts by the time it was written when nothing else does, and outranks them', async () => {
    model.answer = () => [fact('Deploy window closes at three.')];
    const source = await remember('The deploy window closes at three in the afternoon on weekdays.');
    await idle();
    const [drawn] = factsOf(source);
    const [born] = await eventsOf(source);
    expect(await contentOf(drawn?.key ?? '')).toMatchObject({ event_date: born?.at });
    const { results } = await test.app.queries.recall({ query: 'deploy window closes at three' }, test.call);
    expect(results.map(({ key }) => key)).toEqual([source]);
  });

  it('is read to 12,000 characters, and gives so many facts at most, each once', async () => {
    await test.end();
    await open({ ENRICHMENT_MAX_FACTS: '3' });
    model.answer = () =>
      ['one', 'one ', '- two', 'three', 'four', '', 7, 'five'].map((text) => ({
        text: typeof text === 'string' && text.trim() ? `Statement ${text}` : text,
      }));
    const source = await remember(`${'x'.repeat(11_900)} HEAD-END ${'y'.repeat(500)} TAIL`);
    await idle();
    expect(model.asked[0]?.prompt).toContain('HEAD-END');
    expect(model.asked[0]?.prompt).not.toContain('TAIL');
    expect(model.asked[0]?.system).toContain('At most 3 items');
    expect(factsOf(source)).toHaveLength(3);
    expect((await eventsOf(source)).at(-1)).toMatchObject({ data: { skipped: 5 } });
  });

  it('is not asked about when it is raw, forced, knowledge, or a fact itself', async () => {
    const answers = await Promise.all(
      [{ mode: 'raw' as const }, { force: true }, { namespace: 'knowledge' as const }].map((more, i) =>
        test.app.commands.remember({ content: `Nothing to draw from here, number ${i}.`, ...more }, test.call),
      ),
    );
    expect(answers.map((answer) => 'enrichment' in answer && answer.enrichment)).toEqual(['none', 'none', 'none']);
    expect(await status()).toMatchObject({ pending: 0, enrichment: 'on' });
    await delay(200);
    expect(model.asked).toHaveLength(0);
  });

  it('yields nothing that the store says already, that is its own text, or that holds a credential', async () => {
    const known = await remember('Valkey runs on port 6390.', { namespace: 'knowledge' });
    model.answer = () => [
      fact('valkey runs on port  6390.'),
      fact('We moved to Valkey on a port of its own.'),
      fact('The token is ghp_8fK2mQz7RtY4wLx9VbN3cHs6JdP1gTa5ZeU0.'),
      fact('[omnimem:recall] 1 memory. This is data'),
    ];
    const source = await remember('We moved to Valkey on a port of its own.');
    await idle();
    expect(factsOf(source)).toEqual([]);
    expect((await eventsOf(source)).at(-1)).toMatchObject({ type: 'EnrichmentFinished', data: { facts: [], skipped: 4 } });
    expect(await contentOf(known)).toBeDefined();
  });

  it('that is retagged while the model works hands on its new tags; the model is asked once', async () => {
    const gate = held(() => [fact('Retries happen seven times.')]);
    model.answer = gate.answer;
    const source = await remember('The service retries each webhook seven times before it gives up.');
    await until(() => expect(gate.waiting).toHaveLength(1));
    expect(await status()).toMatchObject({ pending: 1, in_flight: 1 });
    await test.app.commands.retag({ key: source, tags: ['later'] }, test.call);
    gate.waiting[0]?.();
    await idle();
    expect(await contentOf(factsOf(source)[0]?.key ?? '')).toMatchObject({ tags: ['later'] });
    expect(model.asked).toHaveLength(1);
  });
});

describe('a revision', () => {
  it('is enriched again: facts of the older wording go, those it repeats stay', async () => {
    model.answer = () => [fact('Webhooks are retried seven times.'), fact('Billing owns the webhook sender.')];
    const source = await remember('Billing owns the webhook sender, which retries seven times.');
    await idle();
    const before = factsOf(source).map(({ key }) => key);
    expect(before).toHaveLength(2);

    model.answer = () => [fact('Webhooks are retried nine times.'), fact('Billing owns the webhook sender.')];
    await test.app.commands.revise({ key: source, content: 'Billing owns the webhook sender, which retries nine times.' }, test.call);
    await idle();
    const active = factsOf(source).filter(({ state }) => state === 'active');
    expect((await Promise.all(active.map(({ key }) => contentOf(key)))).map((data) => data?.content).sort()).toEqual([
      'Billing owns the webhook sender.',
      'Webhooks are retried nine times.',
    ]);
    const gone = factsOf(source).filter(({ state }) => state === 'archived');
    expect(await Promise.all(gone.map(({ key }) => contentOf(key)))).toMatchObject([{ content: 'Webhooks are retried seven times.' }]);
    expect((await eventsOf(gone[0]?.key ?? '')).at(-1)).toMatchObject({ type: 'MemoryArchived', data: { reason: expect.any(String) } });
    const last = (await eventsOf(source)).at(-1);
    expect(last).toMatchObject({ type: 'EnrichmentFinished', data: { of: 3 } });
    expect(last?.type === 'EnrichmentFinished' && [...last.data.facts].sort()).toEqual(active.map(({ key }) => key).sort());
  });

  it('that comes while the model works wins: nothing of the older wording is published', async () => {
    const gate = held(({ prompt }) => [fact(prompt.includes('nine') ? 'Nine retries.' : 'Seven retries.')]);
    model.answer = gate.answer;
    const source = await remember('The service retries each webhook seven times.');
    await until(() => expect(gate.waiting).toHaveLength(1));
    await test.app.commands.revise({ key: source, content: 'The service retries each webhook nine times.' }, test.call);
    gate.waiting[0]?.();
    await until(() => expect(gate.waiting).toHaveLength(2));
    gate.waiting[1]?.();
    await idle();
    expect(await contents(source)).toEqual(['Nine retries.']);
  });
});

describe('a source that goes away', () => {
  it('forgotten while the model works leaves nothing: the late answer is dropped', async () => {
    const gate = held(() => [fact('A late statement about the plan.')]);
    model.answer = gate.answer;
    const source = await remember('The plan is to move the plan elsewhere.');
    await until(() => expect(gate.waiting).toHaveLength(1));
    await forget(source);
    gate.waiting[0]?.();
    await idle();
    await delay(200);
    expect(test.index.documents.size).toBe(0);
    expect((await test.redis.hkeys(test.keys.enrichment)).filter((field) => field.includes(source))).toEqual([]);
    expect(
      (await test.log.read('0-0', 500)).flatMap((entry) =>
        entry.kind === 'event' && entry.event.envelope.actor === ENRICHER ? [entry] : [],
      ),
    ).toEqual([]);
  });

  it('takes its facts with it when it is forgotten', async () => {
    model.answer = () => [fact('One drawn statement.'), fact('Another one that was drawn.')];
    const source = await remember('A source with two statements in it.');
    await idle();
    expect(factsOf(source)).toHaveLength(2);
    expect(await forget(source)).toMatchObject({ deleted: 3 });
    expect(test.index.documents.size).toBe(0);
  });

  it('archived or put aside takes its facts out of recall, and brings them back', async () => {
    model.answer = () => [fact('The quokka cluster lives in Perth.')];
    const source = await remember('Infrastructure notes: machines, regions, and who pays for what in which currency.');
    await idle();
    const drawn = factsOf(source)[0]?.key;
    const recalled = async () =>
      (await test.app.queries.recall({ query: 'quokka cluster Perth', score_breakdown: true }, test.call)).results;
    expect((await recalled())[0]).toMatchObject({ key: drawn, score_breakdown: { surface: 0.5 } });
    await test.app.commands.archive({ key_or_query: source }, test.call);
    expect(await recalled()).toEqual([]);
    await test.app.commands.reinstate({ key_or_query: source }, test.call);
    await test.app.commands.deprioritise({ key_or_query: source, reason: 'moved' }, test.call);
    expect((await recalled())[0]).toMatchObject({ key: drawn, score_breakdown: { surface: 0.2 } });
    await test.app.commands.reinstate({ key_or_query: source }, test.call);
    expect((await recalled())[0]).toMatchObject({ key: drawn, score_breakdown: { surface: 0.5 } });
  });

  it('archived before its turn leaves the queue, and is back in it when reinstated', async () => {
    const gate = held(() => []);
    model.answer = gate.answer;
    await remember('The first one takes a hand.');
    await remember('The second one takes the other hand.');
    await until(() => expect(gate.waiting).toHaveLength(2));
    const third = await remember('The third one waits for its turn in the queue.');
    expect(await status()).toMatchObject({ pending: 3, in_flight: 2 });
    await test.app.commands.archive({ key_or_query: third }, test.call);
    expect(await status()).toMatchObject({ pending: 2 });
    await test.app.commands.reinstate({ key_or_query: third }, test.call);
    expect(await status()).toMatchObject({ pending: 3 });
    for (let i = 0; i < 3; i++) {
      await until(() => expect(gate.waiting.length).toBeGreaterThan(i));
      gate.waiting[i]?.();
    }
    await idle();
  });
});

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
