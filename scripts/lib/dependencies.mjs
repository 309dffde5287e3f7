import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { alone } from './lock.mjs';
import { inProject, Page, run, say } from './project.mjs';

const LOCK = inProject('package-lock.json');
const STAMP = inProject('node_modules', '.omnimem-lock');

/** Installs what package-lock.json names when node_modules is missing or was installed from another lock. */
export const ensureDependencies = async () => {
  if (installed()) return;
  await alone(async () => {
    if (installed()) return;
    say('Installing dependencies (npm ci); about half a minute the first time.');
    // The native runtime that this variable leaves out is a download for graphics cards.
    const { code } = await npm(['ci', '--include=dev', '--no-audit', '--no-fund'], { ONNXRUNTIME_NODE_INSTALL: 'skip' });
    if (code !== 0) throw new Page(FAILED);
    mkdirSync(inProject('node_modules'), { recursive: true }); // npm makes none when the lock names nothing
    writeFileSync(STAMP, lockHash());
  });
};

const FAILED = `The dependencies could not be installed; npm says above why.

  no network, or a proxy       npm config get registry, and https_proxy in the environment
  no space                     about 900 MB are needed in this folder
  node_modules of another user remove it, or give this user the right to write there

Then start again.`;

const installed = () => {
  if (!existsSync(LOCK)) return existsSync(inProject('node_modules'));
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === lockHash()) return true;
  const marker = inProject('node_modules', '.package-lock.json');
  return existsSync(marker) && statSync(marker).mtimeMs >= statSync(LOCK).mtimeMs;
};

const lockHash = () => createHash('sha256').update(readFileSync(LOCK)).digest('hex');

/** The npm that runs this script, else the one on PATH. */
const npm = (args, env) => {
  const own = process.env.npm_execpath;
  return own && /npm-cli\.c?js$/.test(own) ? run(process.execPath, [own, ...args], { env }) : run('npm', args, { env });
};
