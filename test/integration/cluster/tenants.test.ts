import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { type ClusterNode, startCluster, type TestCluster } from '../../support/cluster.js';

let cluster: TestCluster;
const tenants: { readonly name: string; readonly home: ClusterNode; readonly test: TestApp }[] = [];

beforeAll(async () => {
  cluster = await startCluster();
  const [first, second, third] = cluster.primaries;
  for (const home of [first, second]) {
    const name = await cluster.tenantOn(home);
    // Neither tenant lives on the node that the address names.
    const test = await openTestApp({ valkey: third.server, env: { OMNIMEM_TENANT: name }, options: { target: third.url, cluster: true } });
    tenants.push({ name, home, test });
  }
});
afterAll(async () => {
  for (const { test } of tenants) await test.end();
  await cluster?.stop();
});

const tenant = (i: number) => {
  const found = tenants[i];
  if (!found) throw new Error('no such tenant');
  return found;
};

describe.each([0, 1])('tenant %i of a cluster', (i) => {
  it('keeps every key on its own primary', async () => {
    const { name, home, test } = tenant(i);
    await test.app.commands.remember({ content: 'The first thing this tenant was told.' }, test.call);
    const keysOn = async ({ redis }: ClusterNode): Promise<string[]> => redis.keys(`{${name}}:*`);
    for (const node of cluster.primaries) expect((await keysOn(node)).length > 0).toBe(node === home);
    expect((await home.redis.keys('*')).filter((key) => !key.startsWith(`{${name}}:`))).toEqual([]);
  });

  it('remembers, recalls, tags anew and revises', async () => {
    const { test } = tenant(i);
    const { commands, queries } = test.app;
    const stored = await commands.remember(
      { content: 'The billing worker drains the invoice queue every night.', project: 'billing' },
      test.call,
    );
    if (stored.status !== 'stored') throw new Error(stored.status);
    expect(await commands.retag({ key: stored.key, add: ['nightly'] }, test.call)).toMatchObject({ status: 'updated', tags: ['nightly'] });
    await commands.revise({ key: stored.key, content: 'The billing worker drains the invoice queue every hour.' }, test.call);
    const { results } = await queries.recall({ query: 'when does the billing worker drain the invoice queue' }, test.call);
    expect(results[0]).toMatchObject({
      key: stored.key,
      content: 'The billing worker drains the invoice queue every hour.',
      tags: ['nightly'],
    });
  });

  it('stores a document, a project context and gives a briefing of it', async () => {
    const { test } = tenant(i);
    const { commands, queries } = test.app;
    const content = 'Deployments start at noon on Tuesdays.\n\nA rollback needs two approvals from the release crew.';
    const document = await commands.rememberDocument({ content, project: 'billing', chunk_strategy: 'paragraphs' }, test.call);
    expect(document.chunks_stored).toBe(2);
    await commands.setProjectContext(
      { project_name: 'billing', description: 'Invoices', stack: 'TypeScript', goals: 'Bill on time', current_state: 'In production' },
      test.call,
    );
    expect(await queries.getProjectContext({ project_name: 'billing' }, test.call)).toMatchObject({ current_state: 'In production' });
    expect(JSON.stringify(await queries.briefing({ project: 'billing' }, test.call))).toContain('In production');
    const { results } = await queries.recall({ query: 'how many approvals does a rollback need' }, test.call);
    expect(results[0]?.content).toContain('two approvals');
  });

  it('forgets for good and takes a change back', async () => {
    const { home, test } = tenant(i);
    const { commands, queries } = test.app;
    const secret = await commands.remember({ content: 'Ladybird is the code name of the acquisition.' }, test.call);
    const kept = await commands.remember({ content: 'The wiki moved to the intranet.' }, test.call);
    if (secret.status !== 'stored' || kept.status !== 'stored') throw new Error('not stored');
    const archiving = ulid();
    await commands.archive({ key_or_query: kept.key, reason: 'old' }, { ...test.call, commandId: archiving });
    expect(await commands.undo({ correlation: archiving }, test.call)).toMatchObject({ status: 'undone', restored: [{ key: kept.key }] });
    const preview = await commands.forget({ key_or_query: secret.key }, test.call);
    if (preview.status !== 'preview') throw new Error(preview.status);
    expect(await commands.forget({ preview_id: preview.preview_id, confirm: true }, test.call)).toMatchObject({
      status: 'deleted',
      deleted: 1,
    });
    expect((await queries.recall({ query: 'Ladybird acquisition' }, test.call)).results.map(({ key }) => key)).not.toContain(secret.key);
    expect(await home.redis.hget(test.keys.payloads(secret.key), '1')).toBeNull();
  });

  it('has views that equal their replay', async () => {
    const reports = await tenant(i).test.verifyAll();
    expect(reports.find(({ projection }) => projection === 'memories')?.rows).toBeGreaterThan(3);
  });
});

it('never shows one tenant what another remembers', async () => {
  const [one, two] = [tenant(0).test, tenant(1).test];
  await one.app.commands.remember({ content: 'Quokkas guard the blue archive.' }, one.call);
  const contents = async ({ app, call }: TestApp): Promise<readonly string[]> =>
    (await app.queries.recall({ query: 'quokkas guard the blue archive' }, call)).results.map(({ content }) => content);
  expect(await contents(one)).toContain('Quokkas guard the blue archive.');
  expect(await contents(two)).not.toContain('Quokkas guard the blue archive.');
});
