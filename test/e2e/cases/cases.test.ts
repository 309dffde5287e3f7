import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memories } from '../../../projections/memories.js';
import { replayProjection } from '../../../projections/replay.js';
import { type OpenApp, PROJECTIONS } from '../../../services/app.js';
import { createLogger } from '../../../services/log.js';
import { type McpHttp, startMcpHttp } from '../../../services/mcp/http.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { snapshot } from '../../support/eventlog.js';
import { initialize, openSession, raw, rpc } from '../../support/mcp.js';
import { connectTools, keyOf, resultsOf, serve, type Tools } from '../app/client.js';

const remember = async ({ app }: Pick<OpenApp, 'app'>, content: string, more: object = {}): Promise<string> => {
  const stored = await app.commands.remember({ content, force: true, ...more }, { actor: 'test' });
  if (stored.status !== 'stored') throw new Error('not stored');
  return stored.key;
};

describe('S01 several tool calls in one turn (without log_abandoned, which comes later)', () => {
  it('each is done, in one order, and a restart changes nothing', async () => {
    const test = await openTestApp();
    const http = await serve(test.app);
    const tools = await connectTools(http.url);
    const older = keyOf(await tools.call('remember', { content: 'Ports are handed out by the platform team.' }));
    await tools.call('retag', { key: older, add: ['hot'] });
    const tags = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'b3', 'b4', 'b5'];
    const [services] = await Promise.all([
      Promise.all(
        Array.from({ length: 25 }, (_, n) =>
          tools.call('remember', { content: `Service ${n + 1} listens on port ${9_001 + n}`, project: 'ports', force: true }),
        ),
      ),
      Promise.all(tags.map((tag) => tools.call('retag', { key: older, add: [tag] }))),
    ]);
    expect(services.every(({ status }) => status === 'stored')).toBe(true);
    const look = async (from: Tools) => ({
      audit: await from.call('memory_audit', { project: 'ports', limit: 100 }),
      older: await from.call('explain_memory', { key: older }),
    });
    const before = await look(tools);
    expect(before.audit).toMatchObject({ total: 25, returned: 25 });
    expect([...(before.older.tags as string[])].sort()).toEqual([...tags, 'hot'].sort());
    const timeline = before.older.timeline as { n: number; event: string }[];
    expect(timeline.map(({ n }) => n)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
    expect(timeline.slice(1).every(({ event }) => event === 'MemoryRetagged')).toBe(true);
    await tools.close();
    await http.close();
    await test.close();
    const again = await test.another();
    const next = await serve(again.app);
    const back = await connectTools(next.url);
    expect(await look(back)).toEqual(before);
    await back.close();
    await next.close();
    await again.close();
    await test.end();
  });
});

describe('S02 two processes, one store (without update_project_state, which comes later)', () => {
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
    await two.close();
    await one.verifyAll();
    await one.end();
  });
});

describe('S03 punctuation in a project name (without briefing and delete_project, which come later)', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await openTestApp();
    await remember(test, 'The quay has 17 bollards.', { project: 'other' });
  });
  afterAll(async () => {
    await test.verifyAll();
    await test.end();
  });

  it.each([
    'my-project',
    'My-Project',
    '550e8400-e29b-41d4-a716-446655440000',
    'v2.0 beta',
    'a_b.c',
    '-lead',
    'trail-',
    'and',
    'OR',
    'NOT x',
    '10',
    '1e5',
  ])('%s is a project of its own', async (project) => {
    const content = `The quay has ${project.length} bollards.`;
    const stored = await test.app.commands.remember({ content, project }, test.call);
    expect(stored.status).toBe('stored');
    const { results } = await test.app.queries.recall({ query: content, project_filter: project }, test.call);
    expect(results.map((found) => [found.project, found.content])).toEqual([[project, content]]);
    const audit = await test.app.queries.memoryAudit({ project }, test.call);
    expect(audit).toMatchObject({ total: 1, entries: [{ project }] });
  });

  it.each(['{a|b}', '@project:{x}', '*', 'a:b', 'a\\b', 'a"b', '../x', 'two\nlines', 'x'.repeat(201)])(
    '%j is refused by name',
    async (project) => {
      const size = await test.log.size();
      for (const call of [
        test.app.commands.remember({ content: 'x', project }, test.call),
        test.app.queries.recall({ query: 'quay', project_filter: project }, test.call),
        test.app.queries.memoryAudit({ project }, test.call),
        test.app.queries.findDuplicates({ project_filter: project }, test.call),
      ])
        await expect(call).rejects.toMatchObject({ code: 'VALIDATION', message: expect.stringContaining('A-Z a-z') });
      expect(await test.log.size()).toBe(size);
    },
  );
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

  it.each(['the  STAGING api listens on port 8080.', 'The staging API\nlistens on port 8080. ', 'Alice owns billing\u00a0'])(
    '%j is a true duplicate',
    async (text) => {
      const size = await test.log.size();
      expect(await test.app.commands.remember({ content: text }, test.call)).toMatchObject({ status: 'duplicate_found' });
      expect(await test.log.size()).toBe(size);
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

describe('S11 an answer that would be too large', () => {
  it('is cut at whole results, names what is left out, and still parses', async () => {
    const test = await openTestApp();
    const http = await serve(test.app);
    const tools = await connectTools(http.url);
    const paragraph = 'The dredger deepens the fairway each spring, and the pilots take soundings of the fairway afterwards. ';
    const keys: string[] = [];
    for (let n = 0; n < 60; n++)
      keys.push(await remember(test, `Sounding ${n}: ${paragraph.repeat(100)}`.slice(0, 9_000), { project: 'fairway' }));
    const huge = await remember(test, `The longest sounding: ${paragraph.repeat(600)}`.slice(0, 50_000), { project: 'fairway' });
    const tokens = (answer: unknown): number => JSON.stringify(answer).length / 3.5;
    const query = 'The dredger deepens the fairway, soundings';
    const bounded = async (tool: string, args: Record<string, unknown>, most = 25_000) => {
      const { content, structuredContent } = await tools.client.callTool({ name: tool, arguments: args });
      const [block] = content as { text: string }[];
      expect((block?.text.length ?? 0) / 3.5, tool).toBeLessThan(most);
      expect(tokens(structuredContent), tool).toBeLessThan(most);
      return structuredContent as Record<string, unknown>;
    };
    const recalled = await bounded('recall', { query, top_k: 50 });
    const shown = resultsOf(recalled);
    const { keys: left } = recalled.cut as { keys: string[] };
    expect(shown.length).toBeGreaterThan(1);
    expect(new Set([...shown.map(({ key }) => key), ...left]).size).toBe(50);
    for (let i = 1; i < shown.length; i++) expect(shown[i]?.score).toBeLessThanOrEqual(shown[i - 1]?.score ?? 0);
    expect(shown.every(({ content }) => content.length >= 9_000)).toBe(true);
    await bounded('recall_index', { query, top_k: 50, snippet_length: 500 });
    await bounded('memory_audit', { limit: 500 });
    await bounded('find_duplicates', { project_filter: 'fairway' });
    const detail = await bounded('recall_detail', { keys: keys.slice(0, 50) });
    const rest = (detail.cut as { keys: string[] }).keys;
    expect(resultsOf(detail).length + rest.length).toBe(50);
    expect(resultsOf(await bounded('recall_detail', { keys: rest.slice(0, 1) }))[0]?.key).toBe(rest[0]);
    expect(resultsOf(await bounded('recall_detail', { keys: [huge] }))[0]).toMatchObject({ key: huge });
    await bounded('recall', { query, top_k: 50, max_tokens: 4_000 }, 4_100);
    await tools.close();
    await http.close();
    await test.verifyAll();
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

describe('S14 replay over what is already there (without enrichment and feeds, which come later)', () => {
  it('appends nothing and changes nothing, however often, also while clients write', async () => {
    const test = await openTestApp();
    const { redis, keys } = test;
    const made = await Promise.all(
      Array.from({ length: 120 }, (_, n) => remember(test, `Entry ${n} of the pilot's diary.`, { tags: ['diary'] })),
    );
    await Promise.all(made.slice(0, 30).map((key, n) => test.app.commands.retag({ key, add: [`t${n}`] }, test.call)));
    for (const key of made.slice(30, 35)) await test.app.commands.deprioritise({ key_or_query: key, reason: 'old' }, test.call);
    for (const key of made.slice(35, 38)) await test.app.commands.forget({ key_or_query: key, confirm: true, keys: [key] }, test.call);
    const look = async () => ({
      audit: await test.app.queries.memoryAudit({ limit: 500 }, test.call),
      some: await test.app.queries.recallDetail({ keys: made.slice(25, 40) }, test.call),
      one: await test.app.queries.explainMemory({ key: made[31] ?? '' }, test.call),
    });
    const before = await look();
    const size = await test.log.size();
    for (let round = 0; round < 2; round++)
      for (const projection of PROJECTIONS) {
        let reading = true;
        const replaying = replayProjection(redis, keys, projection.name, Date.now()).finally(() => {
          reading = false;
        });
        while (reading) expect((await test.app.queries.memoryAudit({ limit: 500 }, test.call)).total).toBe(117);
        await replaying;
        expect(await look()).toEqual(before);
        expect(await test.log.size()).toBe(size);
      }
    await test.verifyAll();
    const [replayed, late] = await Promise.all([
      replayProjection(redis, keys, memories.name, Date.now()),
      Promise.all(Array.from({ length: 20 }, (_, n) => remember(test, `Late entry ${n} of the diary.`))),
    ]);
    expect(replayed).toBeGreaterThan(1);
    expect((await test.app.queries.recallDetail({ keys: late }, test.call)).results.every((found) => !('status' in found))).toBe(true);
    await test.verifyAll();
    // Old generations go; no key is left that nobody knows.
    expect([...(await snapshot(redis, keys)).keys()].length).toBeGreaterThan(0);
    await test.end();
  });
});
