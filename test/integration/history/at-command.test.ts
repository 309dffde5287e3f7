import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { built, endOf, environment, launch, newFolder, omnimem, remove } from '../../e2e/cli/run.js';

const folder = newFolder();
const env = environment(folder);
let server: ChildProcess;
let key: string;
let place: string;

const run = (...args: string[]) => omnimem(args, env);
const json = async (...args: string[]) => {
  const { code, out } = await run(...args, '--json');
  return { code, value: JSON.parse(out) };
};

beforeAll(async () => {
  await built();
  server = launch(['start', '--json'], env);
  await new Promise<void>((resolve) => server.stdout?.on('data', (chunk) => String(chunk).includes('"running":true') && resolve()));
  key = (await json('remember', 'Staging listens on port 8081', '-p', 'shop')).value.key;
  place = (await json('timeline', key)).value.timeline[0].position;
  await run('remember', 'Staging moved into another zone', '-p', 'shop');
  await json('log', '--limit', '1');
});
afterAll(async () => {
  const ended = endOf(server);
  server.kill('SIGINT');
  await ended;
  remove(folder);
});

describe('omnimem at', () => {
  it('recalls as of a place or a time', async () => {
    const then = await json('at', place, 'recall', 'staging', 'port', '-p', 'shop', '--scores');
    expect(then.code).toBe(0);
    expect(then.value).toMatchObject({ results: [{ key, score_breakdown: expect.anything() }], as_of: { position: place, exact: true } });
    const human = await run('at', place, 'recall', 'staging port', '--short', '-k', '3');
    expect(human.out).toContain(`(event ${place})`);
    expect(human.out).toContain('8081');
    expect(human.out).not.toContain('another zone');
    const before = await run('at', '1h', 'recall', 'staging port');
    expect(before.code).toBe(3);
    expect(before.out).toContain('log begins later');
  });

  it('takes the id of an event, as the log shows it', async () => {
    const lines = (await run('log', '--json', '--all')).out.trim().split('\n');
    const { id } = lines.map((line) => JSON.parse(line)).find(({ position }) => position === place);
    const then = await json('at', id, 'recall', 'staging', 'port', '-p', 'shop');
    expect(then).toMatchObject({ code: 0, value: { results: [{ key }], as_of: { position: place } } });
    expect(await run('at', '01KB5M1V8G3X9Y2Z4W6Q7R8S9T', 'audit')).toMatchObject({
      code: 3,
      err: expect.stringContaining('holds no event'),
    });
    const wrong = await run('at', 'yesterday', 'audit');
    expect(wrong).toMatchObject({ code: 2, err: expect.stringMatching(/place in the log.*id of an event/s) });
  });

  it('tells a memory’s history up to then', async () => {
    expect((await json('at', place, 'timeline', key)).value).toMatchObject({ status: 'found', timeline: [{ event: 'MemoryRemembered' }] });
    const before = await run('at', '2020-01-01', 'timeline', key);
    expect({ code: before.code, out: before.out }).toEqual({ code: 3, out: expect.stringContaining('No memory had the key') });
    expect((await run('timeline', key)).out).not.toContain('Recalls it appeared in');
    await run('recall', 'staging port');
    expect((await run('timeline', key)).out).toMatch(/Recalls it appeared in:\n {4}\d{4}-.*place 1 .*by cli {2}staging port/);
  });

  it('audits what was stored then', async () => {
    const human = await run('at', place, 'audit', '-p', 'shop');
    expect(human.out).toContain('1 active, 0 deprioritised, 0 archived');
    expect(human.out).toContain(key);
    expect((await json('at', place, 'audit', '-n', 'preference')).code).toBe(3);
  });

  it.each([
    [['at', 'soon', 'recall', 'x']],
    [['at', '2099-01-01', 'recall', 'x']],
    [['at', '1h', 'recall']],
    [['at', '1h', 'nonsense', 'x']],
    [['at', '1h']],
  ])('wrong arguments exit with 2: %j', async (args) => {
    const { code, out } = await run(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });
});
