import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../domain/budget.js';
import { type Answer, connectTools, keyOf, resultsOf, type Tools } from './client.js';
import { startWhole } from './instance.js';
import { PREFERENCES, PROJECTS } from './working-day.js';

type Project = keyof typeof PROJECTS;

/** Three projects, eighty memories and everything that happens to them, over MCP, with the whole product restarted in between. */
describe('a working day of an agent', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'omt-day-'));
  let whole: Awaited<ReturnType<typeof startWhole>>;
  let tools: Tools;
  const keys = new Map<string, string>();
  const call: Tools['call'] = (name, args) => tools.call(name, args);

  const start = async (): Promise<void> => {
    whole = await startWhole(dataDir, { EMBEDDING: 'use-lite' });
    tools = await connectTools(whole.url, 'claude-code');
    for (const end = Date.now() + 60_000; (await call('health')).model_loaded !== true && Date.now() < end; ) await sleep(50);
  };
  const restart = async (): Promise<void> => {
    await tools.close();
    await whole.close();
    await start();
  };
  const remember = async (content: string, more: Record<string, unknown> = {}): Promise<string> => {
    const key = keyOf(await call('remember', { content, ...more }));
    keys.set(content, key);
    return key;
  };
  const briefing = (project: Project, more: Record<string, unknown> = {}): Promise<Answer> => call('briefing', { project, ...more });
  const textsOf = (list: unknown): readonly string[] => ((list ?? []) as readonly { content: string }[]).map(({ content }) => content);

  beforeAll(start, 120_000);
  afterAll(async () => {
    await tools.close();
    await whole.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('begins with nothing, and is told how to begin', async () => {
    const empty = await briefing('tide-tables');
    expect(empty.project_context).toMatchObject({ name: 'tide-tables', note: expect.stringContaining('set_project_context') });
    expect(Object.keys(empty).sort()).toEqual(['notice', 'project_context']);
  });

  it('writes down eighty memories in three projects', async () => {
    for (const [project, { notes, ...context }] of Object.entries(PROJECTS)) {
      await call('set_project_context', { project_name: project, ...context });
      for (const [i, content] of notes.entries()) await remember(content, { project, tags: i % 2 === 0 ? ['decision'] : ['note'] });
    }
    for (const content of PREFERENCES) await remember(content, { namespace: 'preference' });
    await call('compile_project_domains', { project_name: 'tide-tables', domains: ['typescript', 'docker'], auto_save: true });
    const audit = await call('memory_audit', { limit: 1 });
    expect(Number(audit.total)).toBeGreaterThanOrEqual(75);
  }, 120_000);

  it('meets dead ends, a hard fix and a contradiction', async () => {
    const hard = await remember('The feed went stale because the nightly job crashed on a harbour without constants', {
      project: 'tide-tables',
      tags: ['bug-fix'],
    });
    await call('record_experience', {
      key: hard,
      effort_score: 4,
      outcome: 'succeeded',
      iterations: 5,
      breakthrough: 'One harbour that fails is skipped and reported, the others are written',
      gotchas: 'The job exits 0 when a rename fails on a full disk',
    });
    await call('log_abandoned', { key: hard, name: 'node-cron', type: 'library', reason: 'skips runs when the clock is set back' });
    await call('log_abandoned', {
      key: keys.get(PROJECTS['tide-tables'].notes[12]) ?? '',
      name: 'Leaflet',
      type: 'library',
      reason: 'the page stayed blank without JavaScript',
    });
    await remember('Requests must always be limited to 60 a minute', { project: 'tide-tables' });
    const denied = await call('remember', {
      content: 'Requests must never be limited to 60 a minute',
      project: 'tide-tables',
      force: true,
    });
    keys.set('never', keyOf(denied));
    const { contradictions } = await call('check_contradictions', { project_filter: 'tide-tables' });
    expect(JSON.stringify(contradictions)).toContain(keyOf(denied));
  }, 60_000);

  it('retires a library and loses none of it over a restart', async () => {
    const library = await remember('We use the tzdata package for time zones in the page', { project: 'tide-tables' });
    await call('deprioritise', { key_or_query: library, reason: 'Intl does it now', reinstate_hints: ['time zone database', 'tzdata'] });
    const before = await briefing('tide-tables');
    await restart();
    const after = await briefing('tide-tables');
    expect(after).toEqual(before);
  }, 120_000);

  it('briefs a colleague on the first project: what blocks, what hurt, what may come back, and no word of the others', async () => {
    const told = await briefing('tide-tables');
    expect(told.project_context).toMatchObject({
      current_state: expect.stringContaining('12 harbours'),
      domains: ['typescript', 'docker'],
    });
    expect(JSON.stringify(told.contradiction_warnings)).toContain(keys.get('never'));
    expect([...textsOf(told.preferences)].sort()).toEqual([...PREFERENCES].sort());
    expect(told.experience_summary).toMatchObject({
      memories_with_experience: 2,
      graveyard: expect.arrayContaining([expect.objectContaining({ name: 'node-cron' })]),
    });
    expect(told.reinstate_candidates).toMatchObject([{ reason: 'Intl does it now' }]);
    expect(told.recent_memories).toHaveLength(7);
    const text = JSON.stringify(told);
    for (const other of ['ledger-sync', 'garden-bot'] as const) for (const note of PROJECTS[other].notes) expect(text).not.toContain(note);
    expect(estimateTokens(text)).toBeLessThanOrEqual(4_000);
  });

  it('warns before a dead end is tried again, and brings back what was retired when it matters again', async () => {
    expect(await call('warn_if_abandoned', { query: 'shall we schedule the job with node cron?' })).toMatchObject({
      status: 'warning',
      matches: [expect.objectContaining({ abandoned_name: 'node-cron', reason: expect.stringContaining('clock') })],
    });
    expect(await call('warn_if_abandoned', { query: 'what is next on the list?' })).toMatchObject({ status: 'clear' });
    const { results } = await call('recall', { query: 'tzdata', project_filter: ['tide-tables'] });
    expect((results as readonly Answer[])[0]).toMatchObject({ reinstate_candidate: true, deprioritised_reason: 'Intl does it now' });
    const key = (results as readonly { key: string }[])[0]?.key ?? '';
    await call('reinstate', { key_or_query: key });
    expect(await briefing('tide-tables')).not.toHaveProperty('reinstate_candidates');
    expect(resultsOf(await call('recall', { query: 'tzdata' }))[0]).toMatchObject({ key, state: 'active' });
  });

  it('settles the contradiction, and the next briefing no longer blocks', async () => {
    const told = await briefing('tide-tables');
    const [pair] = told.contradiction_warnings as readonly { key: string; contradicts: readonly string[] }[];
    const never = keys.get('never') ?? '';
    const [key_a, key_b] = [pair?.key ?? '', pair?.contradicts[0] ?? ''];
    await call('resolve_contradiction', { key_a, key_b, keep: key_a === never ? key_b : key_a });
    expect(await briefing('tide-tables')).not.toHaveProperty('contradiction_warnings');
    expect(JSON.stringify(await call('explain_memory', { key: never }))).toContain('ContradictionResolved');
  });

  it('ends the day: a state that nobody overwrites unseen', async () => {
    const context = (await briefing('ledger-sync')).project_context as { version: number };
    await using colleague = await connectTools(whole.url, 'cursor');
    const theirs = (await colleague.call('get_project_context', { project_name: 'ledger-sync' })) as { version?: number };
    await call('update_project_state', {
      project_name: 'ledger-sync',
      current_state: 'Credit notes are copied too.',
      version: context.version,
    });
    const refusal = await colleague.refused('update_project_state', {
      project_name: 'ledger-sync',
      current_state: 'Waiting for the export of invoice ids.',
      version: theirs.version,
    });
    expect(refusal).toMatchObject({ code: 'CONFLICT' });
    expect(JSON.stringify(refusal)).toContain('Credit notes are copied too.');
    expect((await briefing('ledger-sync')).project_context).toMatchObject({ current_state: 'Credit notes are copied too.' });
  });

  it('deletes a project whole, and nothing of it is told again, after a restart neither', async () => {
    const preview = await call('delete_project', { project_name: 'garden-bot', include_context: true });
    expect(preview).toMatchObject({ status: 'preview', total: PROJECTS['garden-bot'].notes.length + 1 });
    expect(await call('delete_project', { project_name: 'garden-bot', include_context: true, confirm: true })).toMatchObject({
      status: 'deleted',
    });
    await restart();
    expect(JSON.stringify(await call('list_projects'))).not.toContain('garden-bot');
    expect(resultsOf(await call('recall', { query: 'moisture sensor greenhouse tomatoes' }))).toEqual([]);
    const told = await briefing('garden-bot');
    expect(Object.keys(told).sort()).toEqual(['notice', 'preferences', 'project_context']);
    expect(await call('health')).toMatchObject({ status: expect.stringMatching(/green|amber/) });
  }, 120_000);
});
