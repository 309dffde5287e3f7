import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Claim, type ClaimResult, claimDataDir, findInstance } from '../../../services/valkey/instance.js';
import { type Runner, runTypeScript } from '../../support/run-ts.js';

let dir: string;
let runners: Runner[] = [];
beforeEach(() => {
  dir = mkdtempSync('/tmp/omi-');
});
afterEach(async () => {
  for (const runner of runners) await runner.kill();
  runners = [];
  rmSync(dir, { recursive: true, force: true });
});

const CLAIM = `import { claimDataDir } from './services/valkey/instance.ts';
const result = await claimDataDir(process.argv[2]);
if ('held' in result) await result.held.publish({ mcpUrl: 'http://127.0.0.1:1/mcp' });
console.log(JSON.stringify('held' in result ? 'held' : result.running.pid));
setInterval(() => {}, 1e6);`;

const other = async (): Promise<Runner> => {
  const runner = await runTypeScript(CLAIM, [dir]);
  runners.push(runner);
  return runner;
};
const held = (result: ClaimResult): Claim => {
  if (!('held' in result)) throw new Error(`held by ${result.running.pid}`);
  return result.held;
};

describe('a data folder', () => {
  it('belongs to one process; the second one learns whose it is and where that listens', async () => {
    const claim = held(await claimDataDir(dir));
    await claim.publish({ socket: '/s' });
    await claim.publish({ mcpUrl: 'http://127.0.0.1:8765/mcp' });
    expect(await (await other()).next()).toBe(process.pid);
    expect(await findInstance(dir)).toMatchObject({ pid: process.pid, mcpUrl: 'http://127.0.0.1:8765/mcp', socket: '/s' });
    await claim.release();
    expect(await findInstance(dir)).toBeUndefined();
    held(await claimDataDir(dir));
  });

  it('is free again when its owner was killed', async () => {
    const owner = await other();
    expect(await owner.next()).toBe('held');
    expect(await findInstance(dir)).toMatchObject({ pid: owner.process.pid, mcpUrl: 'http://127.0.0.1:1/mcp' });
    await owner.kill();
    expect(await findInstance(dir)).toBeUndefined();
    held(await claimDataDir(dir));
  });

  it('goes to exactly one of many that find it ownerless at once', async () => {
    const dead = await other();
    await dead.next();
    await dead.kill();
    const results = await Promise.all(Array.from({ length: 20 }, () => claimDataDir(dir)));
    expect(results.filter((result) => 'held' in result)).toHaveLength(1);
    expect(readdirSync(dir).filter((name) => name.startsWith('claim.'))).toEqual([]);
  });

  it('belongs to an owner on another host as long as that shows signs of life', async () => {
    writeFileSync(join(dir, 'lock.7'), JSON.stringify({ pid: 1, identity: 'x', host: `not-${hostname()}`, since: 0 }));
    expect(await claimDataDir(dir)).toMatchObject({ running: { pid: 1 } });
  });

  it('that cannot be written is refused with a hint', async () => {
    writeFileSync(join(dir, 'file'), '');
    await expect(claimDataDir(join(dir, 'file', 'below'))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      hint: expect.stringContaining('OMNIMEM_DATA_DIR'),
    });
    mkdirSync(join(dir, 'fine'));
    held(await claimDataDir(join(dir, 'fine')));
  });
});
