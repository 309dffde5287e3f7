import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventsTold } from '../../support/eventlog.js';

/** More than one append changes. */
const MANY = 230;

describe('a repeat with the same command id, after the project has changed', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await openTestApp({ env: { EMBEDDING: 'none', AUTO_MAINTENANCE_INTERVAL: '0' } });
  });
  afterAll(async () => {
    await test.verifyAll();
    await test.end();
  });

  const act = (commandId = ulid()) => ({ ...test.call, commandId });
  const remember = async (project: string, content: string): Promise<string> => {
    const stored = await test.app.commands.remember({ content, project, force: true }, test.call);
    return 'key' in stored ? String(stored.key) : '';
  };
  const stateOf = async (key: string): Promise<string | undefined> => {
    const [found] = (await test.app.queries.recallDetail({ keys: [key] }, test.call)).results;
    return found && 'state' in found ? found.state : undefined;
  };
  const confirm = true;

  it('puts nothing aside that came later, and says what it said', async () => {
    const one = await remember('shelf', 'The first plank is of oak.');
    const id = ulid();
    const input = { project_name: 'shelf', confirm };
    const first = await test.app.commands.deprioritiseProject(input, act(id));
    expect(first).toMatchObject({ status: 'deprioritised', total: 1 });
    const later = await remember('shelf', 'The second plank is of pine.');
    await test.app.commands.reinstateProject(input, act());
    const told = await eventsTold(test.log);
    expect(await test.app.commands.deprioritiseProject(input, act(id))).toEqual(first);
    expect(await eventsTold(test.log)).toBe(told);
    expect([await stateOf(one), await stateOf(later)]).toEqual(['active', 'active']);
  });

  it('brings nothing back that was put aside later', async () => {
    const one = await remember('rack', 'The first rack is of iron.');
    await test.app.commands.archive({ key_or_query: one }, act());
    const id = ulid();
    const input = { project_name: 'rack', confirm };
    const first = await test.app.commands.reinstateProject(input, act(id));
    expect(first).toMatchObject({ status: 'reinstated', total: 1 });
    const later = await remember('rack', 'The second rack is of brass.');
    await test.app.commands.archive({ key_or_query: later }, act());
    expect(await test.app.commands.reinstateProject(input, act(id))).toEqual(first);
    expect(await stateOf(later)).toBe('archived');
  });

  it('goes on with what it meant when it was cut off between two steps', async () => {
    const keys = await Promise.all(Array.from({ length: MANY }, (_, n) => remember('crate', `Crate number ${n} holds lamps.`)));
    await test.queryParts.fresh();
    const id = ulid();
    const input = { project_name: 'crate', confirm };
    const stop = new AbortController();
    const cut = { ...act(id), signal: stop.signal, progress: () => stop.abort(new Error('cut off')) };
    await expect(test.app.commands.deprioritiseProject(input, cut)).rejects.toThrow('cut off');
    const later = await remember('crate', 'A crate that came in between.');
    const answer = await test.app.commands.deprioritiseProject(input, act(id));
    expect(answer).toMatchObject({ status: 'deprioritised', total: MANY });
    expect(await stateOf(later)).toBe('active');
    expect(new Set(await Promise.all(keys.map(stateOf)))).toEqual(new Set(['deprioritised']));
    expect(await test.app.commands.deprioritiseProject(input, act(id))).toEqual(answer);
  });

  it('says that a draft of today was not saved', async () => {
    await remember('plan', 'We chose Fastify for the server.');
    const id = ulid();
    const input = { project_name: 'plan', auto_save: true, max_tokens: 2_000 };
    const first = await test.app.commands.compileProjectContext(input, act(id));
    expect(first).toMatchObject({ auto_saved: true, version: 1 });
    expect(first.note).toBeUndefined();
    const told = await eventsTold(test.log);
    expect(await test.app.commands.compileProjectContext(input, act(id))).toMatchObject({
      auto_saved: true,
      version: 1,
      note: expect.stringContaining('answered before'),
    });
    expect(await eventsTold(test.log)).toBe(told);
  });
});
