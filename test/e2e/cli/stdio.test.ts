import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { built, environment, leftOver, newFolder, processesOn, remove, stdioHost, until } from './run.js';

let folder: string;
beforeAll(built);
beforeEach(() => {
  folder = newFolder();
});
afterEach(() => remove(folder));

const pidOf = (): number => JSON.parse(readFileSync(join(folder, 'instance.json'), 'utf8')).pid as number;

describe('omnimem mcp --stdio', () => {
  it('S02: two at the same moment share one instance and one store, and leave nothing', async () => {
    const hosts = [stdioHost(environment(folder)), stdioHost(environment(folder))] as const;
    await Promise.all(hosts.map((host) => host.initialize()));
    const stored = await Promise.all(
      hosts.flatMap((host, h) =>
        Array.from({ length: 20 }, (_, n) =>
          host.tool('remember', { content: `Editor ${h} noted item ${n}`, force: true, project: 's02' }),
        ),
      ),
    );
    expect(new Set(stored.map(({ key }) => key)).size).toBe(40);

    const [one, two] = hosts;
    const state = (current_state: string) => ({ project_name: 's02', current_state });
    const texts = { description: 'Two editors', stack: 'Any', goals: 'No lost update', current_state: 'Begun.' };
    await one.tool('set_project_context', { project_name: 's02', ...texts });
    // Each updates from the state that both read; then each at once with the version that both read.
    for (const host of hosts) expect(await host.tool('get_project_context', { project_name: 's02' })).toMatchObject({ version: 1 });
    expect(await one.tool('update_project_state', state('One is done.'))).toMatchObject({ status: 'updated', version: 2 });
    expect(await two.tool('update_project_state', state('Two is done.'))).toMatchObject({
      error: { code: 'CONFLICT', message: expect.stringContaining('One is done.'), hint: expect.stringContaining('version: 2') },
    });
    const raced = await Promise.all(
      hosts.map((host, h) => host.tool('update_project_state', { ...state(`Both are done, says ${h}.`), version: 2 })),
    );
    expect(raced.filter(({ status }) => status === 'updated')).toMatchObject([{ version: 3 }]);
    const won = raced.findIndex(({ status }) => status === 'updated');
    expect(raced[1 - won]).toMatchObject({ error: { code: 'CONFLICT', message: expect.stringContaining(`Both are done, says ${won}.`) } });
    // A session that read nothing is told what it replaced.
    const late = stdioHost(environment(folder));
    await late.initialize();
    expect(await late.tool('update_project_state', state('All is done.'))).toMatchObject({
      status: 'updated',
      replaced: { current_state: `Both are done, says ${won}.` },
    });
    expect(await late.close()).toBe(0);

    expect(processesOn(folder).filter((line) => line.includes('valkey-server'))).toHaveLength(1);
    expect(await Promise.all(hosts.map((host) => host.close()))).toEqual([0, 0]);
    expect(leftOver(folder)).toEqual([]);

    const again = stdioHost(environment(folder));
    await again.initialize();
    expect(await again.tool('memory_audit', { project: 's02', limit: 100 })).toMatchObject({ matching_total: 40 });
    const { timeline } = await again.tool('explain_memory', { key: 'mem:project:s02' });
    expect(timeline).toMatchObject([1, 2, 3, 4].map((n) => ({ n })));
    expect(await again.tool('get_project_context', { project_name: 's02' })).toMatchObject({ current_state: 'All is done.', version: 4 });
    expect(await again.close()).toBe(0);
    expect(leftOver(folder)).toEqual([]);
  });

  it('S09: every byte of standard output is protocol, whatever makes it talk', async () => {
    const env = environment(folder, {
      EMBEDDING: 'auto',
      OMNIMEM_MODEL_DIR: folder,
      HF_ENDPOINT: 'http://127.0.0.1:9',
      PATH: `${process.env.PATH}`,
      DEBUG: '*',
      NODE_OPTIONS: '--trace-warnings',
      OMNIMEM_FOO: '1',
      LOG_LEVEL: 'trace',
    });
    const host = stdioHost(env);
    host.raw('{"jsonrpc": "2.0", malformed');
    const opened = await host.initialize();
    expect(existsSync(join(folder, 'instance.json'))).toBe(false); // it waits for no instance
    expect(opened.result).toMatchObject({ serverInfo: { name: 'omnimem' } });
    const { result } = await host.ask('tools/list');
    expect(result?.tools).toContainEqual(expect.objectContaining({ name: 'remember' }));
    expect(await host.tool('remember', { content: 'The build cache lives in /var/cache/build' })).toMatchObject({ status: 'stored' });
    expect(await host.close()).toBe(0);

    const messages = host.lines.map((line) => JSON.parse(line) as { jsonrpc?: string; id?: unknown; error?: { code: number } });
    expect(messages.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
    expect(messages.filter(({ error }) => error)).toEqual([
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32700 }) }),
    ]);
    expect(host.stderr()).toContain('OMNIMEM_FOO');
    expect(leftOver(folder)).toEqual([]);
  });

  it('a killed client lets go of the instance; a killed instance is replaced and no acknowledged write is lost', async () => {
    const [one, two] = [stdioHost(environment(folder)), stdioHost(environment(folder))];
    await Promise.all([one.initialize(), two.initialize()]);
    expect(await one.tool('remember', { content: 'Alice owns the billing service' })).toMatchObject({ status: 'stored' });
    expect(await two.tool('recall', { query: 'billing' })).toMatchObject({ results: [{ content: 'Alice owns the billing service' }] });
    const first = pidOf();

    await one.kill('SIGKILL');
    expect(await two.tool('recall', { query: 'billing' })).toMatchObject({ results: [expect.anything()] });
    expect(pidOf()).toBe(first);

    process.kill(first, 'SIGKILL');
    expect(await two.tool('recall', { query: 'billing' })).toMatchObject({ results: [{ content: 'Alice owns the billing service' }] });
    expect(pidOf()).not.toBe(first);

    await two.kill('SIGKILL');
    await until(() => leftOver(folder).length === 0, 'the instance ends after its last client was killed');
  });
});
