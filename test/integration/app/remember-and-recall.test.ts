import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemRandom } from '../../../services/eventlog/random.js';
import { openTestApp, type TestApp } from '../../support/app.js';

describe('remember and recall', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await openTestApp();
  });
  afterAll(async () => {
    await test.verifyAll();
    await test.end();
  });

  it('finds at once what was just stored', async () => {
    const { commands, queries } = test.app;
    const stored = await commands.remember(
      { content: 'The staging API listens on port 8080.', project: 'ports', tags: ['api'] },
      test.call,
    );
    expect(stored).toMatchObject({ status: 'stored', namespace: 'episodic' });
    const { results } = await queries.recall({ query: 'which port does the staging API use?' }, test.call);
    expect(results[0]).toMatchObject({
      content: 'The staging API listens on port 8080.',
      project: 'ports',
      tags: ['api'],
      licence: 'own',
      provenance: 'concluded',
    });
  });

  it('stores a corrected value and flags it against the first', async () => {
    const stored = await test.app.commands.remember({ content: 'The staging API listens on port 8081.', project: 'ports' }, test.call);
    expect(stored).toMatchObject({
      status: 'stored',
      contradiction_warning: { existing_content: 'The staging API listens on port 8080.' },
    });
  });

  it('answers an equal text as a duplicate and stores nothing', async () => {
    const again = await test.app.commands.remember({ content: 'the staging  API listens on port 8080.', project: 'ports' }, test.call);
    expect(again).toMatchObject({ status: 'duplicate_found', existing_content: 'The staging API listens on port 8080.' });
  });

  it('answers nothing when nothing matches', async () => {
    const { results, message } = await test.app.queries.recall({ query: 'zebra xylophone quantum' }, test.call);
    expect(results).toEqual([]);
    expect(message).toMatch(/No memory matches/);
  });

  it('lifts the memory whose event is near the date that the query names', async () => {
    const { commands, queries } = test.app;
    const outage = { project: 'outages', force: true };
    await commands.remember(
      { ...outage, content: 'Outage of the payment gateway: a full disk.', event_date: '2025-03-14T00:00:00Z' },
      test.call,
    );
    await commands.remember({ ...outage, content: 'Outage of the payment gateway: a late certificate.' }, test.call);
    const asked = { query: 'outage of the payment gateway in March 2025', project_filter: 'outages', score_breakdown: true };
    const { results } = await queries.recall(asked, test.call);
    expect(results.map(({ content, score_breakdown }) => [content, score_breakdown?.temporal])).toEqual([
      ['Outage of the payment gateway: a full disk.', 1.5],
      ['Outage of the payment gateway: a late certificate.', 1],
    ]);
  });

  it('tells a memory its history', async () => {
    const { commands, queries } = test.app;
    const stored = await commands.remember({ content: 'Release branch is cut on Tuesdays' }, test.call);
    if (stored.status !== 'stored') throw new Error('not stored');
    await commands.retag({ key: stored.key, add: ['release'] }, test.call);
    await commands.revise({ key: stored.key, content: 'Release branch is cut on Thursdays', reason: 'moved' }, test.call);
    await commands.deprioritise({ key_or_query: stored.key, reason: 'old', reinstate_hints: ['release train'] }, test.call);
    const explained = await queries.explainMemory({ key: stored.key }, test.call);
    if (explained.status === 'not_found') throw new Error('not found');
    expect(explained.timeline.map(({ event }) => event)).toEqual([
      'MemoryRemembered',
      'MemoryRetagged',
      'MemoryRevised',
      'MemoryDeprioritised',
    ]);
    expect(explained.timeline[2]?.changed).toEqual({
      content: { from: 'Release branch is cut on Tuesdays', to: 'Release branch is cut on Thursdays' },
    });
    const { results } = await queries.recall({ query: 'release train' }, test.call);
    expect(results[0]).toMatchObject({ key: stored.key, score: 0.6, reinstate_candidate: true, deprioritised_reason: 'old' });
  });

  it('forgets exactly what was previewed, and leaves nothing', async () => {
    const { commands, queries } = test.app;
    const stored = await commands.remember({ content: 'The password rotation happens in the zanzibar bunker' }, test.call);
    if (stored.status !== 'stored') throw new Error('not stored');
    const preview = await commands.forget({ key_or_query: stored.key }, test.call);
    expect(preview).toMatchObject({ status: 'preview', targets: [{ key: stored.key }] });
    const done = await commands.forget({ key_or_query: stored.key, confirm: true, keys: [stored.key] }, test.call);
    expect(done).toMatchObject({ status: 'deleted', deleted_keys: [stored.key] });
    expect((await queries.recall({ query: 'zanzibar bunker' }, test.call)).results).toEqual([]);
    expect(await queries.explainMemory({ key: stored.key }, test.call)).toMatchObject({ status: 'forgotten' });
  });

  it('holds a command id to the command it was first used for', async () => {
    const { commands } = test.app;
    const call = { ...test.call, commandId: systemRandom().ulid(Date.now()) };
    const first = await commands.remember({ content: 'The Sunday job runs in Lisbon' }, call);
    expect(await commands.remember({ content: 'The Sunday job runs in Lisbon' }, call)).toMatchObject({ ...first });
    await expect(commands.remember({ content: 'Something else entirely' }, call)).rejects.toMatchObject({ code: 'CONFLICT' });
    if (first.status !== 'stored') throw new Error('not stored');
    await expect(commands.archive({ key_or_query: first.key }, call)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await test.app.queries.recall({ query: 'Something else entirely' }, test.call)).results).toEqual([]);
  });

  it('answers nothing to an identifier that no memory holds', async () => {
    expect((await test.app.queries.recall({ query: 'TS2345' }, test.call)).results).toEqual([]);
  });

  it('shows why a memory was revised', async () => {
    const stored = await test.app.commands.remember({ content: 'Backups go to the Oslo vault' }, test.call);
    if (stored.status !== 'stored') throw new Error('not stored');
    await test.app.commands.revise({ key: stored.key, content: 'Backups go to the Bergen vault', reason: 'moved house' }, test.call);
    const explained = await test.app.queries.explainMemory({ key: stored.key }, test.call);
    expect(explained).toMatchObject({ timeline: [{}, { event: 'MemoryRevised', reason: 'moved house' }] });
  });

  it('says when only suppressed topics were found', async () => {
    const { commands, queries } = test.app;
    await commands.remember({ content: 'The kingfisher nests under the old bridge' }, test.call);
    await commands.suppressTopic({ topic: 'kingfisher' }, test.call);
    const { results, message } = await queries.recall({ query: 'kingfisher nests old bridge' }, test.call);
    expect(results).toEqual([]);
    expect(message).toMatch(/suppressed topics/);
    await commands.unsuppressTopic({ topic: 'kingfisher' }, test.call);
    expect((await queries.recall({ query: 'kingfisher nests old bridge' }, test.call)).results).toHaveLength(1);
  });

  it('is healthy', async () => {
    const health = await test.app.queries.health();
    expect(health.issues.filter(({ severity }) => severity === 'red')).toEqual([]);
  });
});
