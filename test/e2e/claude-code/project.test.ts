import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectNameOf, validName } from '../../../services/project-name.js';
import { PLUGIN } from './run-hook.js';

type PluginProject = { readonly projectOf: (folder: string) => Promise<string>; readonly validName: (text: string) => string };

let root: string;
let plugin: PluginProject;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'omt-project-'));
  plugin = (await import(`${PLUGIN}hooks/lib/project.mjs`)) as PluginProject;
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const git = (folder: string, ...args: string[]): void => {
  const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  execFileSync('git', args, { cwd: folder, env: { ...process.env, ...identity }, stdio: 'ignore' });
};

const folderIn = (...path: string[]): string => {
  const folder = join(root, ...path);
  mkdirSync(folder, { recursive: true });
  return folder;
};

describe('the project of a folder, as the hook sees it', () => {
  const cases: readonly (readonly [name: string, make: () => string, project: string])[] = [
    ['no repository', () => folderIn('plain', 'Kiln Works'), 'Kiln Works'],
    ['letters of another script', () => folderIn('plain', 'каталог'), validName('каталог')],
    [
      'a worktree beside the main folder',
      () => {
        const shop = folderIn('beside', 'shop');
        git(shop, 'init', '-q');
        git(shop, 'commit', '-q', '--allow-empty', '-m', 'first');
        git(shop, 'worktree', 'add', '-q', '../shop-feature');
        return join(root, 'beside', 'shop-feature');
      },
      'shop',
    ],
    [
      'a sub-folder of a worktree inside',
      () => {
        const shop = folderIn('inside', 'shop');
        git(shop, 'init', '-q');
        git(shop, 'commit', '-q', '--allow-empty', '-m', 'first');
        git(shop, 'worktree', 'add', '-q', '.claude/worktrees/x');
        return folderIn('inside', 'shop', '.claude', 'worktrees', 'x', 'src');
      },
      'shop',
    ],
    [
      'a clone under another name',
      () => {
        const clone = folderIn('clone', 'tmp-checkout');
        git(clone, 'init', '-q');
        git(clone, 'remote', 'add', 'upstream', 'https://host.example/x/other.git');
        git(clone, 'remote', 'add', 'origin', 'git@host.example:team/wiki.git');
        return clone;
      },
      'wiki',
    ],
    [
      'a setting of the repository',
      () => {
        const web = folderIn('set', 'web');
        git(web, 'init', '-q');
        git(web, 'config', 'omnimem.project', 'acme web');
        return web;
      },
      'acme web',
    ],
    [
      'a bare repository',
      () => {
        const bare = folderIn('bare', 'tools.git');
        git(bare, 'init', '-q', '--bare');
        return bare;
      },
      'tools',
    ],
  ];

  it.each(cases)('of %s is that of omnimem project-name', async (_, make, project) => {
    const folder = make();
    expect(await plugin.projectOf(folder)).toBe(project);
    expect((await projectNameOf(folder)).project).toBe(project);
  });

  it('is spelled as the server would spell it, whatever the text', () =>
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ minLength: 1 }),
          fc.string({ unit: 'grapheme', minLength: 1, maxLength: 120 }),
          fc.constant('01ARZ3NDEKTSV4RRFFQ69G5FAV'),
        ),
        (text) => {
          expect(plugin.validName(text)).toBe(validName(text));
        },
      ),
    ));
});
