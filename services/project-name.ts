import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { basename, dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { isDomainError } from '../domain/errors.js';
import { parseProjectName } from '../domain/project/name.js';

const run = promisify(execFile);

/** A hook waits for it. */
const GIT_MS = 3_000;
const LONGEST = 80;
const HASHED = 8;

/** What is known of the place somebody works in. Paths are absolute. */
export type Surroundings = {
  readonly folder: string;
  /** The repository's own folder, which all of its worktrees share; absent outside of one. */
  readonly commonDir?: string | undefined;
  /** URLs or paths by the remote's name. */
  readonly remotes?: ReadonlyMap<string, string> | undefined;
  /** `git config omnimem.project`. */
  readonly configured?: string | undefined;
};

export type NamedProject = { readonly project: string; readonly from: 'setting' | 'remote' | 'repository' | 'folder' };

/**
 * The project that is worked on in a folder: what the repository's setting `omnimem.project` says, else the name of the
 * repository at its remote (`origin`, else the first by name), else the name of the folder that holds the repository and not
 * that of a worktree, else the name of the folder itself. The same for every worktree and sub-folder of one repository.
 */
export const projectIn = (around: Surroundings): NamedProject => {
  const { configured, remotes, commonDir, folder } = around;
  if (configured?.trim()) return { project: validName(configured.trim()), from: 'setting' };
  const remote = remotes && (remotes.get('origin') ?? [...remotes].sort(([a], [b]) => (a < b ? -1 : 1))[0]?.[1]);
  const atRemote = remote === undefined ? '' : nameAtRemote(remote);
  if (atRemote !== '') return { project: validName(atRemote), from: 'remote' };
  if (commonDir !== undefined) return { project: validName(repositoryOf(commonDir)), from: 'repository' };
  return { project: validName(basename(outOfWorktree(folder))), from: 'folder' };
};

/** `shop` for `https://host/team/shop.git`, `git@host:team/shop`, `/srv/git/shop.git/` and `../shop/.git`. */
const nameAtRemote = (url: string): string => {
  const path = url
    .trim()
    .replace(/[?#].*$/, '')
    .replace(/(?:[/\\]|[/\\]\.git)+$/, '');
  return decoded(path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'), path.lastIndexOf(':')) + 1)).replace(/\.git$/, '');
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** `/code/shop` for `/code/shop/.git` and `/code/shop/.bare`; `shop` for `/srv/git/shop.git` and for a submodule's folder. */
const repositoryOf = (commonDir: string): string => {
  const name = basename(commonDir);
  return name.startsWith('.') ? basename(dirname(commonDir)) : name.replace(/\.git$/, '');
};

/** A worktree that Claude Code made lies inside its repository; without git that is all that tells. */
const outOfWorktree = (folder: string): string => folder.replace(/[/\\]\.claude[/\\]worktrees[/\\].*$/, '');

/**
 * The text as a project's name: letters lose their accents, what is not permitted becomes a hyphen. Where letters of another
 * script are lost, a hash of the whole stands for them, so that two folders never fall together.
 */
export const validName = (text: string): string => {
  const plain = text.normalize('NFKD').replace(/\p{M}+/gu, '');
  const kept = plain
    .replace(/[^A-Za-z0-9_\-. ]+/g, '-')
    .replace(/^[-. ]+|[-. ]+$/g, '')
    .slice(0, LONGEST);
  const loses = /[^\p{ASCII}]/u.test(plain.replace(/[^\p{L}\p{N}]/gu, '')) || plain.length > LONGEST || kept === '';
  const hash = createHash('sha256').update(text.normalize('NFC')).digest('hex').slice(0, HASHED);
  const name = loses ? `${kept || 'project'}-${hash}` : kept;
  try {
    return parseProjectName(name);
  } catch (error) {
    // Only what reads as the key of a memory is left to refuse.
    if (isDomainError(error, 'VALIDATION')) return name.toLowerCase();
    throw error;
  }
};

/** The same for a folder of this machine. A git that is missing, slow or refuses is no error: the folder's name is left. */
export const projectNameOf = async (directory: string): Promise<NamedProject> => {
  const folder = resolve(directory);
  const commonDir = await git(folder, 'rev-parse', '--git-common-dir');
  if (commonDir === undefined) return projectIn({ folder });
  const settings = parseSettings((await git(folder, 'config', '-z', '--get-regexp', '^(remote\\..*\\.url|omnimem\\.project)$')) ?? '');
  return projectIn({ folder, commonDir: resolve(folder, commonDir.replace(/\r?\n$/, '')), ...settings });
};

/** What git prints, or undefined when it does not answer with success. */
const git = async (folder: string, ...args: readonly string[]): Promise<string | undefined> => {
  // Inside a git hook these name another repository than the folder's.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  try {
    // Reading names out of another user's checkout runs nothing of it.
    const { stdout } = await run('git', ['-c', 'safe.directory=*', '-C', folder, ...args], { env, timeout: GIT_MS, windowsHide: true });
    return stdout;
  } catch {
    return undefined;
  }
};

/** Entries end in NUL, their key in a line end. */
const parseSettings = (printed: string): Pick<Surroundings, 'remotes' | 'configured'> => {
  const remotes = new Map<string, string>();
  let configured: string | undefined;
  for (const entry of printed.split('\0')) {
    const end = entry.indexOf('\n');
    if (end < 0) continue;
    const [key, value] = [entry.slice(0, end), entry.slice(end + 1)];
    const remote = /^remote\.(.+)\.url$/.exec(key)?.[1];
    if (remote === undefined) configured = value;
    else remotes.set(remote, remotes.get(remote) ?? value);
  }
  return { remotes, configured };
};
