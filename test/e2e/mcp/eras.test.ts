import { describe, expect, it } from 'vitest';
import { initialize, openSession, raw, rpc, startTestServer, stateless } from '../../support/mcp.js';

const V = 'MCP-Protocol-Version';

describe('one address for both eras', () => {
  it('answers server/discover before anything else', async () => {
    await using server = await startTestServer();
    const probe = { ...stateless('server/discover'), id: 'server-discover-probe-1' };
    const { status, body } = await raw(server.url, 'POST', { [V]: '2026-07-28', 'Mcp-Method': 'server/discover' }, probe);
    expect(status).toBe(200);
    expect(body.id).toBe('server-discover-probe-1');
    expect(body.result).toMatchObject({ supportedVersions: expect.arrayContaining(['2026-07-28']), capabilities: { tools: {} } });
    expect(body.result?.instructions).toContain('recall');
  });

  it('lists and calls tools without a session', async () => {
    await using server = await startTestServer();
    const list = await raw(server.url, 'POST', { [V]: '2026-07-28', 'Mcp-Method': 'tools/list' }, stateless('tools/list'));
    expect(list.status).toBe(200);
    expect(list.body.result).toMatchObject({ resultType: 'complete', cacheScope: 'public' });
    expect(list.body.result?.ttlMs).toBeGreaterThan(0);
    const called = await raw(
      server.url,
      'POST',
      { [V]: '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'version' },
      stateless('tools/call', { name: 'version' }),
    );
    expect(called.body.result?.structuredContent).toEqual({ version: '0.0.0-test' });
    expect(server.open().sessions).toBe(0);
  });

  it.each([
    ['header older than _meta', { [V]: '2025-11-25' }, '2026-07-28'],
    ['header newer than _meta', { [V]: '2026-07-28' }, '2025-11-25'],
    ['no header at all', {}, '2026-07-28'],
  ])('serves and logs a stateless call with %s', async (_name, headers, claimed) => {
    await using server = await startTestServer();
    const { status, body } = await raw(server.url, 'POST', headers, stateless('tools/call', { name: 'version', arguments: {} }, claimed));
    expect(status).toBe(200);
    expect(body.result?.structuredContent).toEqual({ version: '0.0.0-test' });
    expect(server.logged()).toContain('protocol versions in header and body differ');
  });

  it('refuses an unknown stateless revision and names those it has', async () => {
    await using server = await startTestServer();
    const { status, body } = await raw(server.url, 'POST', { [V]: '2027-01-01' }, stateless('tools/list', {}, '2027-01-01'));
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: -32022, data: { supported: ['2026-07-28'], requested: '2027-01-01' } });
  });

  it('answers an unknown stateless method 404 with -32601', async () => {
    await using server = await startTestServer();
    const { status, body } = await raw(server.url, 'POST', { [V]: '2026-07-28' }, stateless('nothing/here'));
    expect([status, body.error?.code]).toEqual([404, -32601]);
  });

  it('answers initialize of an unknown revision with one of its own', async () => {
    await using server = await startTestServer();
    const { status, body, headers } = await raw(server.url, 'POST', {}, initialize('2027-01-01'));
    expect(status).toBe(200);
    expect(body.result?.protocolVersion).toBe('2025-11-25');
    expect(headers.get('mcp-session-id')).toBeTruthy();
  });

  it.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])('agrees on %s when the client asks for it', async (version) => {
    await using server = await startTestServer();
    const { body } = await raw(server.url, 'POST', {}, initialize(version));
    expect(body.result?.protocolVersion).toBe(version);
  });

  it('serves a session whose header names a newer revision than was agreed on', async () => {
    await using server = await startTestServer();
    const session = await openSession(server.url);
    for (const version of ['2026-07-28', '2027-01-01']) {
      const { status, body } = await raw(server.url, 'POST', { 'Mcp-Session-Id': session, [V]: version }, rpc('tools/list'));
      expect(status).toBe(200);
      expect(body.result?.tools).toBeInstanceOf(Array);
    }
    expect((await raw(server.url, 'POST', { 'Mcp-Session-Id': session, [V]: 'nonsense' }, rpc('tools/list'))).status).toBe(400);
  });

  it.each(['resources/subscribe', 'completion/complete', 'nothing/here'])('answers %s in a session at once with -32601', async (method) => {
    await using server = await startTestServer();
    const session = await openSession(server.url);
    const { status, body } = await raw(server.url, 'POST', { 'Mcp-Session-Id': session }, rpc(method, { uri: 'x:y' }));
    expect([status, body.error?.code]).toEqual([200, -32601]);
  });

  it('takes initialize for what it is, also when its _meta names the newer revision', async () => {
    await using server = await startTestServer();
    const hello = stateless('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } });
    const { status, body, headers } = await raw(server.url, 'POST', { [V]: '2026-07-28' }, hello);
    expect(status).toBe(200);
    expect(body.result?.protocolVersion).toBe('2025-11-25');
    expect(headers.get('mcp-session-id')).toBeTruthy();
  });

  it('answers at /mcp/ as well', async () => {
    await using server = await startTestServer();
    expect((await raw(`${server.url}/`, 'POST', {}, initialize())).status).toBe(200);
  });

  it('answers ping', async () => {
    await using server = await startTestServer();
    const session = await openSession(server.url);
    expect((await raw(server.url, 'POST', { 'Mcp-Session-Id': session }, rpc('ping'))).body.result).toEqual({});
  });

  it('serves a client that sends no Accept header', async () => {
    await using server = await startTestServer();
    expect((await raw(server.url, 'POST', { Accept: '*/*' }, initialize())).status).toBe(200);
  });
});
