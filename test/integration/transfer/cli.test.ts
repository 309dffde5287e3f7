import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { built, endOf, environment, launch, newFolder, omnimem, processesOn, running } from '../../e2e/cli/run.js';
import { fixture, folder } from './support.js';

const dataDir = newFolder();
const env = environment(dataDir);
const place = folder();
beforeAll(built, 120_000);
afterAll(() => {
  place[Symbol.dispose]();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('omnimem import and export', { timeout: 120_000 }, () => {
  it('import, tell what they did, do nothing the second time, and export what comes back', async () => {
    const aside = place.in('aside.json');
    const first = await omnimem(['import', fixture('omnimem-6.6.json'), '--set-aside', aside], env);
    expect(first.err).toBe('');
    expect(first.code).toBe(0);
    expect(first.out).toMatch(/imported {7}9 memories: 5 episodic, 1 project, 1 preference, 2 knowledge/);
    expect(first.out).toContain(`Set aside in ${aside}:`);
    expect(first.out).toMatch(/set +1 project contexts\n(.*\n)*.*1 × article: this version has no events/);
    expect(processesOn(dataDir)).toEqual([]);

    const server = launch(['start', '--json'], env);
    await running(server);
    const second = await omnimem(['--json', 'import', fixture('omnimem-6.6.json'), '--set-aside', aside], env);
    expect(JSON.parse(second.out)).toMatchObject({ status: 'unchanged', existing: 9 });

    const out = await omnimem(['export'], env);
    expect(Object.keys(JSON.parse(out.out).data)).toHaveLength(9 + 1 + 2);
    const to = place.in('out.json');
    expect((await omnimem(['export', '--to', to], env)).out).toContain('9 memories, 2 suppressed topics, 1 project contexts');
    expect(JSON.parse(readFileSync(to, 'utf8')).data).toEqual(JSON.parse(out.out).data);
    expect((await omnimem(['export', '--to', to], env)).code).toBe(1);
    const ended = endOf(server);
    server.kill('SIGINT');
    await ended;
  });

  it('exit with what a shell can tell apart', async () => {
    writeFileSync(place.in('bad.jsonl'), '{"type":"entity","name":"A","entityType":"b","observations":["c"]}\nbroken\n');
    const refused = await omnimem(['import', place.in('bad.jsonl')], env);
    expect([refused.code, refused.out]).toEqual([1, expect.stringContaining('line 2: The line is no JSON')]);
    const again = await omnimem(['import', place.in('bad.jsonl')], env);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('Refused (1 of them by an earlier import too)')]);
    for (const args of [
      ['import', place.in('nothing.json')],
      ['import', fixture('memory.jsonl'), '--from', 'elsewhere'],
      ['export', '--format', 'pdf'],
      ['export', '--format', 'markdown'],
    ])
      expect((await omnimem(args, env)).code).toBe(2);
  });

  it.runIf(existsSync('/dev/full'))('a disk that takes no more is told alike by all that write', async () => {
    const server = launch(['start', '--json'], env);
    await running(server);
    try {
      // Of a file of more than a block the system writes the first, and then says that it takes no more.
      const limited = (...args: string[]) =>
        spawnSync('sh', ['-c', 'ulimit -f 1; exec "$0" "$@"', process.execPath, 'bin/omnimem.mjs', ...args], { env, encoding: 'utf8' });
      for (const args of [
        ['export', '--to', place.in('full.json')],
        ['export', '--format', 'markdown', '--to', place.in('full-vault')],
        ['backup', '--to', place.in('full-backups')],
      ]) {
        const { status, stderr } = limited(...args);
        expect([args[0], status, stderr]).toEqual([args[0], 4, expect.stringMatching(/larger than the disk takes/)]);
      }
      expect(existsSync(place.in('full.json'))).toBe(false);
      const full = openSync('/dev/full', 'w');
      const { status, stderr } = spawnSync(process.execPath, ['bin/omnimem.mjs', 'export'], {
        env,
        stdio: ['ignore', full, 'pipe'],
        encoding: 'utf8',
      });
      closeSync(full);
      expect([status, stderr]).toEqual([4, expect.stringMatching(/^Standard output cannot be written: the disk is full \(ENOSPC\)\n/)]);
    } finally {
      const ended = endOf(server);
      server.kill('SIGINT');
      await ended;
    }
  });

  it('may be interrupted at any moment and finished by another run', async () => {
    const data = Array.from({ length: 2_000 }, (_, i) => [
      `mem:episodic:01HZX3V0000000000000B${String(i).padStart(5, '0')}`,
      { content: `Buoy ${i}.` },
    ]);
    writeFileSync(place.in('many.json'), JSON.stringify({ metadata: {}, data: Object.fromEntries(data) }));
    const child = launch(['--json', 'import', place.in('many.json')], env);
    let out = '';
    child.stdout?.on('data', (chunk) => {
      out += String(chunk);
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    // By then it listens for Ctrl-C, and is about to import.
    while (!existsSync(join(dataDir, 'instance.json'))) await sleep(20);
    await sleep(400);
    child.kill('SIGINT');
    const code = await ended;
    expect([0, 130]).toContain(code);
    if (out !== '') expect(JSON.parse(out).status).toBe(code === 130 ? 'interrupted' : 'imported');
    const again = JSON.parse((await omnimem(['--json', 'import', place.in('many.json')], env)).out);
    expect(again.imported + again.existing).toBe(data.length);
    expect(JSON.parse((await omnimem(['--json', 'import', place.in('many.json')], env)).out)).toMatchObject({
      status: 'unchanged',
      existing: data.length,
    });
    expect(processesOn(dataDir)).toEqual([]);
  });
});
