import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { built, endOf, environment, launch, newFolder, omnimem, type Ran, running, stdioHost } from '../../e2e/cli/run.js';

let dataDir: string;
let server: ReturnType<typeof launch>;
beforeAll(async () => {
  await built();
  dataDir = newFolder();
  server = launch(['start', '--json'], environment(dataDir));
  await running(server);
});
afterAll(async () => {
  server.kill('SIGTERM');
  await endOf(server);
  rmSync(dataDir, { recursive: true, force: true });
});

const run = (...args: readonly string[]): Promise<Ran> => omnimem(args, environment(dataDir));
const json = async (...args: readonly string[]) => {
  const { code, out, err } = await run('--json', ...args);
  if (out.trim() === '') throw new Error(`${args.join(' ')}: ${err}`);
  return { code, value: JSON.parse(out) as Record<string, unknown> };
};

const filesHolding = (text: string, folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesHolding(text, path);
    return statSync(path).isFile() && readFileSync(path).includes(text) ? [path] : [];
  });

it('undoes, previews, forgets with a receipt, and migrates from the command line', async () => {
  const first = String((await json('remember', 'The sluice key is called carmine-gibbon.', '--project', 'canal')).value.key);
  const second = String((await json('remember', 'The weir key is called scarlet-gibbon.', '--project', 'canal')).value.key);
  const { timeline } = (await json('timeline', second)).value as { timeline: { correlation: string }[] };
  const undone = await json('undo', timeline[0]?.correlation ?? '');
  expect(undone).toMatchObject({ code: 0, value: { status: 'undone', restored: [{ key: second, fields: ['memory'] }] } });
  expect((await run('undo', String(undone.value.undo_correlation))).out).toContain('Undone');

  const preview = await json('forget', '--project', 'canal', '--since', '1h');
  expect(preview).toMatchObject({ code: 0, value: { status: 'preview', total: 2 } });
  expect(JSON.stringify(preview.value)).toContain(first);
  expect((await run('forget', '--project', 'canal', '--confirm')).code).toBe(2);
  expect((await run('forget', first, '--receipt')).code).toBe(2);
  expect(filesHolding('-gibbon', dataDir)).not.toEqual([]);
  const receipt = await json('forget', '--confirm', String(preview.value.preview_id), '--receipt');
  expect(receipt).toMatchObject({ code: 0, value: { receipt: 1, verdict: 'erased', memories: 2, not_checked: [] } });
  expect(filesHolding('-gibbon', dataDir)).toEqual([]);

  expect((await run('migrate', '--dry-run')).out).toContain('up to date');
});

it('names a suppressed topic that stays, and erases it with a receipt', async () => {
  const note = join(newFolder(), 'suppressed topics.md');
  const topic = 'zqxsuppvelvet';
  writeFileSync(note, `---\nsuppressed_topics:\n  - topic: ${topic}\n    reason: zqxsuppreasonvelvet is why\n---\n`);
  const imported = await json('import', note);
  expect(imported.code).toBe(0);
  const undone = await run('undo', String(imported.value.correlation));
  expect(undone.out).toContain(`(${topic})  suppression`);
  expect((await run('undo', /omnimem undo (\S+)/.exec(undone.out)?.[1] ?? '')).code).toBe(0);
  expect((await run('forget', topic)).out).toContain(`Suppressed topics are no memories and stay`);
  const preview = await run('forget', '--topic', topic);
  const [, id = ''] = /omnimem forget --confirm (\S+)$/m.exec(preview.out) ?? [];
  expect(preview.out).toContain(topic);
  const receipt = await run('forget', '--confirm', id, '--receipt');
  expect(receipt.out).toContain('Erased. What was looked for was found before, and nowhere after.');
  for (const text of [topic, 'zqxsuppreasonvelvet']) expect(filesHolding(text, dataDir)).toEqual([]);
  expect((await run('forget', '--topic', topic)).code).not.toBe(0);
});

it('leaves what was revised after its preview by words, and takes no receipt of it', async () => {
  const text = 'The lock keeper of the amber-ibex canal is called Ada';
  const stays = String((await json('remember', text, '--project', 'one')).value.key);
  const goes = String((await json('remember', text, '--project', 'two')).value.key);
  const id = /omnimem forget --confirm (\S+)$/m.exec((await run('forget', text)).out)?.[1] ?? '';
  expect(id).toMatch(/^[0-9A-Z]{26}$/);
  const host = stdioHost(environment(dataDir));
  await host.initialize();
  const revised = await host.ask('tools/call', { name: 'revise', arguments: { key: stays, content: 'The canal must be kept' } });
  expect(revised.result?.structuredContent).toMatchObject({ status: 'revised' });
  host.child.stdin?.end();
  await endOf(host.child);
  const receipt = await json('forget', '--confirm', id, '--receipt');
  expect(receipt.value).toMatchObject({
    memories: 1,
    keys: [goes],
    notes: expect.arrayContaining([expect.stringContaining('changed since')]),
  });
  expect((await run('timeline', stays)).code).toBe(0);
  const again = await run('forget', '--confirm', id);
  expect(again.out).toContain('changed since the preview');
  expect(again.out).toContain(stays);
});
