import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeys } from '../../../projections/keys.js';
import { connect } from '../../../services/valkey/client.js';
import { built, endOf, environment, launch, leftOver, newFolder, omnimem, type Ran, remove, running } from './run.js';

const folder = newFolder();
const env = environment(folder);
let server: ChildProcess | undefined;

beforeAll(async () => {
  await built();
  server = launch(['start', '--json'], env);
  await running(server);
});
afterAll(async () => {
  if (!server) return; // it did not even start
  const ended = endOf(server);
  server.kill('SIGINT');
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(leftOver(folder)).toEqual([]);
  remove(folder);
});

const run = (...args: string[]): Promise<Ran> => omnimem(args, env);
const json = async (...args: string[]) => {
  const { code, out, err } = await run(...args, '--json');
  expect(err).toBe('');
  return { code, value: JSON.parse(out) };
};

describe('a memory, from first to last', () => {
  let key: string;

  it('is remembered from arguments, with project and tags', async () => {
    const { code, value } = await json('remember', 'Staging', 'listens on port 8081', '-p', 'shop', '-t', 'ports', '-t', 'staging');
    expect(code).toBe(0);
    expect(value).toMatchObject({ status: 'stored', namespace: 'episodic' });
    key = value.key;
  });

  it('is not remembered twice: exit code 1', async () => {
    const { code, out } = await run('remember', 'STAGING listens on  port 8081', '-p', 'shop');
    expect(code).toBe(1);
    expect(out).toContain(key);
  });

  it('is remembered from standard input, and a long text in parts', async () => {
    const fromInput = await omnimem(['remember'], env, 'Bob deploys on Tuesdays\n');
    expect(fromInput.out).toMatch(/^Stored mem:episodic:/);
    const text = 'First part about ovens.\n\nSecond part about kilns.';
    const { out } = await omnimem(['remember', '--document', '--json'], env, text);
    expect(JSON.parse(out)).toMatchObject({ chunks_stored: expect.any(Number), keys: expect.any(Array) });
  });

  it('is recalled, in full and short, within its project only', async () => {
    const human = await run('recall', 'staging port');
    expect(human.code).toBe(0);
    expect(human.out).toContain('Staging listens on port 8081');
    expect(human.out).toContain('project shop · tags ports, staging');
    expect((await json('recall', 'staging port', '--short', '--scores', '-k', '3')).value.results[0]).toMatchObject({
      key,
      snippet: expect.stringContaining('8081'),
      score_breakdown: expect.anything(),
    });
    expect((await json('recall', 'staging port', '-p', 'other')).code).toBe(3);
    expect((await run('recall', 'xylophone')).code).toBe(3);
  });

  it('is in the briefing of its project, now and as of a moment', async () => {
    const human = await run('briefing', 'shop');
    expect(human).toMatchObject({ code: 0, err: '' });
    expect(human.out).toMatch(/^# Project shop\n[\s\S]*## Newest memories\n- \d{4}-\d\d-\d\d Staging listens on port 8081 \[mem:episodic:/);
    expect((await json('briefing', '--all')).value.recent_memories.map((memory: { key: string }) => memory.key)).toContain(key);
    expect((await json('briefing')).value.project_context).toMatchObject({
      name: expect.any(String),
      note: expect.stringContaining('not_found'),
    });
    const before = await run('at', '1d', 'briefing', 'shop');
    expect(before.code).toBe(0);
    expect(before.out).not.toContain('8081');
    expect((await run('briefing', 'a/b')).code).toBe(2);
  });

  it('has a timeline, and the log shows it', async () => {
    const human = await run('timeline', key);
    expect(human.out).toMatch(/1 {2}\d{4}-.*Z {2}MemoryRemembered/);
    expect((await json('timeline', key)).value).toMatchObject({ status: 'found', timeline: [{ event: 'MemoryRemembered' }] });
    expect((await json('timeline', 'mem:episodic:01ARZ3NDEKTSV4RRFFQ69G5FAV')).code).toBe(3);
    expect((await run('log', '--subject', key)).out).toContain('content=Staging listens on port 8081');
  });

  it('the log is filtered by type, actor, subject and time, newest last', async () => {
    const lines = async (...args: string[]) => {
      const { out } = await run('log', '--json', ...args);
      return out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
    };
    const all = await lines('--all');
    expect(all.map(({ position }) => position)).toEqual(all.map(({ position }) => position).sort());
    expect(await lines('--subject', key)).toEqual([expect.objectContaining({ subject: key, type: 'MemoryRemembered' })]);
    expect(
      (await lines('--subject', 'mem:*', '--type', 'MemoryRemembered', '--actor', '*', '--since', '1h')).length,
    ).toBeGreaterThanOrEqual(3);
    expect(await lines('--limit', '1')).toEqual([all.at(-1)]);
    expect((await run('log', '--since', '2020-01-01', '--until', '2020-01-02')).code).toBe(3);
  });

  it('is forgotten only with --confirm and its key', async () => {
    const preview = await run('forget', key);
    expect(preview.code).toBe(0);
    expect(preview.out).toContain(`omnimem forget --confirm ${key}`);
    expect((await json('recall', 'staging port')).code).toBe(0);
    expect((await run('forget', '--confirm', 'staging port')).code).toBe(2);
    expect((await json('forget', '--confirm', key)).value).toMatchObject({ status: 'deleted', deleted_keys: [key] });
    expect((await json('recall', 'staging port')).code).toBe(3);
    expect((await json('forget', key)).code).toBe(3);
    expect((await run('log', '--subject', key)).out).toContain('(erased)');
  });
});

describe('the store', () => {
  it('is verified and replayed, view by view and all', async () => {
    expect((await run('verify')).out).toMatch(/✓ memories: \d+ rows, equal to its replay/);
    const { value } = await json('verify', '--projection', 'memories');
    expect(value).toMatchObject({ clean: true, views: [{ projection: 'memories', equal: true }] });
    const before = await json('replay', '--projection', 'memories');
    expect(before.value.replayed).toEqual([{ projection: 'memories', generation: expect.any(Number) }]);
    const { out, code } = await run('replay');
    expect(code).toBe(0);
    expect(out).toContain(`✓ memories: generation ${before.value.replayed[0].generation + 1} serves`);
    expect((await run('verify', '--projection', 'nothing')).code).toBe(2);
  });

  it('a view that was tampered with is found out, and mended by a replay', async () => {
    const { value: stored } = await json('remember', 'Kiln three needs a new thermocouple');
    const { value: replayed } = await json('replay', '--projection', 'memories');
    const { socket, mcpUrl } = JSON.parse(readFileSync(join(folder, 'instance.json'), 'utf8')) as { socket: string; mcpUrl: string };
    const metrics = async () => (await fetch(new URL('/metrics', mcpUrl))).text();
    const issues = async () => (await json('health')).value.issues as readonly { code: string; hint: string }[];
    expect(await issues()).not.toContainEqual(expect.objectContaining({ code: 'VERIFY_FAILED' }));
    const valkey = connect({ path: socket }, 'general');
    await valkey.hset(createKeys('local').row('memories', replayed.replayed[0].generation, stored.key), 'content', 'something else');
    valkey.disconnect();
    const found = await run('verify', '--projection', 'memories');
    expect(found.code).toBe(1);
    expect(found.out).toContain(`    ${stored.key}`);
    const issue = { code: 'VERIFY_FAILED', severity: 'red', hint: 'Run omnimem replay --projection memories' };
    expect(await issues()).toContainEqual(expect.objectContaining(issue));
    expect(await metrics()).toMatch(/^omnimem_verify_rows_differing\{projection="memories"\} 1$/m);
    expect((await run('replay', '--projection', 'memories')).code).toBe(0);
    expect(await issues()).not.toContainEqual(expect.objectContaining({ code: 'VERIFY_FAILED' }));
    expect((await json('verify', '--projection', 'memories')).value).toMatchObject({ clean: true });
    expect((await json('health')).value.projections.memories.verified).toMatchObject({ equal: true, rows_differing: 0 });
    const told = await metrics();
    for (const figure of [
      'verify_equal',
      'verify_timestamp_seconds',
      'replay_timestamp_seconds',
      'replay_duration_seconds',
      'replay_events_per_second',
    ])
      expect(told).toMatch(new RegExp(`^omnimem_${figure}\\{projection="memories"\\} [1-9\\d.e+-]+$`, 'm'));
    const head = Number(/^omnimem_log_head_timestamp_seconds (\S+)$/m.exec(told)?.[1]);
    expect(Math.abs(head - Date.now() / 1000)).toBeLessThan(120);
  });

  it('refuses a range that ends before it begins', async () => {
    for (const command of ['log', 'forget'])
      expect(await run(command, '--since', '1h', '--until', '2h')).toMatchObject({
        code: 2,
        err: expect.stringContaining('is later than'),
      });
  });

  it('is reindexed whole, and says for each namespace what it found', async () => {
    const { value, code } = await json('reindex');
    expect(code).toBe(0);
    expect(value).toMatchObject({ status: 'ok', total_phantoms_removed: 0, views: { memories: expect.any(Number) } });
    for (const { actual_records, after_num_docs } of value.reindexed) expect(after_num_docs).toBe(actual_records);
    expect((await run('reindex')).out).toMatch(/✓ \d+ views and the search index serve anew/);
  });

  it('is well', async () => {
    expect((await run('health')).out).toMatch(/^green/);
    expect((await json('health')).value).toMatchObject({ status: 'green' });
    const doctor = await run('doctor');
    expect(doctor.code).toBe(0);
    expect(doctor.out).toMatch(/✓ instance +process \d+, http/);
    expect(doctor.out).toMatch(/✓ memory +green/);
  });

  it('refuses another tenant, a second start, and a re-embedding without a model', async () => {
    const other = await omnimem(['recall', 'anything', '--json'], { ...env, OMNIMEM_TENANT: 'other' });
    expect(other.code).toBe(1);
    expect(JSON.parse(other.err).error.message).toContain('serves the tenant local');
    const second = await omnimem(['start'], env);
    expect(second.code).toBe(1);
    expect(second.err).toContain('already runs');
    expect((await run('reembed')).code).toBe(2);
  });
});

describe('usage', () => {
  it('help teaches: examples and exit codes', async () => {
    const { out, code } = await run('--help');
    expect(code).toBe(0);
    expect(out).toContain('Exit codes:');
    for (const command of [
      'start',
      'mcp',
      'remember',
      'recall',
      'forget',
      'timeline',
      'log',
      'verify',
      'replay',
      'reembed',
      'health',
      'doctor',
    ]) {
      expect(out).toContain(`\n  ${command}`);
    }
    expect((await run('help', 'log')).out).toContain('Examples:');
  });

  it.each([[['nothing']], [['recall']], [['log', '--since', 'soon']], [['recall', 'x', '--top-k', 'many']], [['mcp']]])(
    'wrong arguments exit with 2: %j',
    async (args) => {
      const { code, out } = await run(...args);
      expect({ code, out }).toEqual({ code: 2, out: '' });
    },
  );

  it('wrong settings exit with 2 and name the variable', async () => {
    const { code, err } = await omnimem(['health'], { ...env, MCP_PORT: 'many' });
    expect(code).toBe(2);
    expect(err).toContain('MCP_PORT');
  });
});
