import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MaintainResult } from '../../../services/api.js';
import { sayMaintenance } from '../../../services/cli/commands/maintain.js';
import { built, endOf, environment, launch, leftOver, newFolder, omnimem, remove, running } from './run.js';

const folder = newFolder();
const env = environment(folder);

let server: ChildProcess;
beforeAll(async () => {
  await built();
  server = launch(['start', '--json'], env);
  await running(server);
});
afterAll(async () => {
  const ended = endOf(server);
  server.kill('SIGINT');
  await ended;
  expect(leftOver(folder)).toEqual([]);
  remove(folder);
});

describe('omnimem maintain', () => {
  it('flags a contradiction, only says so in a dry run, and is taken back by omnimem undo', async () => {
    for (const port of ['8081', '8082']) await omnimem(['remember', `Staging of the shop listens on port ${port}`, '-p', 'shop'], env);
    const planned = await omnimem(['maintain', '--project', 'shop', '--dry-run', '--json'], env);
    expect(JSON.parse(planned.out)).toMatchObject({ status: 'dry_run', project: 'shop', contradictions_found: [{}] });
    const { code, out } = await omnimem(['maintain', '--project', 'shop'], env);
    expect(code).toBe(0);
    expect(out).toContain('1 contradictions flagged');
    const correlation = /omnimem undo (\S+)/.exec(out)?.[1] ?? '';
    expect((await omnimem(['recall', 'which port', '--project', 'shop', '--json'], env)).out).toContain('contradicts');
    expect((await omnimem(['undo', correlation], env)).code).toBe(0);
    expect((await omnimem(['recall', 'which port', '--project', 'shop', '--json'], env)).out).not.toContain('contradicts');
    expect((await omnimem(['maintain', '--project', 'shop'], env)).out).toContain('Nothing to tidy up in the project shop');
  });

  it('refuses a bad project', async () => {
    const { code, err } = await omnimem(['maintain', '--project', '../x'], env);
    expect(code).not.toBe(0);
    expect(err).toContain('project name');
  });

  it('shows the first of many, what is kept, and what is left', () => {
    const answer: MaintainResult = {
      status: 'ran',
      correlation: '01JAAAAAAAAAAAAAAAAAAAAAAA',
      duplicates_archived: Array.from({ length: 25 }, (_, i) => ({ key: `copy-${i}`, kept: 'kept' })),
      contradictions_found: [],
      knowledge_expired: ['old-news'],
      kept_for_experience: [{ key: 'wise', copy_of: 'young' }],
      left: 7,
    };
    const text = sayMaintenance(answer, false);
    expect(text).toContain('and 5 more');
    expect(text).not.toContain('copy-24');
    for (const part of [
      'Done in the whole store',
      'old-news',
      'wise  beside young',
      '7 more are left',
      'omnimem undo 01JAAAAAAAAAAAAAAAAAAAAAAA',
    ]) {
      expect(text).toContain(part);
    }
    expect(sayMaintenance({ ...answer, status: 'dry_run' }, true)).not.toContain('omnimem undo');
  });
});
