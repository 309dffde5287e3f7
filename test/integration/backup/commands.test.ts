import type { ChildProcess } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { built, endOf, environment, launch, newFolder, omnimem, type Ran, remove, running } from '../../e2e/cli/run.js';

const [home, laptop, backups] = [newFolder(), newFolder(), newFolder()];
const servers: ChildProcess[] = [];

const start = async (folder: string): Promise<void> => {
  const child = launch(['start', '--json'], environment(folder));
  servers.push(child);
  await running(child);
};

beforeAll(async () => {
  await built();
  await Promise.all([start(home), start(laptop)]);
});
afterAll(async () => {
  await Promise.all(
    servers.map((server) => {
      const ended = endOf(server);
      server.kill('SIGINT');
      return ended;
    }),
  );
  for (const folder of [home, laptop, backups]) remove(folder);
});

const at = (folder: string, ...args: string[]): Promise<Ran> => omnimem(args, environment(folder));
const json = async (folder: string, ...args: string[]) => {
  const { code, out, err } = await at(folder, ...args, '--json');
  expect(err).toBe('');
  return { code, value: JSON.parse(out) };
};

describe('from one machine to another, while both servers run', () => {
  it('a backup is written, listed, checked and restored; the other server then recalls what the first one knew', async () => {
    expect((await at(home, 'remember', 'Staging listens on port 8081')).code).toBe(0);
    const { code, value } = await json(home, 'backup', '--to', backups, '--digests');
    expect(code).toBe(0);
    expect(value.report).toMatchObject({ path: expect.stringContaining(backups), events_added: value.report.events });
    expect((await at(home, 'backups', '--in', backups)).out).toContain(value.report.name);
    expect((await at(home, 'backups')).code).toBe(3);

    const checked = await at(laptop, 'restore', backups, '--dry-run');
    expect(checked).toMatchObject({ code: 0, out: expect.stringMatching(/Nothing was changed/) });
    expect((await at(laptop, 'recall', 'staging port')).code).toBe(3);
    const restored = await json(laptop, 'restore', backups);
    expect(restored.value).toMatchObject({
      status: 'restored',
      digests: { log: value.report.log_digest, payloads: value.digests.payloads },
    });
    await expect.poll(async () => (await at(laptop, 'recall', 'staging port')).out, { timeout: 15_000 }).toContain('8081');
    expect((await at(laptop, 'remember', 'The laptop knows more')).code).toBe(0);
    expect((await json(laptop, 'verify')).value).toMatchObject({ clean: true });
    const { value: health } = await json(laptop, 'health');
    expect(health.issues.map(({ code: issue }: { code: string }) => issue)).not.toContain('STORE_CHANGED');
  });

  it('two memories are merged, and a second restore is refused with exit code 1', async () => {
    const back = join(backups, 'laptop');
    await at(laptop, 'backup', '--to', back);
    const merged = await json(home, 'merge', back);
    expect(merged).toMatchObject({ code: 0, value: { status: 'merged', new: 1, equal: 1, differing: [] } });
    expect((await at(home, 'recall', 'laptop')).out).toContain('The laptop knows more');
    const refused = await at(laptop, 'restore', backups);
    expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/1 events more; a restore never makes history shorter/) });
  });

  it('an earlier moment is put into a tenant of its own', async () => {
    const { value } = await json(home, 'restore', backups, '--into', 'past', '--until', '2020-01-01');
    expect(value).toMatchObject({ status: 'unchanged', events_restored: 0 });
    expect(await at(home, 'restore', backups, '--into', 'past', '--until', '2020-01-01')).toMatchObject({
      code: 3,
      out: expect.stringMatching(/nothing had happened by then/),
    });
    expect((await at(home, 'restore', backups, '--into', 'past', '--until', '2999-01-01')).code).toBe(2);
    expect((await json(home, 'restore', backups, '--into', 'past')).value).toMatchObject({ status: 'restored' });
  });

  it('what was forgotten is purged from the backups', async () => {
    const holds = (): boolean =>
      readdirSync(backups, { recursive: true, withFileTypes: true }).some(
        (entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes('port 8081'),
      );
    const { value } = await json(home, 'recall', 'staging port');
    const key = value.results[0].key as string;
    expect((await at(home, 'forget', '--confirm', key)).code).toBe(0);
    expect(holds()).toBe(true);
    expect((await json(home, 'backup', 'purge', '--in', backups)).value).toMatchObject({ forgotten: 1 });
    expect((await json(home, 'backup', 'purge', '--in', join(backups, 'laptop'))).value).toMatchObject({ forgotten: 1 });
    expect(holds()).toBe(false);
  });

  it('a folder that is not there, cannot be made, or has no name is refused, and nothing is left behind', async () => {
    const nowhere = join(backups, 'nowhere');
    expect(await at(home, 'backup', 'purge', '--in', nowhere)).toMatchObject({ code: 3, out: expect.stringContaining(nowhere) });
    expect(await at(home, 'backup', 'purge', '--to', backups)).toMatchObject({ code: 2, err: expect.stringContaining('--in') });
    const wrong = [
      ['backup', '--to', ''],
      ['backup', 'purge', '--in', ''],
      ['backups', '--in', ''],
      ['restore', ''],
      ['merge', ''],
      ['backup', '--to', backups, '--name', 'FORGOTTEN'],
    ];
    for (const args of wrong) expect(await at(home, ...args), args.join(' ')).toMatchObject({ code: 2, out: '' });
    if (existsSync('/proc/self')) {
      const refused = await at(home, 'backup', '--to', '/proc/x');
      expect(refused).toMatchObject({ code: 4, out: '', err: expect.stringMatching(/folder of backups \/proc\/x cannot be used.*ENOENT/) });
      expect(await at('/proc/x', 'health')).toMatchObject({
        code: 4,
        err: expect.stringMatching(/data folder \/proc\/x cannot be written/),
      });
    }
    expect((await at(home, 'backup', '--to', backups)).code).toBe(0);
  });

  it('a folder inside that of the server is refused', async () => {
    for (const folder of [join(home, 'valkey'), join(home, 'valkey', 'a', 'b')]) {
      expect(await at(home, 'backup', '--to', folder)).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringMatching(/Valkey keeps its own/),
      });
      expect(existsSync(join(folder, 'FORGOTTEN'))).toBe(false);
    }
  });

  it('a part of a history is named as one, whoever restores or merges it', async () => {
    const [part, manifest] = [join(backups, 'part'), join(backups, 'part', 'manifest.json')];
    const { value } = await json(home, 'backup', '--to', join(backups, 'whole'));
    cpSync(join(backups, 'whole', value.report.name), part, { recursive: true });
    writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), complete: false, bytes: 0 }));
    const [cut, partly] = [/Not complete: its run was cut off at 20.*later events are missing/, /is a part, and good as far as it goes/];
    for (const command of [
      ['restore', part, '--into', 'part'],
      ['merge', part],
    ]) {
      const { out } = await at(home, ...command, '--dry-run');
      expect(out).toMatch(cut);
      expect(out).toMatch(partly);
      expect(out).not.toContain('is whole');
      expect((await at(home, ...command)).out).toMatch(cut);
      expect((await json(home, ...command, '--dry-run')).value).toMatchObject({
        complete: false,
        cut_off_at: expect.stringMatching(/^20/),
      });
    }
    const listed = (await at(home, 'backups', '--in', backups)).out.split('\n').find((line) => line.includes('part '));
    expect(listed).toMatch(/not complete/);
    expect(listed).not.toMatch(/\b0 B\b/);
  });

  it('what a newer program wrote is not called damaged', async () => {
    const manifest = join(backups, 'part', 'manifest.json');
    writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), format: 2, program: '9.1.0' }));
    for (const command of [['restore'], ['merge']]) {
      const refused = await at(home, ...command, join(backups, 'part'), '--dry-run');
      expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/newer program \(OmniMem 9\.1\.0\)/) });
      expect(refused.err).not.toMatch(/damaged|altered/);
    }
  });

  it('a torn backup is refused with exit code 1, and named', async () => {
    const [name = ''] = readdirSync(backups).filter((file) => file.startsWith('omnimem-'));
    truncateSync(join(backups, name, '000001.payloads'), 40);
    const refused = await at(home, 'restore', join(backups, name), '--into', 'torn');
    expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/000001\.payloads ends too early \(torn\)/) });
  });
});
