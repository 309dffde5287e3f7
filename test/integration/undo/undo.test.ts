import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ORIGIN } from '../../../domain/envelope.js';
import { systemSubject } from '../../../domain/system/events.js';
import type { MemoryRow } from '../../../projections/memories.js';
import { readServingMemories } from '../../../projections/memories.js';
import { MAX_EVENTS } from '../../../services/eventlog/append.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { appendOf, eventsTold, newMemory, readEvents } from '../../support/eventlog.js';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
});
afterAll(async () => {
  await test.verifyAll();
  await test.end();
});

const act = (commandId = ulid()) => ({ ...test.call, commandId });
const remember = async (content: string, commandId = ulid()): Promise<string> => {
  const stored = await test.app.commands.remember({ content, force: true, tags: ['old'] }, act(commandId));
  if (stored.status !== 'stored') throw new Error('not stored');
  return stored.key;
};
const row = async (key: string): Promise<MemoryRow | undefined> => (await readServingMemories(test.redis, test.keys, [key])).get(key);
const undo = (correlation: string, commandId = ulid()) => test.app.commands.undo({ correlation }, act(commandId));
const found = async (query: string): Promise<readonly string[]> =>
  (await test.app.queries.recall({ query }, test.call)).results.map(({ key }) => key);

/** Bytes that the server has answered so far. */
const sent = async (): Promise<number> => Number(/total_net_output_bytes:(\d+)/.exec(await test.redis.info('stats'))?.[1]);

describe('undo', () => {
  it('puts back wording, tags, state, licence and provenance, each action by its correlation', async () => {
    const key = await remember('The lighthouse keeper is called Ottoline.');
    const before = await row(key);
    const ids = Array.from({ length: 5 }, () => ulid());
    const [revise, retag, deprioritise, licence, provenance] = ids as [string, string, string, string, string];
    await test.app.commands.revise({ key, content: 'The lighthouse keeper is called Peregrine.' }, act(revise));
    await test.app.commands.retag({ key, tags: ['new'] }, act(retag));
    await test.app.commands.deprioritise({ key_or_query: key, reason: 'doubtful', reinstate_hints: ['keeper'] }, act(deprioritise));
    await test.app.commands.setLicence({ keys: [key], licence: 'MIT' }, act(licence));
    await test.app.commands.setProvenance({ keys: [key], provenance: 'asserted' }, act(provenance));
    const answers = [];
    for (const id of ids) answers.push(await undo(id));
    expect(answers.map(({ status, restored }) => [status, restored[0]?.fields])).toEqual([
      ['undone', ['content']],
      ['undone', ['tags']],
      ['undone', ['state']],
      ['undone', ['licence']],
      ['undone', ['provenance']],
    ]);
    const { version: _v, content_version: _c, updated_at: _u, ...after } = (await row(key)) ?? ({} as MemoryRow);
    expect(before).toMatchObject(after);
    expect(await found('The lighthouse keeper is called Ottoline')).toContain(key);
  });

  it('is one action: one correlation, caused by what it undid, recorded; repeated, it changes nothing', async () => {
    const keys = [await remember('Bulk one about kestrels.'), await remember('Bulk two about kestrels.')];
    const stamp = ulid();
    await test.app.commands.setLicence({ keys, licence: 'restricted' }, act(stamp));
    const mine = ulid();
    const answer = await undo(stamp, mine);
    expect(answer).toMatchObject({ status: 'undone', correlation: stamp, undo_correlation: mine, kept: [], irreversible: [] });
    expect(answer.restored.map(({ key }) => key).sort()).toEqual([...keys].sort());
    const events = await readEvents(test.log);
    const made = events.filter(({ envelope }) => envelope.correlation === mine);
    expect(made.map(({ type }) => type).sort()).toEqual(['ActionUndone', 'LicenceStamped', 'LicenceStamped']);
    const causes = new Set(made.map(({ envelope }) => envelope.causation));
    expect(events.filter(({ envelope }) => causes.has(envelope.id)).map(({ envelope }) => envelope.correlation)).toEqual([stamp]);
    const size = await eventsTold(test.log);
    expect(await undo(stamp, mine)).toEqual(answer);
    expect(await undo(stamp)).toMatchObject({ status: 'unchanged', restored: [] });
    expect(await eventsTold(test.log)).toBe(size);
  });

  it('reads no more of a day on which much was undone before', async () => {
    const at = new Date().toISOString();
    const data = { correlation: ulid(), restored: 1, kept: 0, irreversible: 0 };
    const events = Array.from({ length: 1_500 }, () => ({ type: 'ActionUndone' as const, data }));
    const appended = await test.log.append(appendOf([{ subject: systemSubject(at), expected: 'any', events }]));
    if (!('events' in appended)) throw new Error('not appended');
    await test.runner.waitFor(appended.events.at(-1)?.position ?? ORIGIN, 30_000);
    const key = await remember('The pilot boat is moored at the north quay.');
    const revise = ulid();
    await test.app.commands.revise({ key, content: 'The pilot boat is moored at the south quay.' }, act(revise));
    const first = await undo(revise);
    // A fifth of the day's lines, which no step of an undo needs.
    const before = await sent();
    expect(await undo(first.undo_correlation ?? '')).toMatchObject({ status: 'undone' });
    expect(await undo(revise)).toMatchObject({ status: 'undone' });
    expect((await sent()) - before).toBeLessThan(60_000);
  });

  it('undone in turn, does the action again', async () => {
    const key = await remember('The ferry leaves at nine.');
    const revise = ulid();
    await test.app.commands.revise({ key, content: 'The ferry leaves at ten.' }, act(revise));
    const first = await undo(revise);
    expect((await row(key))?.content).toBe('The ferry leaves at nine.');
    expect(await undo(first.undo_correlation ?? '')).toMatchObject({ status: 'undone' });
    expect((await row(key))?.content).toBe('The ferry leaves at ten.');
  });

  it('keeps what another wrote since and names that action', async () => {
    const key = await remember('The gate code is blue.');
    const [revise, later] = [ulid(), ulid()];
    await test.app.commands.revise({ key, content: 'The gate code is green.' }, act(revise));
    await test.app.commands.revise({ key, content: 'The gate code is red.' }, act(later));
    expect(await undo(revise)).toMatchObject({ status: 'unchanged', kept: [{ key, fields: ['content'], changed_by: [later] }] });
    expect((await row(key))?.content).toBe('The gate code is red.');
  });

  it('archives what was remembered, frees its text, and brings it back', async () => {
    const born = ulid();
    const key = await remember('A fact nobody asked for.', born);
    const answer = await undo(born);
    expect(answer).toMatchObject({ status: 'undone', restored: [{ key, fields: ['memory'] }], note: expect.stringContaining('archived') });
    expect(await found('a fact nobody asked for')).not.toContain(key);
    const again = await test.app.commands.remember({ content: 'A fact nobody asked for.' }, test.call);
    expect(again.status).toBe('stored');
    await undo(answer.undo_correlation ?? '');
    expect((await row(key))?.state).toBe('active');
  });

  it('lifts and puts back suppressed topics', async () => {
    const suppress = ulid();
    await test.app.commands.suppressTopic({ topic: 'weather', reason: 'dull' }, act(suppress));
    const first = await undo(suppress);
    // The key shows a hash, so the topic is named beside it.
    expect(first.restored).toEqual([{ key: expect.stringMatching(/^topic:H:/), topic: 'weather', fields: ['suppression'] }]);
    expect((await test.app.queries.listSuppressions({}, test.call)).suppressed_topics).toEqual([]);
    await undo(first.undo_correlation ?? '');
    expect(await test.app.queries.listSuppressions({}, test.call)).toEqual({
      suppressed_topics: ['weather'],
      reasons: { weather: 'dull' },
    });
  });

  it('says that forgetting, and what the system noted, cannot be undone', async () => {
    const [born, forget] = [ulid(), ulid()];
    const key = await remember('Gone for good.', born);
    await test.app.commands.forget({ key_or_query: key, confirm: true }, act(forget));
    for (const correlation of [forget, born]) {
      expect(await undo(correlation)).toMatchObject({
        status: 'unchanged',
        irreversible: [{ key, why: expect.stringContaining('forgotten') }],
      });
    }
    const named = (await readEvents(await logWithoutHusks())).find(({ type }) => type === 'EmbeddingModelChanged');
    expect(await undo(named?.envelope.correlation ?? '')).toMatchObject({
      irreversible: [{ why: expect.stringContaining('EmbeddingModelChanged') }],
    });
  });

  it('takes back one action after the other, the newest first, and then all that was remembered', async () => {
    const born = ulid();
    const key = await remember('The pilot boat is called Cormorant.', born);
    const [deprioritise, reinstate, archive] = [ulid(), ulid(), ulid()];
    await test.app.commands.deprioritise({ key_or_query: key, reason: 'doubtful', reinstate_hints: ['boat'] }, act(deprioritise));
    const doubted = await row(key);
    await test.app.commands.reinstate({ key_or_query: key }, act(reinstate));
    expect(await undo(reinstate)).toMatchObject({ restored: [{ key, fields: ['state'] }], kept: [] });
    expect(await row(key)).toMatchObject({ state: 'deprioritised', deprioritised_reason: doubted?.deprioritised_reason });
    expect(await undo(deprioritise)).toMatchObject({ restored: [{ key, fields: ['state'] }], kept: [] });
    expect((await row(key))?.state).toBe('active');
    expect(await undo(reinstate)).toMatchObject({ status: 'unchanged' });

    // Changed and changed back: as if nothing had happened, so what was born in the action goes.
    await test.app.commands.archive({ key_or_query: key }, act(archive));
    await undo(archive);
    const gone = await undo(born);
    expect(gone).toMatchObject({ restored: [{ key, fields: ['memory'] }], kept: [] });
    expect((await row(key))?.state).toBe('archived');
    await undo(gone.undo_correlation ?? '');
    expect((await row(key))?.state).toBe('active');

    // An undo that was itself undone annuls nothing: what it had taken back stands.
    const again = ulid();
    await test.app.commands.retag({ key, tags: ['redone'] }, act(again));
    await undo((await undo(again)).undo_correlation ?? '');
    expect((await row(key))?.tags).toEqual(['redone']);
    expect(await undo(born)).toMatchObject({ status: 'unchanged', kept: [{ key, fields: ['memory'] }] });
    expect(await undo(again)).toMatchObject({ restored: [{ fields: ['tags'] }] });
    expect((await row(key))?.tags).toEqual(['old']);
  });

  it('keeps what somebody changed and changed back by hand', async () => {
    const born = ulid();
    const key = await remember('The tug is called Gannet.', born);
    await test.app.commands.archive({ key_or_query: key }, act());
    await test.app.commands.reinstate({ key_or_query: key }, act());
    expect(await undo(born)).toMatchObject({ status: 'unchanged', kept: [{ key, fields: ['memory'] }] });
    expect((await row(key))?.state).toBe('active');
  });

  it('refuses what is no action', async () => {
    await expect(undo('nonsense')).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(undo(ulid())).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('undoes an action on more memories than one append holds', async () => {
    const writes = Array.from({ length: 600 }, (_, i) => newMemory(`bulk ${i}`));
    const born = ulid();
    await test.log.append(appendOf(writes, { commandId: born }));
    const answer = await undo(born);
    expect(answer.restored).toHaveLength(600);
    const audit = await test.app.queries.memoryAudit({ include_archived: true, limit: 1 }, test.call);
    expect(audit.summary.archived).toBeGreaterThanOrEqual(600);
    expect((await undo(answer.undo_correlation ?? '')).restored).toHaveLength(600);
    expect(writes.length * 7).toBeGreaterThan(MAX_EVENTS);
  });
});

/** The log as the helper wants it: without what was forgotten. */
const logWithoutHusks = async () => ({
  ...test.log,
  read: async (...input: Parameters<typeof test.log.read>) => (await test.log.read(...input)).filter(({ kind }) => kind === 'event'),
});
