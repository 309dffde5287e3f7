import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MemoryAuditInput, RememberInput } from '../../../services/api.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { drawFact } from './facts.js';

const DAY = 86_400_000;

describe('what an audit shows', () => {
  let test: TestApp;
  let time = Date.parse('2026-06-01T12:00:00Z');
  const audit = (input: MemoryAuditInput = {}) => test.app.queries.memoryAudit(input, test.call);
  const remember = async (content: string, more: Partial<RememberInput> = {}): Promise<string> => {
    const stored = await test.app.commands.remember({ content, force: true, ...more }, test.call);
    if (stored.status !== 'stored') throw new Error(stored.status);
    return stored.key;
  };

  beforeAll(async () => {
    test = await openTestApp({ options: { now: () => time } });
  });
  afterAll(async () => {
    await test.verifyAll();
    await test.end();
  });

  it('lists all four namespaces page by page, each memory once and in one order, while others are written', async () => {
    const namespaces = ['preference', 'knowledge', 'project', 'episodic'] as const;
    for (let n = 0; n < 24; n++) {
      await remember(`fact number ${n} of the inventory`, { namespace: namespaces[n % 4] ?? 'episodic', project: 'audit' });
    }
    const seen: string[] = [];
    for (let offset = 0, more = true; more; ) {
      const page = await audit({ project: 'audit', limit: 5, offset });
      seen.push(...page.entries.map(({ key }) => key));
      offset += page.returned;
      more = page.has_more;
      await remember(`written in between ${offset}`, { namespace: 'preference', project: 'audit' });
    }
    const ofFour = new Set(seen.map((key) => key.split(':')[1]));
    expect([...ofFour].sort()).toEqual(['episodic', 'knowledge', 'preference', 'project']);
    expect(new Set(seen).size).toBe(seen.length);
    const whole = await audit({ project: 'audit', limit: 500 });
    expect(whole.entries.map(({ key }) => key).filter((key) => seen.includes(key))).toEqual(seen);
    expect(whole).toMatchObject({ returned: whole.total, has_more: false, matching_total: whole.total });
    for (const [bad, range] of [
      [{ limit: 0 }, 'from 1 to 500'],
      [{ limit: -1 }, 'from 1 to 500'],
      [{ offset: -3 }, '0 or more'],
    ] as const) {
      await expect(audit({ project: 'audit', ...bad })).rejects.toMatchObject({
        code: 'VALIDATION',
        message: expect.stringContaining(range),
      });
    }
    expect(await audit({ project: 'audit', limit: 9_999 })).toMatchObject({ limit: 500 });
  });

  it('marks what was not changed for STALE_MEMORY_DAYS, as long as it is active and episodic', async () => {
    const keys = {
      old: await remember('old and untouched', { project: 'stale' }),
      touched: await remember('old, with a new tag', { project: 'stale' }),
      aside: await remember('old and put aside', { project: 'stale' }),
      rule: await remember('old rule', { namespace: 'preference', project: 'stale' }),
    };
    time += 29 * DAY;
    const stale = async () =>
      (await audit({ project: 'stale' })).entries.flatMap(({ key, days_stale }) => (days_stale ? [[key, days_stale]] : []));
    expect(await stale()).toEqual([]);
    await test.app.commands.retag({ key: keys.touched, add: ['checked'] }, test.call);
    await test.app.commands.deprioritise({ key_or_query: keys.aside, reason: 'over' }, test.call);
    time += 2 * DAY;
    expect(await stale()).toEqual([[keys.old, 31]]);
  });

  it('shows lineage: the document around a chunk in order, the source of a fact with its state, and the facts of a source', async () => {
    const paragraphs = Array.from(
      { length: 4 },
      (_, n) => `Chapter ${n}: ${'the tides of the harbour were measured again. '.repeat(8)}${n}`,
    );
    const { keys, doc_id } = await test.app.commands.rememberDocument(
      { content: paragraphs.join('\n\n'), chunk_strategy: 'paragraphs', project: 'lineage' },
      test.call,
    );
    const [first = '', second = ''] = keys;
    expect(keys.length).toBeGreaterThan(2);
    const fact = await drawFact(test, second, 'Tides were measured again.');
    const explain = async (key: string) => {
      const answer = await test.app.queries.explainMemory({ key }, test.call);
      return answer.status === 'not_found' ? undefined : answer.lineage;
    };
    const lineage = await explain(second);
    expect(lineage).toMatchObject({
      document: { doc_id, chunks: keys.length, place: 2 },
      facts: [{ key: fact, namespace: 'knowledge', state: 'active', content: 'Tides were measured again.' }],
    });
    expect(lineage?.chunks?.map(({ key }) => key)).toEqual(keys);
    expect(lineage?.chunks?.every(({ content = '' }) => content.length <= 80)).toBe(true);
    expect(await explain(fact)).toMatchObject({ extracted_from: { key: second, state: 'active' } });

    await test.app.commands.archive({ key_or_query: second }, test.call);
    expect(await explain(fact)).toMatchObject({ extracted_from: { key: second, state: 'archived' } });
    await test.app.commands.forget({ keys: [first], confirm: true }, test.call);
    const left = await explain(second);
    expect(left?.chunks?.map(({ key }) => key)).not.toContain(first);
    expect(await explain(await remember('alone in the world', { project: 'lineage' }))).toBeUndefined();
  });

  it('bounds lineage: some of many chunks around the one that is asked for, and some of many facts with their number', async () => {
    const content = Array.from({ length: 60 }, (_, n) => `Part ${n} tells of the pier and of ${n} boats. ${'It rained. '.repeat(20)}`).join(
      '\n\n',
    );
    const { keys } = await test.app.commands.rememberDocument({ content, chunk_strategy: 'paragraphs', project: 'long' }, test.call);
    expect(keys.length).toBeGreaterThan(25);
    const middle = keys[Math.floor(keys.length / 2)] ?? '';
    for (let n = 0; n < 22; n++) await drawFact(test, middle, `Boat ${n} lay at the pier.`);
    const answer = await test.app.queries.explainMemory({ key: middle }, test.call);
    const lineage = answer.status === 'not_found' ? undefined : answer.lineage;
    expect(lineage?.chunks).toHaveLength(21);
    expect(lineage?.chunks?.map(({ key }) => key)).toContain(middle);
    expect(lineage?.document?.chunks).toBe(keys.length);
    expect(lineage?.facts).toHaveLength(20);
    expect(lineage?.facts_total).toBe(22);
  });
});
