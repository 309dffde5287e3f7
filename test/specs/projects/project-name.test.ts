import { describe, expect, it } from 'vitest';
import { parseProjectName } from '../../../domain/project/name.js';
import { projectIn, type Surroundings, validName } from '../../../services/project-name.js';

const named = (around: Partial<Surroundings>) => projectIn({ folder: '/code/elsewhere', ...around });
const origin = (url: string) => named({ commonDir: '/code/folder/.git', remotes: new Map([['origin', url]]) });

describe('the project in a folder', () => {
  it.each([
    'https://example.test/team/shop.git',
    'https://example.test/team/shop',
    'https://user:token@example.test/team/shop.git/',
    'https://example.test/team/shop.git?ref=main',
    'git@example.test:team/shop.git',
    'git@example.test:shop',
    'ssh://git@example.test:2222/team/shop.git',
    '/srv/git/shop.git/',
    '../shop/.git',
    'C:\\repos\\shop.git',
    'https://example.test/team/sh%6Fp.git',
  ])('has the name at the remote: %s', (url) => expect(origin(url)).toEqual({ project: 'shop', from: 'remote' }));

  it('prefers origin, then the first remote by name', () => {
    const remotes = new Map([
      ['upstream', 'git@x:team/main-shop.git'],
      ['fork', 'git@x:me/fork-shop.git'],
    ]);
    expect(named({ commonDir: '/code/a/.git', remotes }).project).toBe('fork-shop');
    expect(named({ commonDir: '/code/a/.git', remotes: new Map([...remotes, ['origin', 'git@x:me/shop.git']]) }).project).toBe('shop');
  });

  it.each([
    ['/code/shop/.git', 'shop'],
    ['/code/shop/.bare', 'shop'],
    ['/srv/git/shop.git', 'shop'],
    ['/code/shop/.git/modules/lib', 'lib'],
    ['/code/My Shop/.git', 'My Shop'],
  ])('else that of the repository: %s', (commonDir, project) =>
    expect(named({ folder: '/code/shop/.claude/worktrees/x', commonDir, remotes: new Map() })).toEqual({ project, from: 'repository' }),
  );

  it.each([
    ['/code/shop', 'shop'],
    ['/code/shop/.claude/worktrees/brave-otter', 'shop'],
    ['/code/shop/.claude/worktrees/brave-otter/src/deep', 'shop'],
  ])('else that of the folder: %s', (folder, project) => expect(projectIn({ folder })).toEqual({ project, from: 'folder' }));

  it('is what the repository is set to before all that', () =>
    expect(named({ configured: ' acme shop ', commonDir: '/code/a/.git', remotes: new Map([['origin', 'git@x:team/shop.git']]) })).toEqual({
      project: 'acme shop',
      from: 'setting',
    }));
});

describe('a valid name', () => {
  it.each([
    ['shop', 'shop'],
    ['Café Système', 'Cafe Systeme'],
    ['@scope/shop', 'scope-shop'],
    ['.dotfiles', 'dotfiles'],
    ['shop (copy)', 'shop -copy'],
    ['🚀 rocket', 'rocket'],
    ['01ARZ3NDEKTSV4RRFFQ69G5FAV', '01arz3ndektsv4rrffq69g5fav'],
  ])('of %s is %s', (text, name) => expect(validName(text)).toBe(name));

  it('keeps folders apart that differ in what cannot be kept', () => {
    const names = ['日本-api', '中国-api', 'api', '日本語', 'straße', 'strase', '...', '🚀', 'x'.repeat(300), 'x'.repeat(301)].map(
      validName,
    );
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(parseProjectName(name)).toBe(name);
    expect(validName('日本-api')).toMatch(/^api-[0-9a-f]{8}$/);
  });

  it('is the same however an accent is written', () => expect(validName('Cafe\u0301')).toBe(validName('Caf\u00e9')));
});
