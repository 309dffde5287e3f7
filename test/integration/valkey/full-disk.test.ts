import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { isDomainError } from '../../../domain/errors.js';
import { assertRoom, freeBytes } from '../../../services/disk.js';
import { connect } from '../../../services/valkey/client.js';
import { unavailableWhenDown } from '../../../services/valkey/errors.js';
import { startSupervisor } from '../../../services/valkey/supervisor.js';
import { capturingLog } from '../../support/log.js';
import { smallDisk } from '../../support/tmpfs.js';
import { TIED_VALKEY } from '../../support/valkey.js';

const MIB = 2 ** 20;
const disk = smallDisk(24);
const free = (dir: string): number => {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize;
};
/** Takes all that is left of the disk. */
const fill = (dir: string): void => {
  for (let n = readdirSync(dir).length; free(dir) > 0; n++)
    writeFileSync(join(dir, `ballast-${n}`), Buffer.alloc(Math.min(free(dir), MIB), 1));
};
const empty = (dir: string): void => {
  for (const name of readdirSync(dir)) if (name.startsWith('ballast-')) rmSync(join(dir, name));
};
const LONG = { timeout: 20_000, interval: 20 };

describe.skipIf(disk === undefined)('a full disk (needs the right to mount a tmpfs)', () => {
  it('keeps what was acknowledged, answers reads, lets go of its reserve for forgetting, and writes again when there is room', async () => {
    const dir = disk?.dir ?? '';
    const supervisor = await startSupervisor({
      dataDir: dir,
      log: capturingLog().log,
      minFreeBytes: 2 * MIB,
      reserveBytes: MIB,
      watchMs: 50,
      command: TIED_VALKEY,
    });
    const client = connect(supervisor.target, 'append', { commandTimeoutMs: 2_000 });
    const reader = connect(supervisor.target, 'general', { commandTimeoutMs: 5_000 });
    try {
      const acknowledged = new Set<string>();
      const write = async (key: string, size: number): Promise<unknown> => {
        try {
          await unavailableWhenDown(() => client.set(key, 'x'.repeat(size)));
          acknowledged.add(key);
          return undefined;
        } catch (error) {
          return error;
        }
      };
      const missing = async (): Promise<string[]> => {
        const found = await Promise.all([...acknowledged].map(async (key) => ((await reader.exists(key)) === 1 ? [] : [key])));
        return found.flat();
      };
      for (let n = 0; n < 20; n++) expect(await write(`early-${n}`, 10_000)).toBeUndefined();
      await client.set('passing', 'x', 'PX', 600);

      fill(dir);
      await expect(assertRoom(dir, 2 * MIB)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      let refused: unknown;
      for (let n = 0; refused === undefined && n < 500; n++) refused = await write(`full-${n}`, 10_000);
      expect(isDomainError(refused, 'UNAVAILABLE')).toBe(true);

      await vi.waitFor(() => expect(supervisor.status()).toMatchObject({ state: 'running', mode: 'low' }), LONG);
      expect(supervisor.status().lastExit?.reason).toContain('disk is full');
      expect(await missing()).toEqual([]);
      await vi.waitFor(async () => expect(await client.del('early-0')).toBe(1), LONG);
      acknowledged.delete('early-0');

      fill(dir);
      refused = undefined;
      for (let n = 0; refused === undefined && n < 500; n++) refused = await write(`fuller-${n}`, 10_000);
      await vi.waitFor(() => expect(supervisor.status()).toMatchObject({ state: 'running', mode: 'reads' }), LONG);
      expect(await missing()).toEqual([]);
      await vi.waitFor(
        async () => expect(await write('refused', 10)).toMatchObject({ code: 'UNAVAILABLE', hint: expect.stringContaining('disk') }),
        LONG,
      );
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(await reader.get('passing')).toBeNull();
      expect(supervisor.status()).toMatchObject({ state: 'running', mode: 'reads', restarts: 2 });

      empty(dir);
      await vi.waitFor(() => expect(supervisor.status()).toMatchObject({ state: 'running', mode: 'normal' }), LONG);
      await vi.waitFor(async () => expect(await write('late', 10_000)).toBeUndefined(), LONG);
      await expect(assertRoom(dir, 2 * MIB)).resolves.toBeUndefined();
      process.kill(supervisor.status().pid ?? -1, 'SIGKILL');
      await vi.waitFor(() => expect(supervisor.status()).toMatchObject({ state: 'running', restarts: 3 }), LONG);
      expect(await missing()).toEqual([]);
      expect(await reader.exists('early-0')).toBe(0);
      expect(await freeBytes(dir)).toBeGreaterThan(2 * MIB);
    } finally {
      client.disconnect();
      reader.disconnect();
      await supervisor.stop();
      disk?.remove();
    }
  });
});
