import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';

/** One store whose state is turned over after a moment: whatever is asked of that moment tells the state before. */
let test: TestApp;
let moment: string;
let empty: string;
let rusty: string;
let project: string;

const context = (project_name: string, current_state: string) => ({
  project_name,
  description: `The ${project_name} of the harbour.`,
  stack: 'rust',
  goals: '',
  current_state,
});

beforeAll(async () => {
  test = await openTestApp();
  const { commands } = test.app;
  const { call } = test;
  const remember = async (content: string, project: string): Promise<string> => {
    const stored = await commands.remember({ content, project, force: true }, call);
    if (stored.status !== 'stored') throw new Error('not stored');
    return stored.key;
  };
  const pause = async (): Promise<string> => {
    await sleep(5);
    const place = (await test.log.head())?.position ?? '0-0';
    await sleep(5);
    return place;
  };
  const first = await remember('The first buoy is green.', 'buoys');
  const [entry] = await test.redis.xrange(test.keys.log, '-', '+', 'COUNT', 1);
  empty = String(entry?.[0]).replace(/\d+-\d+/, (place) => new Date(Number(place.split('-')[0]) - 1_000).toISOString());

  rusty = await remember('The crane driver program polls the sluice sensor.', 'crane');
  project = 'crane';
  await commands.recordExperience(
    {
      key: rusty,
      effort_score: 5,
      outcome: 'succeeded',
      breakthrough: 'Read the watchdog first.',
      abandoned_approaches: [{ name: 'modbus-poller', type: 'tool', reason: 'stalls' }],
    },
    call,
  );
  await commands.setProjectContext({ ...context('crane', 'commissioning'), domains: ['rust'] }, call);
  await commands.suppressTopic({ topic: 'lighthouse', reason: 'sold' }, call);
  moment = await pause();

  await commands.recordExperience({ key: rusty, effort_score: 1, outcome: 'abandoned', breakthrough: 'There was none.' }, call);
  await commands.liftDeadEnd({ key: rusty, name: 'modbus-poller', type: 'tool', reason: 'mended' }, call);
  const second = await remember('The kiln burns at night.', 'kiln');
  await commands.recordExperience(
    { key: second, effort_score: 3, outcome: 'succeeded', abandoned_approaches: [{ name: 'coal-feeder', type: 'tool', reason: 'smokes' }] },
    call,
  );
  await commands.setProjectContext({ ...context('crane', 'decommissioned'), domains: ['docker'] }, call);
  await commands.setProjectContext(context('kiln', 'cold'), call);
  await commands.unsuppressTopic({ topic: 'lighthouse' }, call);
  await commands.suppressTopic({ topic: 'sluice' }, call);
  await commands.archive({ key_or_query: first }, call);
}, 60_000);
afterAll(() => test.end());

const ask = () => test.app.queries;
const of = (position: string) => ({ as_of: { position } });

describe('what is asked of an earlier moment is the whole state of it', () => {
  it('experience, summed up and of one memory', async () => {
    const then = await ask().experienceSummary({ as_of: moment }, test.call);
    expect(then).toMatchObject({
      ...of(moment),
      memories_with_experience: 1,
      average_effort_score: 5,
      outcome_breakdown: { succeeded: 1, abandoned: 0 },
      top_5_most_effortful: [{ key: rusty, effort_score: 5 }],
      graveyard: [{ name: 'modbus-poller' }],
      top_3_breakthroughs: [{ breakthrough: 'Read the watchdog first.' }],
    });
    expect(await ask().experienceSummary({ as_of: moment, project }, test.call)).toMatchObject({ project, memories_with_experience: 1 });
    expect(await ask().experienceSummary({ as_of: moment, project: 'kiln' }, test.call)).toMatchObject({ memories_with_experience: 0 });
    expect(await ask().experienceSummary({}, test.call)).toMatchObject({
      memories_with_experience: 2,
      graveyard: [{ name: 'coal-feeder' }],
    });

    expect(await ask().getExperience({ key: rusty, as_of: moment }, test.call)).toMatchObject({
      ...of(moment),
      status: 'found',
      effort_score: 5,
      outcome: 'succeeded',
      abandoned_approaches: [{ name: 'modbus-poller' }],
    });
    expect(await ask().getExperience({ key: rusty }, test.call)).toMatchObject({ effort_score: 1, outcome: 'abandoned' });
    expect(await ask().getExperience({ key: rusty, as_of: empty }, test.call)).toMatchObject({
      status: 'not_found',
      message: expect.any(String),
    });
  });

  it('dead ends: by the warning, beside a recall, and in a briefing', async () => {
    const matches = async (query: string, as_of?: string) => {
      const answer = await ask().warnIfAbandoned({ query, as_of }, test.call);
      return answer.status === 'warning' ? answer.matches.map(({ abandoned_name }) => abandoned_name) : [];
    };
    const beside = async (query: string, as_of?: string) =>
      ((await ask().recall({ query, as_of }, test.call)).abandoned_warnings ?? []).map(({ name }) => name);
    for (const told of [matches, beside]) {
      expect(await told('use the modbus-poller?', moment)).toEqual(['modbus-poller']);
      expect(await told('use the modbus-poller?')).toEqual([]);
      expect(await told('use the coal-feeder?', moment)).toEqual([]);
      expect(await told('use the coal-feeder?')).toEqual(['coal-feeder']);
    }
    const buried = async (as_of?: string) =>
      (await ask().briefing({ include: ['experience_summary'], as_of }, test.call)).experience_summary?.graveyard?.map(({ name }) => name);
    expect(await buried(moment)).toEqual(['modbus-poller']);
    expect(await buried()).toEqual(['coal-feeder']);
  });

  it('suppressions: listed, in a recall, and in a briefing', async () => {
    expect(await ask().listSuppressions({ as_of: moment }, test.call)).toMatchObject({
      ...of(moment),
      suppressed_topics: ['lighthouse'],
      reasons: { lighthouse: 'sold' },
    });
    expect(await ask().listSuppressions({}, test.call)).toMatchObject({ suppressed_topics: expect.arrayContaining(['sluice']) });
    expect((await ask().listSuppressions({}, test.call)).suppressed_topics).not.toContain('lighthouse');
    const recalled = async (as_of?: string) =>
      (await ask().recall({ query: 'the crane driver program polls the sluice sensor', as_of }, test.call)).results.map(({ key }) => key);
    expect(await recalled(moment)).toContain(rusty);
    expect(await recalled()).not.toContain(rusty);
    expect((await ask().briefing({ include: ['suppressed_topics'], as_of: moment }, test.call)).suppressed_topics).toEqual(['lighthouse']);
  });

  it('projects: listed, one by one, and in a briefing', async () => {
    const { projects, total, as_of } = await ask().listProjects({ as_of: moment }, test.call);
    expect(projects.map(({ project_name }) => project_name)).toEqual(['buoys', 'crane']);
    expect([total, as_of?.position]).toEqual([2, moment]);
    expect(projects[0]).toMatchObject({ state: 'active', has_context: false, memory_count: 1 });
    expect(projects[1]).toMatchObject({ domains: ['rust'], has_context: true, memory_count: 1 });
    expect((await ask().listProjects({}, test.call)).projects.map(({ project_name }) => project_name)).toEqual(['buoys', 'crane', 'kiln']);

    expect(await ask().getProjectContext({ project_name: project, as_of: moment }, test.call)).toMatchObject({
      ...of(moment),
      current_state: 'commissioning',
      domains: ['rust'],
    });
    expect(await ask().getProjectContext({ project_name: project }, test.call)).toMatchObject({
      current_state: 'decommissioned',
      domains: ['docker'],
    });
    expect(await ask().getProjectContext({ project_name: 'kiln', as_of: moment }, test.call)).toMatchObject({ status: 'not_found' });
    const briefed = async (as_of?: string) =>
      (await ask().briefing({ project, include: ['project_context'], as_of }, test.call)).project_context;
    expect(await briefed(moment)).toMatchObject({ current_state: 'commissioning', domains: ['rust'] });
    expect(await briefed()).toMatchObject({ current_state: 'decommissioned' });
  });

  it('a look at the project as it was is no reading of it: an update on its ground is refused', async () => {
    const call = { ...test.call, session: 'who looks back' };
    await ask().getProjectContext({ project_name: project, as_of: moment }, call);
    const { version } = (await ask().getProjectContext({ project_name: project, as_of: moment }, call)) as { version: number };
    await expect(
      test.app.commands.updateProjectState({ project_name: project, current_state: 'afloat', version }, call),
    ).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });

  it('kinds of work: a filter leads where it led then', async () => {
    const routed = async (domain: string, as_of?: string) => {
      const { results, domain_filter_notice } = await ask().recall(
        { query: 'the crane driver program polls', domain_filter: [domain], as_of },
        test.call,
      );
      return { keys: results.map(({ key }) => key), led: domain_filter_notice === undefined };
    };
    expect(await routed('rust', moment)).toEqual({ keys: expect.arrayContaining([rusty]), led: true });
    expect((await routed('docker', moment)).led).toBe(false);
    expect((await routed('rust')).led).toBe(false);
    expect((await routed('docker')).led).toBe(true);
  });
});
