import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { snapshot } from '../../support/eventlog.js';
import { type MessagesServer, startMessagesServer } from '../../support/messages-server.js';
import { keyOf } from '../app/client.js';
import { openServed, type Served } from './served.js';

/** Stands in every text of what is forgotten, and nowhere else. */
const SECRET = 'zanzibar';

describe('what is forgotten is in nothing that was derived from it', () => {
  let served: Served;
  let model: MessagesServer;
  let release = (): void => undefined;
  beforeAll(async () => {
    model = await startMessagesServer(async ({ prompt }) => {
      if (prompt.includes('slow')) await new Promise<void>((resolve) => (release = resolve));
      return { text: JSON.stringify([{ text: `The ship sails to ${SECRET} on Mondays.`, kind: 'fact' }]) };
    });
    served = await openServed({
      env: { ANTHROPIC_API_KEY: 'sk-test-key', ANTHROPIC_BASE_URL: model.url, AUTO_MAINTENANCE_INTERVAL: '0' },
      options: { enrichmentBackoff: { first: 10, longest: 40 } },
    });
  });
  afterAll(async () => {
    release();
    await served.end();
    await model.close();
  });

  /** Every tool that shows stored text. */
  const told = async (key: string): Promise<readonly string[]> => {
    const { tools } = served;
    const answers: string[] = [];
    for (const [tool, args] of [
      ['recall', { query: 'the ship sails to the island on Mondays, compass', top_k: 50 }],
      ['recall_index', { query: 'the ship sails to the island on Mondays', top_k: 50 }],
      ['recall_detail', { keys: [key] }],
      ['briefing', { project: 'fleet', max_tokens: 15_000 }],
      ['briefing', { max_tokens: 15_000 }],
      ['memory_audit', { limit: 500, include_archived: true }],
      ['explain_memory', { key }],
      ['explain_memory', { key: 'mem:project:fleet' }],
      ['experience_summary', {}],
      ['experience_summary', { project: 'fleet' }],
      ['get_experience', { key }],
      ['warn_if_abandoned', { query: 'compass' }],
      ['list_projects', {}],
      ['get_project_context', { project_name: 'fleet' }],
      ['compile_project_context', { project_name: 'fleet' }],
      ['compile_project_domains', { project_name: 'fleet' }],
      ['recent_knowledge', { days: 7, limit: 50 }],
      ['find_duplicates', { threshold: 0.3 }],
      ['check_contradictions', { project_filter: 'fleet' }],
      ['why_did_you_mention', { key }],
      ['queue_status', {}],
      ['health', {}],
      ['maintain', { project: 'fleet', dry_run: true }],
      ['forget', { key_or_query: key }],
    ] as const) {
      const answered = await tools.outcome(tool, args);
      const text = JSON.stringify(answered);
      if (text.includes(SECRET)) answers.push(tool);
    }
    return answers;
  };

  const fill = async (): Promise<string> => {
    const { call, remember } = served;
    const key = keyOf(await call('remember', { content: `The ship sails to ${SECRET} on the island on Mondays.`, project: 'fleet' }));
    await remember(`The ship sails on Tuesdays.`, { project: 'fleet' });
    await call('record_experience', {
      key,
      effort_score: 4,
      outcome: 'succeeded',
      breakthrough: `Wind from ${SECRET}`,
      gotchas: `Reefs off ${SECRET}`,
      abandoned_approaches: [{ name: 'compass', type: 'tool', reason: `drifts near ${SECRET}` }],
    });
    await call('retag', { key, add: [SECRET] });
    await call('revise', { key, content: `The ship always sails to ${SECRET} on the island on Mondays.`, reason: `news of ${SECRET}` });
    const other = await remember('The ship never sails to that island on Mondays.', { project: 'fleet' });
    await call('check_contradictions', { project_filter: 'fleet' });
    await call('deprioritise', { key_or_query: key, reason: `not now, ${SECRET}`, reinstate_hints: [SECRET] });
    await call('reinstate', { key_or_query: key });
    await call('compile_project_context', { project_name: 'fleet', auto_save: true });
    await expect.poll(() => call('queue_status'), { timeout: 20_000 }).toMatchObject({ pending: 0, in_flight: 0 });
    await call('recall', { query: `when does the ship sail to ${SECRET}` });
    expect(other).toMatch(/^mem:/);
    return key;
  };

  it('no tool tells of it, no byte of the store holds it, and its key stays forgotten', async () => {
    const { call, test } = served;
    const key = await fill();
    expect((await told(key)).length).toBeGreaterThan(14);
    const { timeline } = await call('explain_memory', { key });
    const correlations = new Set((timeline as readonly { readonly correlation?: string }[]).map(({ correlation }) => correlation));
    await call('forget', { key_or_query: key, confirm: true, keys: [key] });
    expect(await told(key)).toEqual([]);

    // Ways back: what writes to the key, what takes an action back, what tidies up.
    for (const [tool, args] of [
      ['log_abandoned', { key, name: 'compass', type: 'tool', reason: 'drifts' }],
      ['record_experience', { key, effort_score: 3, outcome: 'succeeded' }],
      ['revise', { key, content: 'Again' }],
      ['retag', { key, add: ['again'] }],
      ['reinstate', { key_or_query: key }],
      ['deprioritise', { key_or_query: key, reason: 'again' }],
      ['archive', { key_or_query: key }],
      ['set_licence', { keys: [key], licence: 'own' }],
      ['maintain', {}],
      ['check_contradictions', {}],
      ['compile_project_context', { project_name: 'fleet', auto_save: true }],
      ['reindex', {}],
      ...[...correlations].map((correlation) => ['undo', { correlation }] as const),
    ] as const)
      await served.tools.outcome(tool, args as Record<string, unknown>);
    expect(await told(key)).toEqual([]);
    expect(await call('explain_memory', { key })).toMatchObject({ status: 'forgotten' });
    await expect
      .poll(async () => {
        const all = await snapshot(test.redis, test.keys);
        return [...all].filter(([name, value]) => `${name} ${value}`.includes(SECRET)).map(([name]) => name);
      })
      .toEqual([]);
  });

  it('nor does work that was under way bring it back', async () => {
    const { call, test } = served;
    const keys: string[] = [];
    for (let n = 0; n < 6; n++) {
      const key = keyOf(await call('remember', { content: `A slow ship ${n} sails to ${SECRET}.`, project: 'fleet', force: n > 0 }));
      keys.push(key);
      await Promise.all([
        served.tools.outcome('log_abandoned', { key, name: `sail ${n}`, type: 'tool', reason: SECRET }),
        served.tools.outcome('record_experience', { key, effort_score: 2, outcome: 'succeeded', breakthrough: SECRET }),
        served.tools.outcome('retag', { key, add: [SECRET] }),
        call('forget', { key_or_query: key, confirm: true, keys: [key] }),
        served.tools.outcome('revise', { key, content: `A slow ship ${n} returns from ${SECRET}.` }),
        served.tools.outcome('compile_project_context', { project_name: 'fleet', auto_save: true }),
        served.tools.outcome('recall', { query: 'slow ship' }),
        served.tools.outcome('check_contradictions', { project_filter: 'fleet' }),
      ]);
    }
    release();
    await expect.poll(() => call('queue_status'), { timeout: 20_000 }).toMatchObject({ pending: 0, in_flight: 0 });
    for (const key of keys) {
      expect(await told(key)).toEqual([]);
      expect(await call('explain_memory', { key })).toMatchObject({ status: 'forgotten' });
      expect(await test.redis.hget(test.keys.counter('recalls'), key)).toBeNull();
    }
    await expect
      .poll(async () =>
        [...(await snapshot(test.redis, test.keys))].filter(([, value]) => String(value).includes(SECRET)).map(([name]) => name),
      )
      .toEqual([]);
  });
});
