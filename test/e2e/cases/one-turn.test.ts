import { describe, expect, it } from 'vitest';
import { connectTools, serve, type Tools } from '../app/client.js';
import { openServed } from './served.js';

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n + 1);

describe('S01 several tool calls in one turn', () => {
  it('each is done, in one order, and a restart changes nothing', async () => {
    const { test, http, tools, call, remember } = await openServed();
    const older = await remember('Ports are handed out by the platform team.');
    await call('retag', { key: older, add: ['hot'] });
    const tags = range(5).map((n) => `a${n}`);
    const names = range(5).map((n) => `port-broker-${n}`);
    const [services] = await Promise.all([
      Promise.all(
        range(25).map((n) => call('remember', { content: `Service ${n} listens on port ${9_000 + n}`, project: 'ports', force: true })),
      ),
      Promise.all(tags.map((tag) => call('retag', { key: older, add: [tag] }))),
      Promise.all(names.map((name) => call('log_abandoned', { key: older, name, type: 'tool', reason: `${name} lost leases` }))),
    ]);
    expect(services.every(({ status }) => status === 'stored')).toBe(true);
    const look = async (from: Tools) => ({
      audit: await from.call('memory_audit', { project: 'ports', limit: 100 }),
      older: await from.call('explain_memory', { key: older }),
      experience: await from.call('get_experience', { key: older }),
    });
    const before = await look(tools);
    expect(before.audit).toMatchObject({ total: 25, returned: 25 });
    expect([...(before.older.tags as string[])].sort()).toEqual([...tags, 'hot'].sort());
    const buried = before.experience.abandoned_approaches as readonly { readonly name: string }[];
    expect(buried.map(({ name }) => name).sort()).toEqual(names);
    const timeline = before.older.timeline as readonly { readonly n: number; readonly event: string }[];
    expect(timeline.map(({ n }) => n)).toEqual(range(12));
    expect(timeline.slice(0, 2).map(({ event }) => event)).toEqual(['MemoryRemembered', 'MemoryRetagged']);
    expect(
      timeline
        .slice(2)
        .map(({ event }) => event)
        .sort(),
    ).toEqual([...names.map(() => 'ApproachAbandoned'), ...tags.map(() => 'MemoryRetagged')]);
    await tools.close();
    await http.close();
    await test.close();

    const again = await test.another();
    const next = await serve(again.app);
    const back = await connectTools(next.url);
    expect(await look(back)).toEqual(before);
    for (const name of names) expect(await back.call('warn_if_abandoned', { query: `use ${name}?` })).toMatchObject({ status: 'warning' });
    await back.close();
    await next.close();
    await again.close();
    await test.end();
  });
});
