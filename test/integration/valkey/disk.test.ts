import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { assertRoom, freeBytes, keepReserve, releaseReserve } from '../../../services/disk.js';
import { smallDisk } from '../../support/tmpfs.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync('/tmp/omk-');
});
afterEach(() => rmSync(dir, { recursive: true }));

describe('room on the disk', () => {
  it('is asked for in bytes', async () => {
    const free = await freeBytes(dir);
    expect(free).toBeGreaterThan(0);
    await expect(assertRoom(dir, 1)).resolves.toBeUndefined();
    await expect(assertRoom(dir, free * 2 + 2 ** 40)).rejects.toMatchObject({ code: 'UNAVAILABLE', hint: expect.stringContaining(dir) });
    await expect(assertRoom(dir, free * 2 + 2 ** 40, 'its folder')).rejects.toMatchObject({ hint: expect.not.stringContaining(dir) });
  });

  it('is held back once, and given back once', async () => {
    const reserve = join(dir, 'below', 'reserve');
    expect(await keepReserve(reserve, 100_000)).toBe(true);
    const { mtimeMs, size, blocks } = statSync(reserve);
    expect(size).toBe(100_000);
    expect(blocks * 512).toBeGreaterThanOrEqual(100_000);
    expect(await keepReserve(reserve, 100_000)).toBe(true);
    expect(statSync(reserve).mtimeMs).toBe(mtimeMs);
    expect([await releaseReserve(reserve), await releaseReserve(reserve)]).toEqual([true, false]);
    expect(existsSync(reserve)).toBe(false);
  });

  const disk = smallDisk(1);
  it.skipIf(disk === undefined)(
    'that is not there is no error, and nothing is left half made (needs the right to mount a tmpfs)',
    async () => {
      const small = disk?.dir ?? '';
      try {
        expect(await keepReserve(join(small, 'reserve'), 2 ** 22)).toBe(false);
        expect(readdirSync(small)).toEqual([]);
      } finally {
        disk?.remove();
      }
    },
  );
});
