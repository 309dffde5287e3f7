import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { built, endOf, environment, launch, leftOver, newFolder, omnimem, remove, until } from './run.js';

let folder: string;
let env: NodeJS.ProcessEnv;
beforeAll(built);
beforeEach(() => {
  folder = newFolder();
  env = environment(folder);
});
afterEach(() => remove(folder));

describe('without a running instance', () => {
  it('two commands at once share one, and leave nothing', async () => {
    const ran = await Promise.all(['one', 'two'].map((word) => omnimem(['remember', `The ${word} thing to know`, '--force'], env)));
    expect(ran.map(({ code, err }) => [code, err])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    expect(leftOver(folder)).toEqual([]);
    const { out, code } = await omnimem(['verify', '--json'], env);
    expect(code).toBe(0);
    expect(JSON.parse(out).views.find(({ projection }: { projection: string }) => projection === 'memories')).toMatchObject({ rows: 2 });
    expect(leftOver(folder)).toEqual([]);
  });

  it('Ctrl-C ends log --follow, which has shown what others wrote', async () => {
    const following = launch(['log', '--follow', '--json', '--type', 'MemoryRemembered'], env);
    let out = '';
    following.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    const ended = endOf(following);
    expect((await omnimem(['remember', 'Seen while following'], env)).code).toBe(0);
    await until(() => out.includes('Seen while following'), 'the follower prints the new event');
    expect(out.trim().split('\n')).toHaveLength(1);
    following.kill('SIGINT');
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(leftOver(folder)).toEqual([]);
  });

  it.each(['SIGINT', 'SIGKILL'] as const)('%s while one is being started leaves none behind', async (signal) => {
    const child = launch(['recall', 'anything'], env);
    const ended = endOf(child);
    await until(() => existsSync(join(folder, 'omnimem.log')), 'an instance is being started');
    child.kill(signal);
    expect(await ended).toEqual(signal === 'SIGINT' ? { code: 130, signal: null } : { code: null, signal });
    await until(() => leftOver(folder).length === 0, 'the instance has gone');
  });

  it('says why none can be started, and exits with 4', async () => {
    writeFileSync(join(folder, 'valkey'), 'a file where a folder should be');
    const { code, err, out } = await omnimem(['recall', 'anything', '--json'], env);
    expect({ code, out }).toEqual({ code: 4, out: '' });
    expect(JSON.parse(err).error).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('valkey') });
    expect(leftOver(folder)).toEqual([]);
  });

  it('says at once why its memory cannot be opened; the doctor knows it too', async () => {
    const asking = { ...env, OMNIMEM_VECTOR_ENGINE: 'valkey' };
    const { code, err } = await omnimem(['health'], asking);
    expect(code).toBe(4);
    expect(err).toContain('OMNIMEM_VECTOR_ENGINE is valkey, and this server cannot search vectors');
    expect(err).not.toContain('ECONNRESET');
    expect(leftOver(folder)).toEqual([]);
    const doctor = await omnimem(['doctor'], asking);
    expect(doctor.code).toBe(1);
    expect(doctor.out).toContain('loads no search module');
  });

  it('the doctor and the model fetch start none', async () => {
    const doctor = await omnimem(['doctor', '--json'], env);
    expect(doctor.code).toBe(0);
    const { ok, findings } = JSON.parse(doctor.out);
    expect(ok).toBe(true);
    expect(findings.map(({ part }: { part: string }) => part)).toEqual(
      expect.arrayContaining(['node', 'settings', 'data folder', 'disk', 'instance', 'valkey', 'model', 'memory', 'context']),
    );
    writeFileSync(join(folder, 'file'), '');
    const sick = await omnimem(['doctor'], environment(join(folder, 'file', 'below'), { OMNIMEM_FOO: '1' }));
    expect(sick.code).toBe(1);
    expect(sick.out).toMatch(/! settings +OMNIMEM_FOO/);
    expect(sick.out).toMatch(/✗ data folder/);
    const nowhere = environment(folder, { OMNIMEM_MODEL_DIR: folder, HF_ENDPOINT: 'http://127.0.0.1:9', PATH: '/nonexistent' });
    expect((await omnimem(['model', 'fetch'], nowhere)).code).toBe(4);
  });
});
