// The project that a folder belongs to, by the rule of `omnimem project-name`, in a few lines that need no installed OmniMem: a
// test holds the two together. A worktree, a sub-folder and the main folder of a repository are one project.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { basename, dirname, resolve } from 'node:path';

/** A slow git costs the name it would have given, not the briefing. */
const GIT_MS = 600;
const LONGEST = 80;

/** OMNIMEM_PROJECT, else `git config omnimem.project`, else the name at the remote, else the repository's folder, else the folder. */
export const projectOf = async (directory) => {
  const named = process.env.OMNIMEM_PROJECT?.trim();
  if (named) return validName(named);
  const folder = resolve(directory);
  const [commonDir, printed] = await Promise.all([
    git(folder, 'rev-parse', '--git-common-dir'),
    git(folder, 'config', '-z', '--get-regexp', '^(remote\\..*\\.url|omnimem\\.project)$'),
  ]);
  if (commonDir === undefined) return validName(basename(outOfWorktree(folder)));
  const { configured, remote } = settingsIn(printed ?? '');
  if (configured) return validName(configured);
  const atRemote = remote === undefined ? '' : nameAtRemote(remote);
  return validName(atRemote || repositoryOf(resolve(folder, commonDir.replace(/\r?\n$/, ''))));
};

/** What git prints, or undefined when it does not answer with success. */
const git = (folder, ...args) =>
  new Promise((answer) => {
    // Inside a git hook these name another repository than the folder's.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
    const all = ['-c', 'safe.directory=*', '-C', folder, ...args];
    execFile('git', all, { env, timeout: GIT_MS, windowsHide: true }, (error, stdout) => answer(error ? undefined : stdout));
  });

/** Entries end in NUL, their key in a line end. */
const settingsIn = (printed) => {
  const remotes = new Map();
  let configured;
  for (const entry of printed.split('\0')) {
    const end = entry.indexOf('\n');
    if (end < 0) continue;
    const [key, value] = [entry.slice(0, end), entry.slice(end + 1)];
    const name = /^remote\.(.+)\.url$/.exec(key)?.[1];
    if (name === undefined) configured = value.trim();
    else if (!remotes.has(name)) remotes.set(name, value);
  }
  const first = [...remotes].sort(([a], [b]) => (a < b ? -1 : 1))[0]?.[1];
  return { configured, remote: remotes.get('origin') ?? first };
};

/** `shop` for `https://host/team/shop.git`, `git@host:team/shop`, `/srv/git/shop.git/` and `../shop/.git`. */
const nameAtRemote = (url) => {
  const path = url
    .trim()
    .replace(/[?#].*$/, '')
    .replace(/(?:[/\\]|[/\\]\.git)+$/, '');
  const last = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'), path.lastIndexOf(':')) + 1);
  return decoded(last).replace(/\.git$/, '');
};

const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** `/code/shop` for `/code/shop/.git` and `/code/shop/.bare`; `shop` for `/srv/git/shop.git` and for a submodule's folder. */
const repositoryOf = (commonDir) => {
  const name = basename(commonDir);
  return name.startsWith('.') ? basename(dirname(commonDir)) : name.replace(/\.git$/, '');
};

const outOfWorktree = (folder) => folder.replace(/[/\\]\.claude[/\\]worktrees[/\\].*$/, '');

/** The text as a name that the server takes; a hash stands for letters that are lost. */
export const validName = (text) => {
  const plain = text.normalize('NFKD').replace(/\p{M}+/gu, '');
  const kept = plain
    .replace(/[^A-Za-z0-9_\-. ]+/g, '-')
    .replace(/^[-. ]+|[-. ]+$/g, '')
    .slice(0, LONGEST);
  const loses = /[^\p{ASCII}]/u.test(plain.replace(/[^\p{L}\p{N}]/gu, '')) || plain.length > LONGEST || kept === '';
  const hash = createHash('sha256').update(text.normalize('NFC')).digest('hex').slice(0, 8);
  const name = loses ? `${kept || 'project'}-${hash}` : kept.replace(/^ +| +$/g, '');
  return /^[0-9A-HJKMNP-TV-Z]{26}$/.test(name) ? name.toLowerCase() : name;
};
