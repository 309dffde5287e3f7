import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { built, environment, newFolder, omnimem, remove } from './run.js';

const folder = newFolder();
const data = join(folder, 'data');
const env = environment(data);
beforeAll(built, 120_000);
afterAll(() => remove(folder));

describe('omnimem project-name', () => {
  it('prints the project of a folder and starts nothing', async () => {
    const worktree = join(folder, 'Café shop', '.claude', 'worktrees', 'brave-otter');
    mkdirSync(worktree, { recursive: true });
    expect(await omnimem(['project-name', worktree], env)).toMatchObject({ code: 0, out: 'Cafe shop\n' });
    const { out } = await omnimem(['project-name', worktree, '--json'], env);
    expect(JSON.parse(out)).toEqual({ project: 'Cafe shop', from: 'folder' });
    expect(existsSync(data)).toBe(false);
  });
});

describe('projects on the command line', () => {
  it('recall --domain says before everything else that no project declares the domain', async () => {
    await omnimem(['remember', 'Staging listens on port 8081', '-p', 'shop'], env);
    const { code, out } = await omnimem(['recall', 'staging port', '--domain', 'python'], env);
    expect(code).toBe(0);
    expect(out).toMatch(/^No project declares python/);
    expect(out).toContain('8081');
  });

  it('remember says what a new spelling of a project is like', async () => {
    const { out } = await omnimem(['remember', 'Staging has two replicas', '-p', 'Shop'], env);
    expect(out).toContain('its name is close to "shop"');
  });
});
