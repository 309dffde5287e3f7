import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../../services/config.js';
import { inspectValkey } from '../../../services/ops/doctor-valkey.js';
import { openStore } from '../../../services/ops/store.js';
import { startWhole } from '../../e2e/app/instance.js';
import { type ClusterNode, startCluster, type TestCluster } from '../../support/cluster.js';
import { raw, stateless } from '../../support/mcp.js';

let cluster: TestCluster;
let replica: ClusterNode;
let dataDir: string;
beforeAll(async () => {
  cluster = await startCluster();
  replica = await cluster.addReplica(cluster.primaries[2]);
  dataDir = mkdtempSync(join(tmpdir(), 'omt-cluster-'));
});
afterAll(async () => {
  await cluster?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

it('serves tenants of several primaries from one process that was told one node, a replica', async () => {
  const [first, second, third] = cluster.primaries;
  const [own, other] = [await cluster.tenantOn(first), await cluster.tenantOn(second)];
  const instance = await startWhole(dataDir, {
    VALKEY_URL: replica.url,
    OMNIMEM_TENANT: own,
    MCP_AUTH_TOKEN: 'own-own-own',
    MCP_TENANT_TOKENS: `${other}:other-other`,
  });
  try {
    for (const token of ['own-own-own', 'other-other']) {
      const remember = stateless('tools/call', { name: 'remember', arguments: { content: `Told with ${token}.` } });
      const { body } = await raw(instance.url, 'POST', { Authorization: `Bearer ${token}` }, remember);
      expect(body.result?.structuredContent).toMatchObject({ status: 'stored' });
    }
    for (const [tenant, home] of [
      [own, first],
      [other, second],
    ] as const)
      for (const node of [first, second, third])
        expect((await node.redis.keys(`{${tenant}}:ev:mem:*`)).length, `${tenant} on ${node.port}`).toBe(node === home ? 1 : 0);
    const store = await openStore({ target: replica.url, tenant: other });
    const { status } = instance.opened ? await instance.opened.app.queries.health() : { status: 'gone' };
    expect(status).not.toBe('red');
    expect(store.cluster).toBe(true);
    expect(await store.log.size()).toBeGreaterThan(0);
    store.close();
  } finally {
    await instance.close();
  }
});

it('looks at the primary of the tenant, not at the node that the address names', async () => {
  const { config } = loadConfig({ VALKEY_URL: replica.url, OMNIMEM_TENANT: await cluster.tenantOn(cluster.primaries[0]) });
  expect(await inspectValkey(config, undefined)).toContainEqual(expect.objectContaining({ state: 'ok' }));
  await cluster.primaries[0].redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
  await expect(inspectValkey(config, undefined)).rejects.toMatchObject({
    code: 'VALIDATION',
    message: expect.stringContaining('allkeys-lru'),
  });
  await cluster.primaries[0].redis.config('SET', 'maxmemory-policy', 'noeviction');
});
