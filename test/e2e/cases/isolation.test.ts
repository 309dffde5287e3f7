import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openServed, type Served } from './served.js';

/** Names that differ only a little, each with a word that only its own texts hold. */
const WORD: Readonly<Record<string, string>> = { harvest: 'barley', Harvest: 'millet', 'harvest-2': 'sorghum' };
const NAMES = Object.keys(WORD);

describe('what is asked of one project holds nothing of another', () => {
  let served: Served;
  beforeAll(async () => {
    served = await openServed();
    const { call, remember } = served;
    for (const project of NAMES) {
      const word = WORD[project] ?? '';
      const keys: string[] = [];
      for (const namespace of ['episodic', 'knowledge', 'preference', 'project'])
        keys.push(await remember(`The reaper cuts ${word} at dawn, says ${namespace}`, { project, namespace, tags: [word] }));
      const [key = ''] = keys;
      await remember(`The reaper cuts ${word} at dawn, says episodic too`, { project });
      await remember(`Always thresh ${word} in the barn`, { project });
      await remember(`Never thresh ${word} in the barn`, { project });
      const aside = await remember(`The reaper was blunt for ${word}`, { project });
      await call('deprioritise', { key_or_query: aside, reason: `${word} is over`, reinstate_hints: ['reaper'] });
      await call('record_experience', {
        key,
        effort_score: 4,
        outcome: 'succeeded',
        breakthrough: `Sharpen before ${word}`,
        gotchas: `Stones in ${word}`,
        abandoned_approaches: [{ name: 'scythe', type: 'tool', reason: `too slow for ${word}` }],
      });
      const texts = { description: `Grows ${word}`, stack: word, goals: `More ${word}`, current_state: `${word} stands high`, notes: word };
      await call('set_project_context', { project_name: project, ...texts });
      await call('compile_project_domains', { project_name: project, domains: [word] });
      await call('check_contradictions', { project_filter: project });
    }
  });
  afterAll(() => served.end());

  const foreign = (project: string): readonly string[] => NAMES.filter((name) => name !== project).map((name) => WORD[name] ?? '');

  it.each(
    NAMES.flatMap((project) =>
      (
        [
          ['recall', { query: 'the reaper cuts at dawn with a scythe', project_filter: project, top_k: 50 }],
          ['recall', { query: 'the reaper cuts at dawn with a scythe', domain_filter: [WORD[project]], top_k: 50 }],
          ['recall_index', { query: 'the reaper cuts at dawn with a scythe', project_filter: project, top_k: 50 }],
          ['briefing', { project, max_tokens: 15_000 }],
          ['memory_audit', { project, limit: 500, include_archived: true }],
          ['experience_summary', { project }],
          ['warn_if_abandoned', { query: 'shall we use a scythe?', project }],
          ['check_contradictions', { project_filter: project }],
          ['check_contradictions', { project_filter: project, query: 'thresh in the barn' }],
          ['find_duplicates', { project_filter: project, threshold: 0.5 }],
          ['get_project_context', { project_name: project }],
          ['compile_project_context', { project_name: project }],
          ['compile_project_domains', { project_name: project }],
          ['maintain', { project, dry_run: true }],
          ['forget', { project }],
          ['delete_project', { project_name: project, include_context: true }],
          ['deprioritise_project', { project_name: project }],
          ['reinstate_project', { project_name: project }],
        ] as const
      ).map(([tool, args]) => [project, tool, args] as const),
    ),
  )('%s: %s %j', async (project, tool, args) => {
    const told = JSON.stringify(await served.call(tool, args));
    for (const word of foreign(project)) expect(told).not.toContain(word);
    const counts = ['delete_project', 'deprioritise_project', 'reinstate_project', 'maintain'].includes(tool);
    if (!counts) expect(told).toContain(WORD[project]);
  });

  it('what is done to one leaves the others as they were', async () => {
    const { call } = served;
    const look = async (project: string) => [
      await call('memory_audit', { project, include_archived: true }),
      await call('experience_summary', { project }),
      await call('get_project_context', { project_name: project }),
    ];
    const before = await Promise.all(foreign('harvest').map((_, n) => look(NAMES[n + 1] ?? '')));
    await call('maintain', { project: 'harvest' });
    await call('deprioritise_project', { project_name: 'harvest', confirm: true, include_context: true });
    await call('reinstate_project', { project_name: 'harvest', confirm: true, include_context: true });
    await call('delete_project', { project_name: 'harvest', confirm: true, include_context: true });
    expect(await Promise.all(foreign('harvest').map((_, n) => look(NAMES[n + 1] ?? '')))).toEqual(before);
    for (const [tool, args] of [
      ['recall', { query: 'the reaper cuts barley at dawn with a scythe', top_k: 50 }],
      ['briefing', { max_tokens: 15_000 }],
      ['experience_summary', {}],
      ['warn_if_abandoned', { query: 'scythe' }],
      ['list_projects', {}],
      ['recent_knowledge', { days: 7 }],
      ['find_duplicates', { threshold: 0.3 }],
      ['check_contradictions', {}],
      ['compile_project_context', { project_name: 'Harvest' }],
    ] as const) {
      const told = JSON.stringify(await call(tool, args));
      expect([tool, told.includes('barley')]).toEqual([tool, false]);
      expect([tool, told.includes('millet')]).toEqual([tool, true]);
    }
  });
});
