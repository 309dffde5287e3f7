import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { McpHttp } from '../../../services/mcp/http.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventsTold } from '../../support/eventlog.js';
import { viewsServe } from '../../support/views.js';
import { type Answer, connectTools, keyOf, resultsOf, serve, type Tools } from './client.js';

describe('projects and their kinds of work through the real server', () => {
  let test: TestApp;
  let http: McpHttp;
  let tools: Tools;
  beforeAll(async () => {
    test = await openTestApp();
    await viewsServe(test);
    http = await serve(test.app);
    tools = await connectTools(http.url, 'project-identity-test');
  });
  afterAll(async () => {
    await tools.close();
    await test.verifyAll();
    await http.close();
    await test.end();
  });
  const remember = (project: string, content: string) => tools.call('remember', { content, project, force: true });
  const projectsOf = async (args: Record<string, unknown>): Promise<readonly unknown[]> =>
    resultsOf(await tools.call('recall', args)).map(({ project }) => project);

  it('a second spelling is filed as it is and answered with a suggestion, merge_projects makes it one, undo makes it two', async () => {
    await remember('weather-station', 'The anemometer turns at three metres a second.');
    const second = await remember('WeatherStation', 'The anemometer is on the roof.');
    expect(second).toMatchObject({ status: 'stored', project_suggestion: { did_you_mean: ['weather-station'], note: expect.any(String) } });
    expect(await projectsOf({ query: 'anemometer', project_filter: 'weather-station' })).toEqual(['weather-station']);

    const merged = await tools.call('merge_projects', { from: 'WeatherStation', into: 'weather-station' });
    expect(merged).toMatchObject({ status: 'merged', memories: { active: 2 }, names: ['weather-station', 'WeatherStation'] });
    expect(await projectsOf({ query: 'anemometer', project_filter: 'WeatherStation' })).toEqual(['weather-station', 'weather-station']);
    expect(await remember('WeatherStation', 'The anemometer needs oil.')).toMatchObject({ project: 'weather-station' });

    await tools.call('undo', { correlation: merged.correlation });
    const only = await tools.call('recall', { query: 'anemometer', project_filter: ['WeatherStation'] });
    expect(resultsOf(only).map(({ key }) => key)).toEqual([keyOf(second)]);
  });

  it('an unknown project is answered with what is like it', async () => {
    expect(await tools.call('recall', { query: 'anemometer', project_filter: 'Weather_Station.git' })).toMatchObject({
      results: [],
      project_suggestion: { did_you_mean: expect.arrayContaining(['weather-station']) },
    });
    expect(await tools.call('memory_audit', { project: 'wether-station' })).toMatchObject({
      returned: 0,
      project_suggestion: { did_you_mean: expect.arrayContaining(['weather-station']) },
    });
  });

  it('domains are declared, and lead a recall; what they did not narrow is said first, in both forms of the answer', async () => {
    await remember('dashboard', 'The anemometer chart is drawn with canvas.');
    expect(await tools.call('compile_project_domains', { project_name: 'dashboard', domains: 'js, css' })).toMatchObject({
      status: 'saved',
      merged: ['javascript', 'css'],
      aliased: { js: 'javascript' },
    });
    expect(await tools.call('compile_project_domains', { project_name: 'dashboard' })).toMatchObject({ existing: ['javascript', 'css'] });
    expect(await projectsOf({ query: 'anemometer', domain_filter: 'css,javascript' })).toEqual(['dashboard']);
    expect(await projectsOf({ query: 'anemometer', domain_filter: ['js'], project_filter: 'weather-station' })).toEqual([]);

    for (const name of ['recall', 'recall_index']) {
      const { structuredContent, content } = await tools.client.callTool({
        name,
        arguments: { query: 'anemometer', domain_filter: ['fortran'] },
      });
      const answer = structuredContent as Answer;
      expect(Object.keys(answer)[0]).toBe('domain_filter_notice');
      expect(resultsOf(answer)).not.toEqual([]);
      const [first] = content as { readonly text: string }[];
      expect(first?.text).toMatch(/^\[omnimem:recall\] Note: No project declares fortran/);
      expect(await tools.refused('remember', { content: first?.text.split('\n').slice(0, 2).join('\n') })).toMatchObject({
        code: 'VALIDATION',
      });
    }
  });

  it('refuses what it cannot do, with what to do next', async () => {
    expect(await tools.refused('merge_projects', { from: 'dashboard', into: 'dashboard' })).toMatchObject({ code: 'VALIDATION' });
    expect(await tools.refused('merge_projects', { from: 'dashboard' })).toMatchObject({ code: 'VALIDATION' });
    expect(await tools.refused('merge_projects', { from: 'no/slash', into: 'dashboard' })).toMatchObject({ code: 'VALIDATION' });
    expect(await tools.refused('merge_projects', { from: 'dashbord', into: 'weather-station' })).toMatchObject({
      code: 'NOT_FOUND',
      hint: expect.stringContaining('dashboard'),
    });
    expect(await tools.refused('compile_project_domains', {})).toMatchObject({ code: 'VALIDATION' });
    expect(await tools.refused('compile_project_domains', { project_name: 'dashboard', domains: ['##'] })).toMatchObject({
      code: 'VALIDATION',
      hint: expect.stringContaining('a-z'),
    });
  });

  it('repeats a merge with the same command_id and does nothing more', async () => {
    const args = { from: 'dashboard', into: 'weather-station', command_id: '01JZZZZZZZZZZZZZZZZZZZZZZ3' };
    const first = await tools.call('merge_projects', args);
    const events = await eventsTold(test.log);
    expect(await tools.call('merge_projects', args)).toEqual(first);
    expect(await eventsTold(test.log)).toBe(events);
  });
});
