import { describe, expect, it } from 'vitest';
import { DomainError } from '../../domain/errors.js';
import { createStartup, type Startup, type Step, type StepReport } from '../../services/lifecycle.js';

const signal = new AbortController().signal;
const ok = (name: string, ...after: string[]): Step => ({ name, after, run: async () => `${name} done` });
const failing = (name: string, ...after: string[]): Step => ({
  name,
  after,
  run: async () => {
    throw new DomainError('UNAVAILABLE', `${name} is away`, 'Wait.');
  },
});
const states = (startup: Startup): Record<string, string> => Object.fromEntries(startup.report().map(({ name, state }) => [name, state]));

describe('a start-up', () => {
  it('runs each step after those that it names and reports detail and time', async () => {
    const seen: string[] = [];
    const note = (name: string, ...after: string[]): Step => ({ ...ok(name, ...after), run: async () => String(seen.push(name)) });
    const startup = createStartup([note('c', 'b'), note('a'), note('b', 'a')], { signal });
    const report = await startup.run();
    expect(seen).toEqual(['a', 'b', 'c']);
    expect(report.map(({ name, detail, state }) => [name, detail, state])).toEqual([
      ['c', '3', 'ok'],
      ['a', '1', 'ok'],
      ['b', '2', 'ok'],
    ]);
    expect(report.every(({ ms }) => ms !== undefined && ms >= 0)).toBe(true);
  });

  it('runs independent steps side by side', async () => {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const startup = createStartup(
      [
        { name: 'waits', run: () => gate.then(() => 'went on') },
        { name: 'opens', run: async () => String(open()) },
      ],
      { signal },
    );
    expect((await startup.run()).map(({ state }) => state)).toEqual(['ok', 'ok']);
  });

  it('skips nothing in silence: what depends on a failed step says so, the rest runs', async () => {
    const startup = createStartup([failing('valkey'), ok('replay', 'valkey'), ok('index', 'replay'), ok('model')], { signal });
    await startup.run();
    expect(states(startup)).toEqual({ valkey: 'failed', replay: 'waiting', index: 'waiting', model: 'ok' });
    expect(startup.report().map(({ detail }) => detail)).toEqual([
      'valkey is away. Wait.',
      'waits for valkey, which is failed',
      'waits for replay, which is waiting',
      'model done',
    ]);
  });

  it('can be run again: what failed, and what waited for it', async () => {
    let up = false;
    let modelRuns = 0;
    const valkey: Step = { name: 'valkey', run: async () => (up ? 'up' : Promise.reject(new Error('down'))) };
    const model: Step = { name: 'model', run: async () => String(++modelRuns) };
    const startup = createStartup([valkey, ok('replay', 'valkey'), model], { signal });
    await startup.run();
    up = true;
    await startup.rerun('valkey');
    expect(states(startup)).toEqual({ valkey: 'ok', replay: 'ok', model: 'ok' });
    await startup.run();
    expect(modelRuns).toBe(1);
    await startup.rerun('model');
    expect(modelRuns).toBe(2);
  });

  it('reports each change, progress included', async () => {
    const changes: Pick<StepReport, 'state' | 'detail'>[] = [];
    const step: Step = {
      name: 'model',
      run: async (progress) => {
        progress('40 %');
        return 'fetched';
      },
    };
    await createStartup([step], { signal, onChange: ({ state, detail }) => changes.push({ state, detail }) }).run();
    expect(changes).toEqual([
      { state: 'running', detail: '' },
      { state: 'running', detail: '40 %' },
      { state: 'ok', detail: 'fetched' },
    ]);
  });

  it('begins no further step once it is stopped', async () => {
    const stopping = new AbortController();
    const stop: Step = { name: 'stop', run: async () => String(stopping.abort()) };
    const startup = createStartup([stop, ok('later', 'stop')], { signal: stopping.signal });
    await startup.run();
    expect(states(startup)).toEqual({ stop: 'ok', later: 'waiting' });
  });

  it.each([
    ['a name given twice', [ok('a'), ok('a')]],
    ['an unknown dependency', [ok('a', 'nobody')]],
    ['a circle', [ok('a', 'b'), ok('b', 'a')]],
  ])('refuses %s', (_, steps) => expect(() => createStartup(steps, { signal })).toThrowError(DomainError));
});
