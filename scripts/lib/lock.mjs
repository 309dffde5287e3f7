import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root, say } from './project.mjs';

const path = join(tmpdir(), `omnimem-setup-${createHash('sha256').update(root).digest('hex').slice(0, 12)}.lock`);

/** Keeps two starts on one folder from installing or building at the same time. A dead owner's lock is taken over. */
export const alone = async (work) => {
  for (let told = false; !acquired(); await sleep(200)) {
    if (!told) say('Another process is setting this folder up; waiting for it.');
    told = true;
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
};

const acquired = () => {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (ownerLives()) return false;
    rmSync(path, { force: true });
    return acquired();
  }
};

const ownerLives = () => {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
};
