// The project that a folder belongs to: the repository's, so that a worktree, a subfolder and the main folder are one.
import { spawn } from 'node:child_process';
import { basename, dirname, resolve } from 'node:path';

const GIT_MS = 700;

/** A name that the server takes, or undefined. OMNIMEM_PROJECT names it outright. */
export const projectOf = async (folder) => {
  const named = process.env.OMNIMEM_PROJECT;
  if (named) return permitted(named);
  const common = await gitCommonDir(folder);
  return permitted(common === undefined ? basename(folder) : repositoryName(common));
};

/** `/x/shop/.git` and `/x/shop/.bare` are shop, so is `/x/shop.git`; `/x/shop/.git/modules/ui` is ui. */
const repositoryName = (common) => {
  const last = basename(common);
  return last.startsWith('.') ? basename(dirname(common)) : last.replace(/\.git$/, '');
};

const gitCommonDir = (folder) =>
  new Promise((answer) => {
    // Set while git itself runs a hook, and then of another repository perhaps.
    const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_COMMON_DIR: _common, ...env } = process.env;
    const git = spawn('git', ['rev-parse', '--git-common-dir'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'], timeout: GIT_MS });
    let text = '';
    git.stdout.on('data', (chunk) => {
      text += chunk;
    });
    git.on('error', () => answer(undefined));
    git.on('close', (code) => answer(code === 0 && text.trim() ? resolve(folder, text.trim()) : undefined));
  });

const permitted = (text) => {
  const name = text
    .replace(/[^A-Za-z0-9_\-. ]+/g, '-')
    .slice(0, 200)
    .trim();
  return /[A-Za-z0-9]/.test(name) && !/^[0-9A-HJKMNP-TV-Z]{26}$/.test(name) ? name : undefined;
};
