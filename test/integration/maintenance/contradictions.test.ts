import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isDomainError } from '../../../domain/errors.js';
import { readServingMemories } from '../../../projections/memories.js';
import { openPairs } from '../../../services/queries/contradictions.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventsTold, readEvents } from '../../support/eventlog.js';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
  // The views are built behind the first commands, which takes a while on a busy machine.
  await vi.waitFor(() => openPairs(test, { limit: 1 }), { timeout: 30_000, interval: 50 });
});
afterAll(async () => {
  await test.verifyAll();
  await test.end();
});

const remember = async (content: string, project?: string): Promise<string> => {
  const stored = await test.app.commands.remember({ content, force: true, project }, test.call);
  if (stored.status !== 'stored') throw new Error('not stored');
  return stored.key;
};
const check = (project: string, more: object = {}) =>
  test.app.commands.checkContradictions({ project_filter: project, ...more }, test.call);
const resolve = (input: Parameters<typeof test.app.commands.resolveContradiction>[0]) =>
  test.app.commands.resolveContradiction(input, test.call);
const state = async (key: string) => (await readServingMemories(test.redis, test.keys, [key])).get(key)?.state;
const contradictsOf = async (key: string, query: string) =>
  (await test.app.queries.recall({ query }, test.call)).results.find((result) => result.key === key)?.contradicts;
const refusalOf = async (work: Promise<unknown>) =>
  work.then(
    () => 'not refused',
    (error: unknown) => (isDomainError(error) ? error.code : error),
  );
const open = async (project: string) =>
  (await openPairs(test, { projects: [project], limit: 10 })).map(({ key_a, key_b }) => [key_a, key_b]);

describe('check_contradictions', () => {
  it('finds pairs that oppose each other or differ in a value, flags both under one correlation, and says how', async () => {
    const [never, always] = [
      await remember('Never squash commits in the atlas repo', 'atlas'),
      await remember('Always squash commits in the atlas repo', 'atlas'),
    ];
    const [old, fresh] = [
      await remember('The atlas staging server listens on port 8081', 'atlas'),
      await remember('The atlas staging server listens on port 8082', 'atlas'),
    ];
    await remember('The atlas team meets in the library', 'atlas');
    const commandId = ulid();
    const answer = await test.app.commands.checkContradictions({ project_filter: 'atlas' }, { ...test.call, commandId });
    expect(answer.contradictions.map(({ key_a, key_b }) => [key_a, key_b].sort())).toEqual(
      expect.arrayContaining([[never, always].sort(), [old, fresh].sort()]),
    );
    expect(answer.contradictions).toHaveLength(2);
    expect(answer.contradictions[0]).toMatchObject({
      method: 'heuristic',
      explanation: expect.any(String),
      similarity: expect.any(Number),
      content_a: expect.stringContaining('atlas'),
    });
    expect(answer.checked).toBeGreaterThan(1);
    const made = (await readEvents(test.log)).filter(({ envelope }) => envelope.correlation === commandId);
    expect(made.map(({ type }) => type)).toEqual(Array(4).fill('ContradictionFlagged'));
    expect(JSON.stringify(made.map(({ data }) => data))).not.toMatch(/808|atlas/);
    expect(await open('atlas')).toHaveLength(2);

    const size = await eventsTold(test.log);
    expect((await check('atlas')).contradictions).toHaveLength(2);
    expect(await eventsTold(test.log)).toBe(size);

    const recalled = (await test.app.queries.recall({ query: 'atlas staging server port' }, test.call)).results.find(
      ({ key }) => key === old,
    );
    expect(recalled).toMatchObject({ contradictions: 1, contradicts: [fresh] });
    const listed = (await test.app.queries.recallIndex({ query: 'atlas staging server port' }, test.call)).results.find(
      ({ key }) => key === fresh,
    );
    expect(listed).toMatchObject({ contradictions: 1, contradicts: [old] });
    expect(await test.app.queries.explainMemory({ key: old }, test.call)).toMatchObject({
      contradictions: [{ with: fresh, cue: 'number', method: 'heuristic', since: expect.any(String), other_state: 'active' }],
    });
  });

  it('with a query looks only at what is near it', async () => {
    await remember('Avoid moment for dates in the comet app', 'comet');
    await remember('Use moment for dates in the comet app', 'comet');
    const { contradictions } = await check('comet', { query: 'moment dates' });
    expect(contradictions).toHaveLength(1);
    expect((await check('comet', { query: 'kitchen sink' })).contradictions.length).toBeLessThanOrEqual(1);
  });

  it('compares across projects only when one memory belongs to none', async () => {
    await remember('The dune gateway times out after 30 seconds', 'dune-one');
    const [other, none] = [
      await remember('The dune gateway times out after 60 seconds', 'dune-two'),
      await remember('The dune gateway times out after 90 seconds'),
    ];
    const { contradictions } = await test.app.commands.checkContradictions({ query: 'dune gateway times out' }, test.call);
    const pairs = contradictions.filter(({ content_a }) => content_a.includes('dune')).map(({ key_a, key_b }) => [key_a, key_b]);
    expect(pairs.every((pair) => pair.includes(none))).toBe(true);
    expect(pairs.some((pair) => pair.includes(other))).toBe(true);
  });

  it('says that no model was asked when there is none', async () => {
    await remember('Never cache the ember manifest', 'ember');
    await remember('Always cache the ember manifest', 'ember');
    expect(await check('ember', { use_api: true })).toMatchObject({
      contradictions: [{ method: 'heuristic' }],
      note: expect.stringContaining('No model'),
    });
  });

  it('refuses what it does not know', async () => {
    expect(await refusalOf(check('x', { namespace: 'dreams' }))).toBe('VALIDATION');
    expect(await refusalOf(check('../x'))).toBe('VALIDATION');
  });
});

describe('resolve_contradiction', () => {
  const pair = async (name: string): Promise<readonly [string, string]> => {
    const keys = [
      await remember(`Never restart the ${name} worker by hand`, name),
      await remember(`Always restart the ${name} worker by hand`, name),
    ] as const;
    expect((await check(name)).contradictions).toHaveLength(1);
    return keys;
  };

  it('closes the pair, sets the other aside, and undo opens it again', async () => {
    const [never, always] = await pair('fjord');
    const commandId = ulid();
    const answer = await test.app.commands.resolveContradiction({ key_a: never, key_b: always, keep: always }, { ...test.call, commandId });
    expect(answer).toMatchObject({ status: 'resolved', kept: always, deprioritised: never });
    expect([await state(never), await state(always)]).toEqual(['deprioritised', 'active']);
    expect((await readServingMemories(test.redis, test.keys, [never])).get(never)?.deprioritised_reason).toContain(always);
    expect(await contradictsOf(always, 'restart the fjord worker')).toBeUndefined();
    expect(await open('fjord')).toEqual([]);
    expect((await test.app.commands.undo({ correlation: commandId }, test.call)).status).toBe('undone');
    expect([await state(never), await open('fjord')]).toEqual(['active', [[never, always].sort()]]);
  });

  it('of a pair where both hold is not flagged again until a text is revised', async () => {
    const [never, always] = await pair('glade');
    const before = (await test.log.head())?.position ?? '';
    expect(await resolve({ key_a: never, key_b: always, keep: 'both', note: 'two kinds of restart' })).toMatchObject({ kept: 'both' });
    expect([await state(never), await state(always)]).toEqual(['active', 'active']);
    const then = await test.app.queries.recall({ query: 'restart the glade worker', as_of: before }, test.call);
    expect(then.results.find(({ key }) => key === always)).toMatchObject({ contradicts: [never] });
    expect(await test.app.queries.explainMemory({ key: always, as_of: before }, test.call)).toMatchObject({
      contradictions: [{ with: never }],
    });
    expect(await test.app.queries.explainMemory({ key: always }, test.call)).not.toHaveProperty('contradictions');
    expect((await check('glade')).contradictions).toEqual([]);
    expect(await refusalOf(resolve({ key_a: never, key_b: always }))).toBe('CONFLICT');
    await test.app.commands.revise({ key: never, content: 'Never ever restart the glade worker by hand' }, test.call);
    expect((await check('glade')).contradictions).toHaveLength(1);
    expect(await open('glade')).toHaveLength(1);
  });

  it('is refused for a pair that is not flagged, one memory, no key, and a stranger to keep', async () => {
    const [one, two] = [
      await remember('The heron tests run on Node 24', 'heron'),
      await remember('The heron docs are in English', 'heron'),
    ];
    expect(await refusalOf(resolve({ key_a: one, key_b: two }))).toBe('CONFLICT');
    expect(await refusalOf(resolve({ key_a: one, key_b: one }))).toBe('VALIDATION');
    expect(await refusalOf(resolve({ key_a: one, key_b: 'two' }))).toBe('VALIDATION');
    expect(await refusalOf(resolve({ key_a: one, key_b: two, keep: `mem:episodic:${ulid()}` }))).toBe('VALIDATION');
    expect(await refusalOf(resolve({ key_a: one, key_b: `mem:episodic:${ulid()}` }))).toBe('NOT_FOUND');
  });

  it('a side that was forgotten or archived contradicts nothing, and comes back with its flag', async () => {
    const [never, always] = await pair('inlet');
    expect(await contradictsOf(always, 'restart the inlet worker')).toEqual([never]);
    await test.app.commands.archive({ key_or_query: never }, test.call);
    expect([await contradictsOf(always, 'restart the inlet worker'), await open('inlet')]).toEqual([undefined, []]);
    await test.app.commands.reinstate({ key_or_query: never }, test.call);
    expect([await contradictsOf(always, 'restart the inlet worker'), (await open('inlet')).length]).toEqual([[never], 1]);
    await test.app.commands.forget({ key_or_query: never, confirm: true }, test.call);
    expect([await contradictsOf(always, 'restart the inlet worker'), await open('inlet')]).toEqual([undefined, []]);
    expect(await test.app.queries.explainMemory({ key: always }, test.call)).not.toHaveProperty('contradictions');
    expect(await refusalOf(resolve({ key_a: never, key_b: always }))).toBe('NOT_FOUND');
  });
});
