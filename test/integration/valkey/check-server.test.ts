import { describe, expect, it } from 'vitest';
import { checkServer } from '../../../services/valkey/check-server.js';
import { startValkey } from '../../support/valkey.js';

describe('a server that is looked at before use', () => {
  it('tells its version and modules', async () => {
    await using server = await startValkey({ aof: 'always' });
    const facts = await checkServer(server.client());
    expect(facts).toMatchObject({ modules: [], cluster: false, warnings: [] });
    expect(facts.version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('is named as forgetful when it writes no file', async () => {
    await using server = await startValkey({ aof: 'no' });
    expect((await checkServer(server.client())).warnings).toEqual([expect.stringContaining('append-only file')]);
  });

  it.each(['allkeys-lru', 'volatile-ttl'])('is refused with maxmemory-policy %s', async (policy) => {
    await using server = await startValkey({ config: { 'maxmemory-policy': policy } });
    await expect(checkServer(server.client())).rejects.toMatchObject({ code: 'VALIDATION', message: expect.stringContaining(policy) });
  });

  it('is refused when it is a replica', async () => {
    await using server = await startValkey();
    const client = server.client();
    await client.replicaof('127.0.0.1', 1);
    await expect(checkServer(client)).rejects.toMatchObject({ code: 'VALIDATION', message: expect.stringContaining('replica') });
  });

  it('is UNAVAILABLE when nobody answers', async () => {
    await using server = await startValkey();
    const client = server.client('append');
    await client.ping();
    await server.kill();
    await expect(checkServer(client)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
