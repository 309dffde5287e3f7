import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replayProjection } from '../../../projections/replay.js';
import type { OpenApp } from '../../../services/app.js';
import { createLogger } from '../../../services/log.js';
import { type McpHttp, startMcpHttp } from '../../../services/mcp/http.js';
import { PROJECTIONS } from '../../../services/views.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventsTold } from '../../support/eventlog.js';
import { initialize, openSession, raw, rpc } from '../../support/mcp.js';
import { connectTools, resultsOf, serve } from '../app/client.js';

const remember = async ({ app }: Pick<OpenApp, 'app'>, content: string, more: object = {}): Promise<string> => {
  const stored = await app.commands.remember({ content, force: true, ...more }, { actor: 'test' });
  if (stored.status !== 'stored') throw new Error('not stored');
  return stored.key;
};

describe('S02 two processes, one store', () => {
  it('each sees what the other wrote, and nothing is undone', async () => {
    const one = await openTestApp();
    const two = await one.another();
    await two.app.whenReady(30_000);
    const both = [one, two] as const;
    const keys = (
      await Promise.all(
        both.map(async (process, p) => {
          const mine: string[] = [];
          for (let n = 0; n < 20; n++) mine.push(await remember(process, `Process ${p} wrote line ${n} of the logbook.`));
          return mine;
        }),
      )
    ).flat();
    for (const process of both) {
      expect(await process.app.queries.memoryAudit({ limit: 100 }, one.call)).toMatchObject({ total: 40 });
      expect((await process.app.queries.recall({ query: 'Process 1 wrote line 19 of the logbook.' }, one.call)).results[0]?.key).toBe(
        keys[39],
      );
      expect((await process.app.queries.recall({ query: 'Process 0 wrote line 7 of the logbook.' }, one.call)).results[0]?.key).toBe(
        keys[7],
      );
    }
    // Both change one memory at once, and the same texts at once.
    const [shared = ''] = keys;
    await Promise.all(
      both.flatMap((process, p) => [0, 1].map((n) => process.app.commands.retag({ key: shared, add: [`p${p}n${n}`] }, one.call))),
    );
    const [detail] = (await one.app.queries.recallDetail({ keys: [shared] }, one.call)).results;
    expect(detail).toMatchObject({ tags: expect.arrayContaining(['p0n0', 'p0n1', 'p1n0', 'p1n1']) });
    const twins = await Promise.all(both.map((process) => process.app.commands.remember({ content: 'Said by both at once.' }, one.call)));
    expect(twins.map(({ status }) => status).sort()).toEqual(['duplicate_found', 'stored']);
    // Hazard 8: what one suppresses the other leaves out; and what one forgets the other does not find.
    await one.app.commands.suppressTopic({ topic: 'logbook' }, one.call);
    expect((await two.app.queries.recall({ query: 'Process 1 wrote line 19 of the logbook.' }, one.call)).results).toEqual([]);
    await two.app.commands.unsuppressTopic({ topic: 'logbook' }, one.call);
    expect((await one.app.queries.recall({ query: 'Process 1 wrote line 19 of the logbook.' }, one.call)).results[0]?.key).toBe(keys[39]);
    await two.app.commands.forget({ key_or_query: keys[39] ?? '', confirm: true, keys: [keys[39] ?? ''] }, one.call);
    expect(
      (await one.app.queries.recall({ query: 'Process 1 wrote line 19 of the logbook.' }, one.call)).results.map(({ key }) => key),
    ).not.toContain(keys[39]);
    // What one records as given up warns in the other, and its name is suppressed there; so is what one says of a project.
    const dead = { name: 'Telegraph', type: 'tool', reason: 'the cable broke' } as const;
    await one.app.commands.recordExperience({ key: shared, effort_score: 5, outcome: 'abandoned', abandoned_approaches: [dead] }, one.call);
    expect(await two.app.queries.warnIfAbandoned({ query: 'use the telegraph?' }, one.call)).toMatchObject({ total: 1 });
    expect(await two.app.queries.listSuppressions({}, one.call)).toMatchObject({ suppressed_topics: ['telegraph'] });
    await two.app.commands.unsuppressTopic({ topic: 'telegraph' }, one.call);
    const texts = { description: 'Two', stack: 'Any', goals: 'One', current_state: 'Begun.' };
    await one.app.commands.setProjectContext({ project_name: 'both', ...texts }, one.call);
    const update = (process: OpenApp, current_state: string) =>
      process.app.commands.updateProjectState({ project_name: 'both', current_state, version: 1 }, one.call);
    const raced = await Promise.allSettled([update(one, 'One was here.'), update(two, 'Two was here.')]);
    expect(raced.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(raced.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'CONFLICT' } });
    // Both record on one memory at once: nothing of either is lost.
    await Promise.all(
      both.flatMap((process, p) =>
        [0, 1, 2].map((n) =>
          process.app.commands.logAbandoned({ key: shared, name: `pigeon ${p}${n}`, type: 'tool', reason: 'hawks' }, one.call),
        ),
      ),
    );
    const known = await two.app.queries.getExperience({ key: shared }, one.call);
    expect(known).toMatchObject({ status: 'found', abandoned_approaches: expect.toSatisfy((all: readonly unknown[]) => all.length === 7) });
    await two.close();
    await one.verifyAll();
    await one.end();
  });
});

describe('S04 a correction is not swallowed as a duplicate', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await openTestApp();
  });
  afterAll(async () => {
    await test.verifyAll();
    await test.end();
  });

  it.each([
    ['The staging API listens on port 8080.', 'The staging API listens on port 8081.'],
    ['Release branch is cut on Tuesdays', 'Release branch is cut on Thursdays'],
    ['Use pnpm 9.1 for this repo', 'Use pnpm 9.2 for this repo'],
    ['Do not run migrations on start', 'Run migrations on start'],
    ['Alice owns billing', 'Bob owns billing'],
  ])('%s / %s', async (first, second) => {
    const old = await test.app.commands.remember({ content: first }, test.call);
    if (old.status !== 'stored') throw new Error('not stored');
    const fresh = await test.app.commands.remember({ content: second }, test.call);
    if (fresh.status === 'stored') {
      expect(fresh.contradiction_warning).toMatchObject({
        existing_key: old.key,
        existing_content: first,
        explanation: expect.stringContaining('revise'),
      });
      const { results } = await test.app.queries.recall({ query: second }, test.call);
      expect(results[0]?.content).toBe(second);
    } else
      expect(fresh).toMatchObject({
        existing_key: old.key,
        existing_content: first,
        hint: expect.stringMatching(/Nothing was stored.*revise/),
      });
  });

  it('asked which port it is, recall shows both, the correction too; the flag stands until it is settled', async () => {
    const { results } = await test.app.queries.recall({ query: 'which port does the staging API use?' }, test.call);
    expect(results.map(({ content }) => content)).toEqual(
      expect.arrayContaining(['The staging API listens on port 8080.', 'The staging API listens on port 8081.']),
    );
    const { contradictions } = await test.app.commands.checkContradictions({ query: 'staging API port' }, test.call);
    const pair = contradictions.find(({ content_a }) => content_a.includes('staging'));
    expect([pair?.content_a, pair?.content_b].sort()).toEqual([
      'The staging API listens on port 8080.',
      'The staging API listens on port 8081.',
    ]);
    const fresh = pair?.content_a.includes('8081') ? pair.key_a : pair?.key_b;
    await test.app.commands.resolveContradiction({ key_a: pair?.key_a ?? '', key_b: pair?.key_b ?? '', keep: fresh }, test.call);
    const after = await test.app.queries.recall({ query: 'which port does the staging API use?' }, test.call);
    expect(after.results[0]).toMatchObject({ key: fresh, content: 'The staging API listens on port 8081.' });
  });

  it('a copy is suggested and never dropped in silence: it is answered, archived only by maintenance, and comes back', async () => {
    const first = 'Deploys run from the main branch at noon';
    const key = await remember(test, first);
    expect(await test.app.commands.remember({ content: `${first}.` }, test.call)).toMatchObject({
      status: 'duplicate_found',
      existing_key: key,
      existing_content: first,
    });
    const copy = await remember(test, `${first}.`);
    const { clusters } = await test.app.queries.findDuplicates({}, test.call);
    expect(clusters.flatMap(({ memories }) => memories.map((memory) => memory.key))).toEqual(expect.arrayContaining([key, copy]));
    const ran = await test.app.commands.maintain({}, test.call);
    expect(ran.duplicates_archived).toContainEqual(expect.objectContaining({ key, kept: copy }));
    await test.app.commands.undo({ correlation: ran.correlation ?? '' }, test.call);
    const details = await test.app.queries.recallDetail({ keys: [key, copy] }, test.call);
    expect(details.results).toMatchObject([{ state: 'active' }, { state: 'active' }]);
  });

  it.each(['the  STAGING api listens on port 8080.', 'The staging API\nlistens on port 8080. ', 'Alice owns billing\u00a0'])(
    '%j is a true duplicate',
    async (text) => {
      const size = await eventsTold(test.log);
      expect(await test.app.commands.remember({ content: text }, test.call)).toMatchObject({ status: 'duplicate_found' });
      expect(await eventsTold(test.log)).toBe(size);
    },
  );

  it('hazard 10: texts that share only common words are not flagged', async () => {
    await remember(test, 'Use tabs with care in Makefiles');
    const stored = await test.app.commands.remember({ content: 'Use the staging cluster with the blue banner' }, test.call);
    expect(stored).toMatchObject({ status: 'stored' });
    expect(stored).not.toHaveProperty('contradiction_warning');
  });
});

/** A connection of the old server that is still in the pool breaks at its next use, as it would for any client. */
const freshly = <T>(request: () => Promise<T>): Promise<T> => request().catch(request);

describe('S08 the session that the server has forgotten', () => {
  it('is answered 404 by each method, a missing id 400, and initialize opens a new one; no write is lost', async () => {
    const test = await openTestApp();
    const first = await serve(test.app);
    const dead = await openSession(first.url);
    const { port } = first;
    await first.close();
    const http: McpHttp = await startMcpHttp({
      app: test.app,
      log: createLogger({ level: 'silent' }),
      config: { host: '127.0.0.1', port, allowedHosts: [], allowedOrigins: [], maxResponseTokens: 20_000, toolset: 'full' },
    });
    const old = { 'Mcp-Session-Id': dead };
    for (const [method, body] of [
      ['POST', rpc('tools/list')],
      ['POST', { jsonrpc: '2.0', method: 'notifications/initialized' }],
      ['GET', undefined],
      ['DELETE', undefined],
    ] as const) {
      const answer = await freshly(() => raw(http.url, method, old, body));
      expect([method, answer.status, answer.body.error?.code !== undefined]).toEqual([method, 404, true]);
    }
    expect((await raw(http.url, 'POST', { 'MCP-Protocol-Version': '2025-11-25' }, rpc('tools/list'))).status).toBe(400);
    const opened = await raw(http.url, 'POST', old, initialize());
    expect(opened.status).toBe(200);
    expect(opened.headers.get('mcp-session-id')).not.toBe(dead);
    await using tools = await connectTools(http.url);
    const stored = await tools.call('remember', { content: 'Written after the restart.' });
    expect(resultsOf(await tools.call('recall', { query: 'Written after the restart.' }))[0]?.key).toBe(stored.key);
    await tools.close();
    await http.close();
    await test.end();
  });
});

describe('S13 one poison event stops nothing else', () => {
  it('the damaged memory waits, others go on, a mended store heals', async () => {
    const test = await openTestApp();
    const { redis, keys, log } = test;
    const damaged = await remember(test, 'The crane lifts nine tons.');
    const entry = (await redis.xrange(keys.log, '-', '+')).find(([, values]) => values.includes(damaged));
    const fields = (changes: Record<string, string>): string[] => {
      const copy = [...(entry?.[1] ?? [])];
      for (const [name, value] of Object.entries(changes)) copy[copy.indexOf(name) + 1] = value;
      return copy;
    };
    const version = await redis.hget(keys.payloads(damaged), 'v');
    await redis.hset(keys.payloads(damaged), '2', 'unreadable', 'v', '2');
    const bad = [
      await redis.xadd(keys.log, '*', ...fields({ type: 'MemoryRevised', n: '2', id: '01ARZ3NDEKTSV4RRFFQ69G5FA1' })),
      await redis.xadd(keys.log, '*', ...fields({ type: 'MemoryTeleported', subject: 'mem:episodic:01ARZ3NDEKTSV4RRFFQ69G5FAV', n: '1' })),
      await redis.xadd(keys.log, '*', ...fields({ v: '99', subject: 'mem:episodic:01ARZ3NDEKTSV4RRFFQ69G5FAW', n: '1' })),
      await redis.xadd(keys.log, '*', 'nothing', 'of ours'),
    ];
    const other = await remember(test, 'The crane driver has lunch at noon.');
    expect((await test.app.queries.recall({ query: 'The crane driver has lunch at noon.' }, test.call)).results[0]?.key).toBe(other);
    await expect(test.app.commands.retag({ key: damaged, add: ['late'] }, test.call)).rejects.toMatchObject({
      code: expect.not.stringMatching(/^$/),
    });
    const { issues, status } = await test.app.queries.health();
    expect(status).toBe('red');
    expect(issues.find(({ code }) => code === 'DEAD_LETTERS')?.message).toContain(damaged);
    const { body } = await test.app.metrics();
    expect(Number(/omnimem_dead_letters\{projection="memories"\} (\d+)/.exec(body)?.[1])).toBeGreaterThanOrEqual(4);
    // A restart neither retries in a loop nor drops anything in silence.
    const letters = await redis.xlen(keys.deadLetter);
    const next = await test.another();
    await next.app.whenReady(30_000);
    expect((await next.app.queries.recall({ query: 'The crane driver has lunch at noon.' }, test.call)).results[0]?.key).toBe(other);
    expect(await redis.xlen(keys.deadLetter)).toBe(letters);
    await next.close();
    // Mended: the entries are taken out and the payload as well, then a replay.
    await redis.xdel(keys.log, ...(bad as string[]));
    await redis.hdel(keys.payloads(damaged), '2');
    await redis.hset(keys.payloads(damaged), 'v', version ?? '1');
    for (const projection of PROJECTIONS) await replayProjection(redis, keys, projection.name, Date.now());
    expect(await test.app.commands.retag({ key: damaged, add: ['late'] }, test.call)).toMatchObject({ status: 'updated' });
    await expect
      .poll(async () => (await test.app.queries.recall({ query: 'The crane lifts nine tons.' }, test.call)).results[0], { timeout: 30_000 })
      .toMatchObject({
        key: damaged,
        tags: ['late'],
      });
    await expect
      .poll(async () => (await test.app.queries.health()).issues.filter(({ code }) => /DEGRADED|DEAD/.test(code)), { timeout: 30_000 })
      .toEqual([]);
    await test.verifyAll();
    expect(log.logId).not.toBe('');
    await test.end();
  });
});
