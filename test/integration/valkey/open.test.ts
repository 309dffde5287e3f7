import { mkdtempSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { connect } from '../../../services/valkey/client.js';
import { openValkey } from '../../../services/valkey/open.js';
import { capturingLog } from '../../support/log.js';
import { startValkey } from '../../support/valkey.js';

describe('the Valkey of a process', () => {
  it('is its own, on the data folder, when none is named', async () => {
    const dataDir = mkdtempSync('/tmp/omo-');
    const told: string[] = [];
    const valkey = await openValkey({
      config: { valkey: undefined, dataDir, minFreeBytes: 0 },
      log: capturingLog().log,
      progress: (text) => told.push(text),
    });
    try {
      const client = connect(valkey.target, 'general');
      expect(await client.ping()).toBe('PONG');
      client.disconnect();
      expect(valkey.status()).toMatchObject({ state: 'running', mode: 'normal' });
      expect(valkey.facts.warnings).toEqual([]);
      expect(told).toEqual([expect.stringMatching(/^starting valkey-server \d/)]);
    } finally {
      await valkey.stop();
      rmSync(dataDir, { recursive: true });
    }
  });

  it('is the one that is named, which is left running', async () => {
    await using server = await startValkey({ aof: 'always' });
    const valkey = await openValkey({
      config: { valkey: server.url, dataDir: '/nowhere', minFreeBytes: 0 },
      log: capturingLog().log,
      progress: () => undefined,
    });
    expect(valkey.target).toBe(server.url);
    await valkey.stop();
    expect(await server.client().ping()).toBe('PONG');
  });

  it('is refused when that one may drop keys', async () => {
    await using server = await startValkey({ config: { 'maxmemory-policy': 'allkeys-lru' } });
    const opening = openValkey({
      config: { valkey: server.url, dataDir: '/nowhere', minFreeBytes: 0 },
      log: capturingLog().log,
      progress: () => undefined,
    });
    await expect(opening).rejects.toMatchObject({ code: 'VALIDATION', hint: expect.stringContaining('noeviction') });
  });
});
