import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RecallInput } from '../../../services/api.js';
import { ModelError } from '../../../services/llm/port.js';
import { createExpander } from '../../../services/queries/expansion.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { failing, type TestModel, testModel } from '../../support/models.js';

let test: TestApp;
let model: TestModel;
const open = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
  model = testModel();
  test = await openTestApp({ env: { INGEST_MODE: 'raw', ...env }, options: { model } });
};
beforeEach(() => open());
afterEach(() => test.end());

const remember = async (content: string, more: object = {}): Promise<string> => {
  const answer = await test.app.commands.remember({ content, ...more }, test.call);
  return answer.status === 'stored' ? answer.key : '';
};
const recall = (query: string, more: Partial<RecallInput> = {}) =>
  test.app.queries.recall({ query, expand_queries: true, ...more }, test.call);

describe('a recall with other wordings', () => {
  it('finds what only another wording finds, and takes the best score of each memory', async () => {
    const heron = await remember('Blue herons nest at the estuary.');
    const lake = await remember('Wading birds rest near the lake at dusk.');
    expect((await recall('wading birds rest', { expand_queries: false })).results.map(({ key }) => key)).toEqual([lake]);
    expect(model.asked).toHaveLength(0);

    model.answer = () => ['herons nest estuary', 'WADING birds rest', '', 7, 'lake birds', 'one too many', 'two too many'];
    const answer = await recall('wading birds rest');
    expect(answer.results.map(({ key }) => key).sort()).toEqual([heron, lake].sort());
    expect(answer.expanded_queries).toEqual(['herons nest estuary', 'lake birds', 'one too many']);
    const alone = await Promise.all(
      ['wading birds rest', ...(answer.expanded_queries ?? [])].map((query) => recall(query, { expand_queries: false })),
    );
    for (const { key, score } of answer.results) {
      expect(score).toBe(Math.max(...alone.flatMap(({ results }) => results.filter((one) => one.key === key)).map((one) => one.score)));
    }
    expect(model.asked[0]).toMatchObject({ purpose: 'expansion', maxTokens: 512, prompt: expect.stringContaining('wading birds rest') });
  });

  it('keeps filters, and lets only the query itself meet a hint', async () => {
    const aside = await remember('The legacy importer reads CSV.', { project: 'blue' });
    await test.app.commands.deprioritise({ key_or_query: aside, reason: 'retired', reinstate_hints: ['quarterly import'] }, test.call);
    await remember('Quarterly numbers come from finance.', { project: 'red' });
    model.answer = () => ['quarterly import'];
    expect((await recall('numbers of the quarter', { project_filter: 'blue' })).results).toEqual([]);
    expect((await recall('quarterly import', { project_filter: 'blue' })).results).toMatchObject([
      { key: aside, reinstate_candidate: true, score: 0.6 },
    ]);
  });

  it('hides a fact behind its source, whichever wording found them', async () => {
    const source = await remember('Estuary survey, spring edition, with counts of every species.');
    const [history] = await test.log.load([source]);
    model.answer = () => ['heron colony size'];
    await test.log.append({
      commandId: '01J00000000000000000000001',
      actor: 'test',
      at: new Date().toISOString(),
      writes: [
        {
          subject: 'mem:knowledge:01J00000000000000000000002',
          expected: 0,
          events: [
            {
              type: 'MemoryRemembered',
              data: {
                namespace: 'knowledge',
                content: 'The heron colony has a size of forty.',
                tags: [],
                mode: 'raw',
                licence: 'own',
                provenance: 'concluded',
                enriched_from: history?.subject ?? '',
              },
            },
          ],
        },
      ],
      result: {},
    });
    const { results } = await recall('estuary survey spring edition');
    expect(results.map(({ key }) => key)).toEqual([source]);
  });

  it('says why there are none, and answers the query alone', async () => {
    const key = await remember('Blue herons nest at the estuary.');
    model.answer = failing(new ModelError('OVERLOADED', 'overloaded'));
    const answer = await recall('herons at the estuary');
    expect(answer.results.map((one) => one.key)).toEqual([key]);
    expect(answer.search_note).toContain('OVERLOADED');
    expect(answer).not.toHaveProperty('expanded_queries');
    await test.end();
    test = await openTestApp();
    expect((await recall('herons at the estuary')).search_note).toContain('ANTHROPIC_API_KEY');
  });

  it('is the default where the setting says so, also in the short form', async () => {
    await test.end();
    await open({ RECALL_EXPAND_QUERIES: 'true', RECALL_EXPAND_COUNT: '1' });
    model.answer = () => ['first', 'second'];
    expect(await test.app.queries.recallIndex({ query: 'anything' }, test.call)).toMatchObject({ expanded_queries: ['first'] });
    expect(await test.app.queries.recall({ query: 'something', expand_queries: false }, test.call)).not.toHaveProperty('expanded_queries');
    expect(model.asked).toHaveLength(1);
  });
});

describe('other wordings', () => {
  it('are kept for a day, and failures are not', async () => {
    let now = 1_000;
    const asked = testModel(() => ['variant']);
    const expand = createExpander(asked, 3, () => now);
    const day = 24 * 60 * 60 * 1_000;
    asked.answer = failing(new ModelError('GARBAGE', 'garbage'));
    expect(await expand('q', undefined)).toEqual({ unavailable: 'GARBAGE' });
    asked.answer = () => ['variant'];
    expect(await expand('q', undefined)).toEqual({ variants: ['variant'] });
    now = day;
    expect(await expand('q', undefined)).toEqual({ variants: ['variant'] });
    expect(asked.asked).toHaveLength(2);
    now = day + 2_000;
    await expand('q', undefined);
    await expand('another', undefined);
    expect(asked.asked).toHaveLength(4);
  });
  it('end with the caller', async () => {
    const stop = new AbortController();
    const expand = createExpander(
      testModel((_, signal) => new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))),
      3,
    );
    const waiting = expand('q', stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});
