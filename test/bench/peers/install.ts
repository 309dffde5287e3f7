import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PEERS } from './servers.js';

const run = promisify(execFile);

/** Installs the other servers into a folder of their own, once, and answers it. They are no dependency of the product. */
export const installPeers = async (folder: string): Promise<string> => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"name":"omnimem-bench-peers","private":true}\n');
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact', ...Object.values(PEERS)], { cwd: folder });
  return folder;
};
