import { expect, it } from 'vitest';
import { openTestApp } from '../support/app.js';

it('a clock that jumps back a year, and forward again, disturbs neither order nor recall nor health', { timeout: 120_000 }, async () => {
  let clock = Date.parse('2026-05-03T12:00:00Z');
  const test = await openTestApp({ options: { now: () => clock } });
  const remember = async (content: string): Promise<string> => {
    const stored = await test.app.commands.remember({ content }, test.call);
    if (stored.status !== 'stored') throw new Error('not stored');
    return stored.key;
  };
  try {
    const key = await remember('The sundial stands in the north garden.');
    clock -= 365 * 24 * 3_600_000;
    await test.app.commands.retag({ key, add: ['early'] }, test.call);
    const older = await remember('The hourglass stands in the library.');
    clock += 2 * 365 * 24 * 3_600_000;
    await test.app.commands.revise({ key, content: 'The sundial stands in the south garden.' }, test.call);
    const explained = await test.app.queries.explainMemory({ key }, test.call);
    if (explained.status === 'not_found') throw new Error('not found');
    // The order is the log's; the times are what the clock said.
    expect(explained.timeline.map(({ event, at }) => [event, at.slice(0, 4)])).toEqual([
      ['MemoryRemembered', '2026'],
      ['MemoryRetagged', '2025'],
      ['MemoryRevised', '2027'],
    ]);
    const positions = explained.timeline.map(({ position }) => Number(position.split('-')[0]));
    expect([...positions].sort((a, b) => a - b)).toEqual(positions);
    for (const [query, wanted] of [
      ['The sundial stands in the south garden.', key],
      ['The hourglass stands in the library.', older],
    ] as const)
      expect((await test.app.queries.recall({ query }, test.call)).results[0], query).toMatchObject({
        key: wanted,
        score: expect.any(Number),
      });
    clock -= 3 * 365 * 24 * 3_600_000;
    const { results } = await test.app.queries.recall(
      { query: 'The sundial stands in the south garden.', score_breakdown: true },
      test.call,
    );
    expect(results[0]?.key).toBe(key);
    // A memory from the future is not worth more than one of now.
    expect(results[0]?.score_breakdown?.recency).toBeLessThanOrEqual(1);
    expect((await test.app.queries.health()).issues.filter(({ severity }) => severity === 'red')).toEqual([]);
    await test.app.commands.forget({ key_or_query: older, confirm: true, keys: [older] }, test.call);
    expect((await test.app.queries.recallDetail({ keys: [older] }, test.call)).results).toEqual([{ key: older, status: 'not_found' }]);
    await test.verifyAll();
  } finally {
    await test.end();
  }
});
