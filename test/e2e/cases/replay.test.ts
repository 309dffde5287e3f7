import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { replayProjection } from '../../../projections/replay.js';
import { PROJECTIONS } from '../../../services/views.js';
import { erasuresConfirmed } from '../../support/erasures.js';
import { eventsTold } from '../../support/eventlog.js';
import { type MessagesServer, startMessagesServer } from '../../support/messages-server.js';
import { runTypeScript } from '../../support/run-ts.js';
import { openServed, type Served } from './served.js';

/** Replays every view again and again, and says when it has begun. */
const REPLAYS = `import { createKeys } from './projections/keys.ts';
import { replayProjection } from './projections/replay.ts';
import { PROJECTIONS } from './services/views.ts';
import { connect } from './services/valkey/client.ts';
const [path, tenant] = process.argv.slice(2);
const redis = connect({ path }, 'general', { name: 'replays', commandTimeoutMs: 5000, onError: () => undefined });
console.log('true');
for (;;) for (const { name } of PROJECTIONS) await replayProjection(redis, createKeys(tenant, false), name, Date.now());`;

const replayAll = async ({ test: { redis, keys } }: Served): Promise<void> => {
  await Promise.all(PROJECTIONS.map(({ name }) => replayProjection(redis, keys, name, Date.now())));
};

describe('S14 replay over what is already there', () => {
  let served: Served;
  let model: MessagesServer;
  const made: string[] = [];
  beforeAll(async () => {
    model = await startMessagesServer(({ prompt }) => ({
      text: JSON.stringify([{ text: `A fact of ${prompt.length} letters was drawn.`, kind: 'fact' }]),
    }));
    served = await openServed({
      env: { ANTHROPIC_API_KEY: 'sk-test-key', ANTHROPIC_BASE_URL: model.url, AUTO_MAINTENANCE_INTERVAL: '0' },
      options: { enrichmentBackoff: { first: 10, longest: 40 } },
    });
    const { call, remember } = served;
    for (let n = 0; n < 120; n++) made.push(await remember(`Entry ${n} of the pilot's diary.`, { tags: ['diary'], project: 'pilots' }));
    for (const [n, key] of made.slice(0, 30).entries()) await call('retag', { key, add: [`t${n}`] });
    for (const key of made.slice(30, 35)) await call('deprioritise', { key_or_query: key, reason: 'old', reinstate_hints: ['diary'] });
    for (const [n, key] of made.slice(35, 45).entries()) {
      const dead = { name: `stencil ${n}`, type: 'tool', reason: 'smears' };
      await call('record_experience', { key, effort_score: 1 + (n % 5), outcome: 'succeeded', abandoned_approaches: [dead] });
      await call('log_abandoned', { key, name: 'carbon paper', type: 'tool', reason: 'fades' });
    }
    for (const key of made.slice(45, 48)) await call('forget', { key_or_query: key, confirm: true, keys: [key] });
    made.push(
      await remember('Always sign the diary', { project: 'pilots' }),
      await remember('Never sign the diary', { project: 'pilots' }),
    );
    await call('check_contradictions', { project_filter: 'pilots' });
    const texts = { description: 'Pilots', stack: 'ink', goals: 'Dry', current_state: 'Wet' };
    await call('set_project_context', { project_name: 'pilots', ...texts });
    await call('update_project_state', { project_name: 'pilots', current_state: 'Drier' });
    await call('suppress_topic', { topic: 'astrology' });
    for (let n = 0; n < 12; n++)
      await call('remember', { content: `${'o'.repeat(n)} the harbour master said something number ${n}`, project: 'p' });
    await vi.waitFor(async () => expect(await call('queue_status')).toMatchObject({ pending: 0, in_flight: 0 }), { timeout: 20_000 });
    for (let n = 0; n < 5; n++) await call('recall', { query: `Entry ${n} of the pilot's diary` });
  }, 120_000);
  afterAll(async () => {
    await served.end();
    await model.close();
  });

  const look = async () => {
    const { call } = served;
    const { auto_maintenance: _run, ...briefed } = await call('briefing', { project: 'pilots', max_tokens: 15_000 });
    return {
      audit: await call('memory_audit', { limit: 500, include_archived: true }),
      details: await call('recall_detail', { keys: made.slice(25, 50) }),
      explained: await Promise.all([31, 36, 46, 121].map((n) => call('explain_memory', { key: made[n] ?? '' }))),
      experience: await call('get_experience', { key: made[36] ?? '' }),
      summary: await call('experience_summary', {}),
      warned: await call('warn_if_abandoned', { query: 'carbon paper' }),
      projects: await call('list_projects'),
      suppressed: await call('list_suppressions'),
      queue: await call('queue_status'),
      news: await call('recent_knowledge', { days: 7, limit: 50 }),
      briefed,
    };
  };

  it('appends nothing, asks nobody and changes nothing, however often, and reads go on', async () => {
    const { test, call } = served;
    // What the eraser notes of the three that were forgotten would come in between.
    await erasuresConfirmed(test);
    const before = await look();
    expect(before.news).toMatchObject({
      results: expect.arrayContaining([expect.objectContaining({ enriched_from: expect.any(String) })]),
    });
    const size = await eventsTold(test.log);
    const asked = model.requests.length;
    expect(asked).toBeGreaterThanOrEqual(12);
    for (let round = 0; round < 2; round++) {
      let reading = true;
      const replaying = replayAll(served).finally(() => {
        reading = false;
      });
      while (reading) {
        expect(await call('memory_audit', { project: 'pilots' })).toMatchObject({ total: 119 });
        expect(await call('experience_summary', { project: 'pilots' })).toMatchObject({ memories_with_experience: 10 });
      }
      await replaying;
      expect(await look()).toEqual(before);
    }
    expect(await eventsTold(test.log)).toBe(size);
    expect(model.requests.length).toBe(asked);
    await test.verifyAll();
  });

  it('killed at any moment leaves the serving view as it was', async () => {
    const { test } = served;
    const before = await look();
    const size = await eventsTold(test.log);
    for (const afterMs of [0, 40, 150]) {
      const child = await runTypeScript(REPLAYS, [test.valkey.socket, test.keys.tenant]);
      await child.next();
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await child.kill();
      expect(await look()).toEqual(before);
    }
    expect(await eventsTold(test.log)).toBe(size);
    await replayAll(served);
    expect(await look()).toEqual(before);
    await test.verifyAll();
  });

  it('while clients write takes every write', async () => {
    const { test, remember, call } = served;
    const replays = replayAll(served);
    const late = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const key = await remember(`Late entry ${n} of the diary.`, { project: 'pilots' });
        await call('log_abandoned', { key, name: `late stencil ${n}`, type: 'tool', reason: 'smears' });
        return key;
      }),
    );
    await replays;
    expect(await call('memory_audit', { project: 'pilots' })).toMatchObject({ total: 139 });
    for (const key of late) expect((await call('get_experience', { key })).abandoned_approaches).toHaveLength(1);
    await test.verifyAll();
  });
});
