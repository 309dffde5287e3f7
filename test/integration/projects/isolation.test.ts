import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NAMESPACES } from '../../../domain/vocabulary.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { viewsServe } from '../../support/views.js';

/** Names that are one project each, two of them by a merge; the rest is none of anybody's business. */
const PROJECTS: Readonly<Record<string, readonly string[]>> = {
  harvest: ['harvest', 'harvest-old'],
  Harvest: ['Harvest'],
  mill: ['mill'],
  'mill-2': ['mill-2'],
};
const DOMAINS: Readonly<Record<string, readonly string[]>> = { harvest: ['python', 'css'], Harvest: ['css'], mill: ['go'] };
const WORDS = ['retry', 'limit', 'webhook', 'invoice', 'cache', 'timeout'];

let test: TestApp;
const projectOfKey = new Map<string, string | undefined>();
let moment = '';

/** Every project holds the same texts, so that only the filter tells them apart; some wait for a hint, some say a thing twice. */
beforeAll(async () => {
  test = await openTestApp();
  await viewsServe(test);
  for (const project of [...Object.values(PROJECTS).flat(), undefined]) {
    for (const [i, word] of WORDS.entries()) {
      const namespace = NAMESPACES[i % NAMESPACES.length] ?? 'episodic';
      for (const content of [`The ${word} of the service is seven.`, `The ${word} of the service is seven now.`]) {
        const stored = await test.app.commands.remember({ content, project, namespace, force: true }, test.call);
        if (stored.status !== 'stored') throw new Error('not stored');
        projectOfKey.set(stored.key, project);
      }
    }
    const [hinted] = [...projectOfKey].filter(([, of]) => of === project).map(([key]) => key);
    await test.app.commands.deprioritise({ key_or_query: hinted ?? '', reason: 'stale', reinstate_hints: ['retry'] }, test.call);
  }
  await test.app.commands.mergeProjects({ from: 'harvest-old', into: 'harvest' }, test.call);
  for (const [project_name, domains] of Object.entries(DOMAINS))
    await test.app.commands.compileProjectDomains({ project_name, domains }, test.call);
  moment = (await test.log.head())?.position ?? '';
}, 60_000);
afterAll(async () => {
  await test.verifyAll();
  await test.end();
});

const known = Object.keys(PROJECTS);
const namesOf = (projects: readonly string[]): readonly string[] => projects.flatMap((project) => PROJECTS[project] ?? []);
const query = fc.subarray([...WORDS, 'service', 'seven'], { minLength: 1 }).map((words) => words.join(' '));
const projects = fc.subarray(known, { minLength: 1 });

/** Keys that an answer shows, wherever in it they stand. */
const keysIn = (answer: unknown): readonly string[] => [...new Set(JSON.stringify(answer).match(/mem:[a-z]+:[0-9A-Z]{26}/g) ?? [])];
const expectOnly = (answer: unknown, names: readonly string[]): number => {
  const keys = keysIn(answer);
  for (const key of keys) expect(names, `${key} of ${projectOfKey.get(key)}`).toContain(projectOfKey.get(key));
  return keys.length;
};

describe('what is asked of some projects holds nothing of others', () => {
  let shown = 0;

  it('recall and recall_index, now and at a moment', async () => {
    await fc.assert(
      fc.asyncProperty(query, projects, fc.boolean(), fc.boolean(), async (text, filter, earlier, short) => {
        const input = { query: text, project_filter: filter, top_k: 50, ...(earlier && { as_of: moment }) };
        const answer = short ? await test.app.queries.recallIndex(input, test.call) : await test.app.queries.recall(input, test.call);
        shown += expectOnly(answer, namesOf(filter));
        for (const { project } of answer.results) expect(filter).toContain(project);
      }),
      { numRuns: 60 },
    );
    expect(shown).toBeGreaterThan(100);
  });

  it('recall by domains, alone and with projects', async () => {
    await fc.assert(
      fc.asyncProperty(
        query,
        fc.subarray(['python', 'css', 'go'], { minLength: 1 }),
        fc.option(projects),
        async (text, domains, filter) => {
          const declaring = known.filter((project) => DOMAINS[project]?.some((domain) => domains.includes(domain)));
          const allowed = filter ? declaring.filter((project) => filter.includes(project)) : declaring;
          const answer = await test.app.queries.recall(
            { query: text, domain_filter: domains, top_k: 50, ...(filter && { project_filter: filter }) },
            test.call,
          );
          expectOnly(answer.results, namesOf(allowed));
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each(known)('memory_audit, find_duplicates and forget, of %s', async (project) => {
    const names = namesOf([project]);
    const own = [...projectOfKey].filter(([, of]) => of !== undefined && names.includes(of)).map(([key]) => key);
    for (const as_of of [undefined, moment]) {
      const audit = await test.app.queries.memoryAudit({ project, limit: 500, as_of }, test.call);
      expect(keysIn(audit.entries).length).toBe(own.length);
      expectOnly(audit, names);
    }
    for (const namespace of NAMESPACES) {
      const duplicates = await test.app.queries.findDuplicates({ namespace, project_filter: project, threshold: 0.5 }, test.call);
      expect(expectOnly(duplicates, names)).toBeGreaterThan(0);
    }
    const preview = await test.app.commands.forget({ project }, test.call);
    expect(preview).toMatchObject({ status: 'preview', total: own.length });
    expectOnly(preview, names);
  });

  it('a new memory is compared with those of its own project', async () => {
    const answer = await test.app.commands.remember({ content: 'The cache of the service is seven.', project: 'harvest' }, test.call);
    expect(answer.status).toBe('duplicate_found');
    expectOnly(answer, namesOf(['harvest']));
    const elsewhere = await test.app.commands.remember({ content: 'The cache of the service is seven.', project: 'barn' }, test.call);
    expect(elsewhere.status).toBe('stored');
  });

  it('forgetting one leaves the others whole', async () => {
    const preview = await test.app.commands.forget({ project: 'mill' }, test.call);
    if (preview.status !== 'preview') throw new Error('no preview');
    await test.app.commands.forget({ preview_id: preview.preview_id, confirm: true }, test.call);
    const left = await test.app.queries.memoryAudit({ limit: 500 }, test.call);
    expect(left.entries.some(({ project }) => project === 'mill')).toBe(false);
    expect(left.entries.filter(({ project }) => project === 'mill-2')).toHaveLength(WORDS.length * 2);
  });
});
