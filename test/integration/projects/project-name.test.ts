import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectNameOf } from '../../../services/project-name.js';

const hasGit = (() => {
  try {
    execFileSync('git', ['--version']);
    return true;
  } catch {
    return false;
  }
})();

let home: string;
const git = (folder: string, ...args: readonly string[]): void => {
  const who = [
    '-c',
    'user.name=test',
    '-c',
    'user.email=test@example.test',
    '-c',
    'commit.gpgsign=false',
    '-c',
    'protocol.file.allow=always',
  ];
  execFileSync('git', [...who, '-C', folder, ...args], { stdio: 'pipe', env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' } });
};
const repository = (...path: readonly string[]): string => {
  const folder = join(home, ...path);
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q');
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'begin');
  return folder;
};

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'omt names ä '));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe.skipIf(!hasGit)('the project of a folder under git (skipped where there is no git)', () => {
  it('is one in the repository, its sub-folders and every worktree, inside and beside it', async () => {
    const shop = repository('Größe des Ladens', 'shop');
    const inside = join(shop, '.claude', 'worktrees', 'brave-otter');
    const beside = join(home, 'Größe des Ladens', 'shop-feature');
    git(shop, 'worktree', 'add', '-q', inside);
    git(shop, 'worktree', 'add', '-q', beside);
    mkdirSync(join(inside, 'src', 'deep'), { recursive: true });
    mkdirSync(join(shop, 'lib'));
    for (const folder of [shop, join(shop, 'lib'), inside, join(inside, 'src', 'deep'), beside])
      expect(await projectNameOf(folder)).toEqual({ project: 'shop', from: 'repository' });
  });

  it('outlives a renamed folder when there is a remote', async () => {
    const before = repository('first name');
    git(before, 'remote', 'add', 'origin', 'git@example.test:team/payments.git');
    const after = join(home, 'second name');
    renameSync(before, after);
    expect(await projectNameOf(after)).toEqual({ project: 'payments', from: 'remote' });
  });

  it('is the same in a clone, a bare repository with worktrees, and a separate git folder', async () => {
    const source = repository('source');
    const bare = join(home, 'parts', 'depot.git');
    git(home, 'clone', '-q', '--bare', source, bare);
    git(bare, 'remote', 'remove', 'origin');
    git(bare, 'worktree', 'add', '-q', join(home, 'parts', 'work'));
    expect((await projectNameOf(join(home, 'parts', 'work'))).project).toBe('depot');
    git(home, 'clone', '-q', bare, join(home, 'my checkout'));
    expect((await projectNameOf(join(home, 'my checkout'))).project).toBe('depot');
    mkdirSync(join(home, 'gits'));
    git(home, 'init', '-q', '--separate-git-dir', join(home, 'gits', 'apart.git'), join(home, 'elsewhere'));
    expect((await projectNameOf(join(home, 'elsewhere'))).project).toBe('apart');
  });

  it('of a submodule is its own', async () => {
    const library = repository('library');
    const whole = repository('whole');
    git(whole, 'submodule', 'add', '-q', library, 'vendored');
    expect((await projectNameOf(join(whole, 'vendored'))).project).toBe('library');
    git(join(whole, 'vendored'), 'remote', 'remove', 'origin');
    expect(await projectNameOf(join(whole, 'vendored'))).toEqual({ project: 'vendored', from: 'repository' });
  });

  it('is what git config omnimem.project says, in every worktree', async () => {
    const one = repository('web');
    git(one, 'config', 'omnimem.project', 'acme web');
    git(one, 'worktree', 'add', '-q', '-b', 'second', join(home, 'web 2'));
    expect(await projectNameOf(join(home, 'web 2'))).toEqual({ project: 'acme web', from: 'setting' });
  });

  it('does not follow the variables that git sets in its hooks', async () => {
    const [mine, other] = [repository('mine'), repository('other')];
    process.env.GIT_DIR = join(other, '.git');
    try {
      expect((await projectNameOf(mine)).project).toBe('mine');
    } finally {
      delete process.env.GIT_DIR;
    }
  });
});

describe('the project of a folder without git', () => {
  it('is the name of the folder, also of one that is not there', async () => {
    mkdirSync(join(home, 'plain folder', 'ö'), { recursive: true });
    expect(await projectNameOf(join(home, 'plain folder'))).toEqual({ project: 'plain folder', from: 'folder' });
    expect((await projectNameOf(join(home, 'plain folder', 'ö'))).project).toBe('o');
    expect((await projectNameOf(join(home, 'gone', '.claude', 'worktrees', 'x'))).project).toBe('gone');
  });

  it('is so too when git cannot be run', async () => {
    const path = process.env.PATH;
    process.env.PATH = '/nonexistent';
    try {
      expect(await projectNameOf(join(home, 'plain folder'))).toEqual({ project: 'plain folder', from: 'folder' });
    } finally {
      process.env.PATH = path;
    }
  });
});
