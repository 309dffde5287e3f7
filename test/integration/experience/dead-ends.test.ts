import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { OpenApp } from '../../../services/app.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventsTold } from '../../support/eventlog.js';
import { deedsWith } from './support.js';

let test: TestApp;
let other: OpenApp;
beforeAll(async () => {
  test = await openTestApp();
  other = await test.another();
  await other.app.whenReady(10_000);
  // The views of a new store are built while it is already written to.
  await vi.waitFor(() => test.app.queries.experienceSummary({}, test.call), { timeout: 30_000 });
});
afterAll(async () => {
  await test.verifyAll();
  await other.close();
  await test.end();
});

const { act, remember, warn, recall, topics, forget } = deedsWith(() => test);

describe('a dead end', () => {
  it('is known in every process the moment after it was written in one', async () => {
    for (let i = 0; i < 10; i++) {
      const key = await remember(`Attempt ${i} at the embedding service.`, 'vectors');
      const name = `runtime${i}`;
      await test.app.commands.logAbandoned({ key, name, type: 'library', reason: `crashed ${i} times` }, test.call);
      const answer = await warn(`should we use ${name}?`, undefined, other);
      expect(answer).toMatchObject({
        status: 'warning',
        total: 1,
        matches: [{ memory_key: key, abandoned_name: name, project: 'vectors' }],
      });
    }
  });

  it('is found apart and joined, and not by common words', async () => {
    const key = await remember('Vectors are made by a worker thread.');
    for (const name of ['onnxruntime', 'Next.js', 'on', 'next'])
      await test.app.commands.logAbandoned({ key, name, type: 'library', reason: 'too large' }, test.call);
    expect(await warn('use onnx runtime for embeddings?')).toMatchObject({
      status: 'warning',
      matches: [{ abandoned_name: 'onnxruntime' }],
    });
    expect(await warn('a next.js app')).toMatchObject({
      status: 'warning',
      matches: [{ abandoned_name: 'next' }, { abandoned_name: 'Next.js' }],
      total: 2,
    });
    for (const query of ['what is next', 'what goes on', 'on the next day']) expect(await warn(query)).toEqual({ status: 'clear' });
    await expect(warn('  ')).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  it('of an archived memory still warns, and says so; of a forgotten one it is gone everywhere', async () => {
    const key = await remember('Zookeeper held the leader lock.');
    await test.app.commands.logAbandoned({ key, name: 'zookeeper', type: 'service', reason: 'three nodes for one lock' }, test.call);
    await test.app.commands.archive({ key_or_query: key }, test.call);
    expect(await warn('use zookeeper?')).toMatchObject({ status: 'warning', matches: [{ memory_key: key, state: 'archived' }] });
    expect((await recall('use zookeeper?')).abandoned_warnings).toMatchObject([{ key, name: 'zookeeper', state: 'archived' }]);
    await forget(key);
    for (const process of [test, other]) expect(await warn('use zookeeper?', undefined, process)).toEqual({ status: 'clear' });
    expect((await recall('use zookeeper?')).abandoned_warnings).toBeUndefined();
    expect((await test.app.queries.experienceSummary({}, test.call)).graveyard.map(({ name }) => name)).not.toContain('zookeeper');
  });

  it('is not added twice for one reason', async () => {
    const key = await remember('Sessions are kept in a cookie.');
    const input = { key, name: 'JWT sessions', type: 'pattern', reason: 'cannot be revoked' } as const;
    const first = await test.app.commands.logAbandoned(input, test.call);
    expect(first).toMatchObject({ abandoned_count: 1, latest_entry: { name: 'JWT sessions', reason: 'cannot be revoked' } });
    expect(await test.app.commands.logAbandoned({ ...input, name: 'jwt sessions' }, test.call)).toMatchObject({
      abandoned_count: 1,
      latest_entry: { attempted_at: first.latest_entry.attempted_at },
      note: expect.stringContaining('known'),
    });
    expect(await test.app.commands.logAbandoned({ ...input, reason: 'too long for a header' }, test.call)).toMatchObject({
      abandoned_count: 2,
    });
    const id = ulid();
    const repeated = { ...input, name: 'PASETO' };
    const once = await test.app.commands.logAbandoned(repeated, act(id));
    expect(await test.app.commands.logAbandoned(repeated, act(id))).toEqual(once);
  });

  it('is looked for in the project asked for, whatever name it goes by', async () => {
    const a = await remember('Blue team tried it.', 'team-blue');
    const b = await remember('Red team tried it.', 'team-red');
    for (const key of [a, b])
      await test.app.commands.logAbandoned({ key, name: 'memcached', type: 'service', reason: 'no streams' }, test.call);
    const keys = async (project?: string) => {
      const answer = await warn('memcached', project);
      return answer.status === 'warning' ? answer.matches.map(({ memory_key }) => memory_key).sort() : [];
    };
    expect(await keys()).toEqual([a, b].sort());
    expect(await keys('team-blue')).toEqual([a]);
    expect(await keys('team-green')).toEqual([]);
    expect((await recall('memcached', { project_filter: 'team-red' })).abandoned_warnings?.map(({ key }) => key)).toEqual([b]);
    expect((await recall('memcached', { namespaces: ['preference'] })).abandoned_warnings).toBeUndefined();
    await test.app.commands.mergeProjects({ from: 'team-red', into: 'team-blue' }, test.call);
    expect(await keys('team-blue')).toEqual([a, b].sort());
    expect(await warn('memcached', 'team-red')).toMatchObject({ matches: [{ project: 'team-blue' }, { project: 'team-blue' }] });
  });
});

describe('hazard 2: a query that names a dead end', () => {
  it('never makes its carrier the target of forget, archive or deprioritise', async () => {
    const key = await remember('The upload service streams to the object store in parts.');
    await test.app.commands.logAbandoned({ key, name: 'tusd', type: 'service', reason: 'no resumable parts' }, test.call);
    expect((await recall('tusd')).abandoned_warnings).toMatchObject([{ result_type: 'abandoned_warning', key }]);
    const { commands } = test.app;
    expect(await commands.forget({ key_or_query: 'tusd' }, test.call)).toMatchObject({ status: 'not_found' });
    expect(await commands.archive({ key_or_query: 'tusd' }, test.call)).toMatchObject({ affected: [] });
    expect(await commands.deprioritise({ key_or_query: 'tusd', reason: 'gone' }, test.call)).toMatchObject({ affected: [] });
    expect((await test.app.queries.recallDetail({ keys: [key] }, test.call)).results).toMatchObject([{ key, state: 'active' }]);
  });
});

describe('hard work that was given up', () => {
  it('suppresses the names of its dead ends in the same action, except common words; warnings still come; one undo takes all back', async () => {
    const key = await remember('Queue trial: rabbitmq needed a cluster for what one table does.');
    const bystander = await remember('The rabbitmq dashboard listens on port 15672.');
    const id = ulid();
    const approaches = ['RabbitMQ', 'next', 'celery beat'].map((name) => ({ name, type: 'tool', reason: 'operations' }) as const);
    const answer = await test.app.commands.recordExperience(
      { key, effort_score: 4, outcome: 'abandoned', iterations: 6, abandoned_approaches: approaches },
      act(id),
    );
    expect(answer).toMatchObject({
      experience_weight: 0.1,
      auto_suppressed: ['RabbitMQ', 'celery beat'],
      not_suppressed: [{ name: 'next', why: expect.stringContaining('common word') }],
      note: expect.stringContaining('this one among them'),
    });
    expect(await topics()).toEqual(expect.arrayContaining(['rabbitmq', 'celery beat']));
    expect(await topics()).not.toContain('next');

    const hidden = await recall('rabbitmq cluster dashboard');
    expect(hidden.results.map((result) => result.key)).not.toContain(bystander);
    expect(hidden.abandoned_warnings).toMatchObject([{ key, name: 'RabbitMQ', effort_score: 4 }]);
    expect(await warn('use rabbitmq?', undefined, other)).toMatchObject({ status: 'warning' });
    expect(await test.app.queries.getExperience({ key }, test.call)).toMatchObject({
      status: 'found',
      outcome: 'abandoned',
      iterations: 6,
    });

    expect(await test.app.commands.undo({ correlation: id }, test.call)).toMatchObject({
      status: 'undone',
      restored: expect.arrayContaining([{ key, fields: ['experience', 'dead_ends', 'suppression'] }]),
      kept: [],
    });
    expect(await topics()).not.toContain('rabbitmq');
    expect(await test.app.queries.getExperience({ key }, test.call)).toEqual({ status: 'no_experience', key });
    expect(await warn('use rabbitmq?', undefined, other)).toEqual({ status: 'clear' });
    expect((await recall('rabbitmq cluster dashboard')).results.map((result) => result.key)).toContain(bystander);
  });

  it('takes dead ends that were logged before too, and leaves a topic alone that somebody suppressed for a reason of their own', async () => {
    const key = await remember('Trial of search engines.');
    await test.app.commands.suppressTopic({ topic: 'solr', reason: 'asked for' }, test.call);
    for (const name of ['Solr', 'Sphinxsearch'])
      await test.app.commands.logAbandoned({ key, name, type: 'service', reason: 'heavy' }, test.call);
    expect(await test.app.commands.recordExperience({ key, effort_score: 5, outcome: 'abandoned' }, test.call)).toMatchObject({
      auto_suppressed: ['Sphinxsearch'],
    });
    expect((await test.app.queries.listSuppressions({}, test.call)).reasons).toMatchObject({
      solr: 'asked for',
      sphinxsearch: `given up: ${key}`,
    });
    await test.app.commands.unsuppressTopic({ topic: 'sphinxsearch' }, test.call);
    const again = await test.app.commands.recordExperience({ key, effort_score: 5, outcome: 'abandoned', iterations: 2 }, test.call);
    expect(again).not.toHaveProperty('auto_suppressed');
    expect(await topics()).not.toContain('sphinxsearch');
  });

  it('goes for good when its memory is forgotten, and stays while somebody else suppresses it', async () => {
    const [key, second] = [await remember('Trial of the night queue.'), await remember('Another trial of queues.')];
    const dead = (...names: string[]) => ({
      effort_score: 5,
      outcome: 'abandoned' as const,
      abandoned_approaches: names.map((name) => ({ name, type: 'approach' as const, reason: 'she left' })),
    });
    const own = 'letting Zxsentinel Marigold run the queue';
    const lifted = 'asking Zxlifted Primrose for the queue';
    const { commands } = test.app;
    await commands.suppressTopic({ topic: 'queue by hand drawn cart' }, test.call);
    await commands.recordExperience({ key, ...dead(own, lifted, 'queue by hand drawn cart', 'queue by signal flags') }, test.call);
    await commands.recordExperience({ key: second, ...dead('queue by signal flags') }, test.call);
    await commands.unsuppressTopic({ topic: lifted }, test.call);
    expect(await topics()).toContain(own.toLowerCase());
    expect(await topics()).not.toContain(lifted.toLowerCase());
    expect(await commands.forget({ keys: [key] }, test.call)).toMatchObject({
      suppressed_topics: 1,
      suppressions_kept: ['queue by hand drawn cart', 'queue by signal flags'],
    });
    await commands.forget({ keys: [key], confirm: true }, test.call);
    expect(await topics()).not.toContain(own.toLowerCase());
    expect(await topics()).toEqual(expect.arrayContaining(['queue by hand drawn cart', 'queue by signal flags']));
    expect(other.index.suppressed.topics.has(own.toLowerCase())).toBe(false);
    for (const name of await test.redis.keys('*')) expect(String(await test.redis.dump(name)), name).not.toMatch(/zx(sentinel|lifted)/i);
    await commands.unsuppressTopic({ topic: 'queue by signal flags' }, test.call);
    expect(await topics()).not.toContain('queue by signal flags');
  });

  it('answers a repeated command as the first time, and writes nothing more', async () => {
    const key = await remember('Trial of a message bus.');
    const input = {
      key,
      effort_score: 4,
      outcome: 'abandoned',
      abandoned_approaches: [{ name: 'NATS JetStream', type: 'service', reason: 'x' }],
    } as const;
    const id = ulid();
    const first = await test.app.commands.recordExperience(input, act(id));
    const size = await eventsTold(test.log);
    expect(await test.app.commands.recordExperience(input, act(id))).toEqual(first);
    expect(await eventsTold(test.log)).toBe(size);
  });
});

describe('a dead end that works again', () => {
  it('is lifted with the reason: it warns nowhere, is in no list, and the history tells why; undo puts it back', async () => {
    const key = await remember('Archives are packed with libzed.', 'packing');
    const { commands, queries } = test.app;
    await commands.logAbandoned({ key, name: 'libzed', type: 'library', reason: 'crashes on arm64' }, test.call);
    await commands.deprioritise({ key_or_query: key, reason: 'given up', reinstate_hints: ['libzed 2.1 released'] }, test.call);
    const returned = await commands.reinstate({ key_or_query: key }, test.call);
    expect(returned.note).toMatch(/libzed.*log_abandoned.*lift: true/s);
    await commands.recordExperience({ key, effort_score: 3, outcome: 'succeeded', breakthrough: '2.1 fixed arm64' }, test.call);
    expect(await warn('libzed')).toMatchObject({ status: 'warning' });

    const input = { key, name: 'LibZed', type: 'library', reason: '2.1 fixed arm64' } as const;
    const id = ulid();
    const lifted = await commands.liftDeadEnd(input, act(id));
    expect(lifted).toEqual({ key, lifted: 'LibZed', abandoned_count: 0, note: expect.stringContaining('no longer warns') });
    const size = await eventsTold(test.log);
    expect(await commands.liftDeadEnd(input, act(id))).toEqual(lifted);
    expect(await eventsTold(test.log)).toBe(size);
    await expect(commands.liftDeadEnd(input, test.call)).rejects.toMatchObject({ code: 'NOT_FOUND' });

    for (const process of [test, other]) expect(await warn('libzed', undefined, process)).toEqual({ status: 'clear' });
    expect((await recall('libzed', { project_filter: 'packing' })).abandoned_warnings).toBeUndefined();
    const { graveyard, top_3_breakthroughs } = await queries.experienceSummary({ project: 'packing' }, test.call);
    expect([graveyard, top_3_breakthroughs.length]).toEqual([[], 1]);
    expect(JSON.stringify(await queries.briefing({ project: 'packing' }, test.call))).not.toContain('given up: libzed');
    expect(JSON.stringify((await queries.explainMemory({ key }, test.call)) ?? {})).toContain('2.1 fixed arm64');

    const back = await commands.undo({ correlation: id }, test.call);
    expect(back).toMatchObject({ status: 'undone', restored: [{ key, fields: ['dead_ends'] }] });
    expect(await warn('libzed', undefined, other)).toMatchObject({ status: 'warning', matches: [{ reason: 'crashes on arm64' }] });
  });

  it('comes back into recall where its name was left out, and not what somebody suppressed for a reason of their own', async () => {
    const key = await remember('Trial of brokers.');
    const bystander = await remember('The activemq console listens on port 8161.');
    await test.app.commands.suppressTopic({ topic: 'qpid', reason: 'asked for' }, test.call);
    const abandoned_approaches = ['ActiveMQ', 'qpid'].map((name) => ({ name, type: 'service', reason: 'heavy' }) as const);
    await test.app.commands.recordExperience({ key, effort_score: 4, outcome: 'abandoned', abandoned_approaches }, test.call);
    expect(await topics()).toEqual(expect.arrayContaining(['activemq', 'qpid']));
    for (const { name } of abandoned_approaches)
      await test.app.commands.liftDeadEnd({ key, name, type: 'service', reason: 'light by now' }, test.call);
    expect(await topics()).not.toContain('activemq');
    expect(await topics()).toContain('qpid');
    expect((await recall('activemq console')).results.map((result) => result.key)).toContain(bystander);
  });
});

describe('a reinstate hint', () => {
  it('is met by its words in any order, and a common word of it by no sentence, at an earlier moment too', async () => {
    const hook = await remember('Payments are polled every minute.', 'hints');
    const port = await remember('The porting plan lies in the drawer.', 'hints');
    const { commands, queries } = test.app;
    await commands.deprioritise({ key_or_query: hook, reason: 'no webhooks', reinstate_hints: ['webhooks for foopay'] }, test.call);
    await commands.deprioritise({ key_or_query: port, reason: 'no time', reinstate_hints: ['Go'] }, test.call);
    const as_of = new Date(Date.now() + 1).toISOString();
    const candidates = async (query: string, more: object = {}) =>
      (await queries.recall({ query, project_filter: 'hints', ...more }, test.call)).results
        .filter(({ reinstate_candidate }) => reinstate_candidate)
        .map(({ key }) => key);
    for (const [query, expected] of [
      ['Foopay announced webhooks', [hook]],
      ['where do log files go?', []],
      ['should we rewrite it in Go', [port]],
    ] as const) {
      expect(await candidates(query)).toEqual(expected);
      expect(await candidates(query, { as_of })).toEqual(expected);
    }
    await commands.reinstate({ key_or_query: hook }, test.call);
    expect(await candidates('Foopay announced webhooks')).toEqual([]);
    expect(await candidates('Foopay announced webhooks', { as_of })).toEqual([hook]);
  });
});
