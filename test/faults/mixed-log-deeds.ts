import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ABANDONED_TYPES, LICENCES, NAMESPACES, OUTCOMES, PROVENANCES } from '../../domain/vocabulary.js';
import type { Commands, RememberInput } from '../../services/api.js';
import { prepareImport, runImport } from '../../services/transfer/import.js';
import { ILLEGIBLE, PROJECTS, TOPICS, type World } from './mixed-log-world.js';

/** Something that somebody does, and how often beside the others. */
export type Deed = { readonly weight: number; readonly run: (world: World) => Promise<unknown> };
/** What goes into the log by another way than a command of its own. */
type Beside = 'enrich' | 'enrichInVain' | 'importDump' | 'setContextInVain';

/** Stores a text; answers the key, or undefined where the store said it already. */
const store = async (world: World, input: Partial<RememberInput> = {}): Promise<string | undefined> => {
  const { opened, live, text, call } = world;
  const stored = await opened.app.commands.remember({ content: text(), force: true, ...input }, call());
  if (stored.status !== 'stored') return undefined;
  live.push(stored.key);
  return stored.key;
};

const anyProject = ({ from, errands, chance }: World): string | undefined =>
  chance() < 0.1 && errands.length > 0 ? from(errands) : from([...PROJECTS, undefined]);

/** A project with a few memories that may be merged or deleted without the rest. */
const newErrand = async (world: World): Promise<string> => {
  const { errands, below, opened, text, call } = world;
  const project = `errand ${errands.length} ${below(1_000_000)}`;
  errands.push(project);
  for (let i = 0; i < 2 + below(3); i++) await store(world, { project });
  await opened.app.commands.setProjectContext(
    { project_name: project, description: text(), stack: 'python, redis', goals: text(), current_state: text() },
    call(),
  );
  return project;
};

/** Two texts that differ in a value. */
const contradictingPair = async (world: World): Promise<string> => {
  const { from, below } = world;
  const project = from(PROJECTS);
  const subject = `The ${world.text(2)} staging server`;
  for (const port of [8_000 + below(500), 9_000 + below(500)])
    await store(world, { content: `${subject} listens on port ${port}`, project });
  return subject;
};

const forgetInOneOfManyWays = async (world: World): Promise<unknown> => {
  const { opened, chance, from, someKey, documents, errands, date, call, gone } = world;
  const { forget } = opened.app.commands;
  if (chance() < 0.4) {
    const keys = [someKey(), someKey()];
    gone(keys);
    return forget({ confirm: true, keys }, call());
  }
  const preview = await forget(
    from([
      { key_or_query: someKey() },
      { key_or_query: world.text() },
      { doc_id: from([...documents, 'none']) },
      { project: from([...errands, 'none']) },
      { topic: from(TOPICS) },
      { created_after: date(-0.2), created_before: date(0) },
    ]),
    call(),
  );
  // More than a few are only looked at, or nothing would be left of a short log.
  if (preview.status !== 'preview' || preview.total > 30) return undefined;
  const { preview_id } = preview;
  const answer = await forget({ confirm: true, preview_id }, call());
  if (answer.status === 'deleted') gone(answer.deleted_keys);
  return undefined;
};

/** A 6.x dump with memories in every state, and a topic. */
const importDump = async (world: World): Promise<unknown> => {
  const { opened, below, from, id, text, clock, live, chance, correlations } = world;
  const seconds = (clock.now - below(90 * 86_400_000)) / 1_000;
  const memories = Array.from({ length: 4 + below(12) }, () => {
    const namespace = from(NAMESPACES);
    const state = from(['active', 'active', 'deprioritised', 'archived']);
    return [
      `mem:${namespace}:${id()}`,
      {
        content: text(),
        state,
        surface_score: '1.0',
        experience_weight: '1.0',
        created_at: String(seconds),
        updated_at: String(seconds + 60),
        tags: JSON.stringify([from(['legacy', 'imported'])]),
        ...(chance() < 0.5 && { project: from(PROJECTS) }),
        ...(state === 'deprioritised' && { deprioritised_reason: text(3), reinstate_hints: JSON.stringify([text(2)]) }),
        ...(chance() < 0.3 && { effort_score: '4', outcome: 'succeeded', iterations: '3', breakthrough: text(4) }),
      },
    ] as const;
  });
  const folder = mkdtempSync(join(tmpdir(), 'omt-mixed-'));
  try {
    const path = join(folder, 'dump.json');
    const metadata = { exported_at: new Date(clock.now).toISOString(), total_keys: memories.length, namespaces: {}, version: '6.6.2' };
    writeFileSync(path, JSON.stringify({ metadata, data: Object.fromEntries(memories) }));
    const now = () => clock.now;
    const report = await runImport(opened, await prepareImport({ path, now }));
    correlations.push(report.correlation ?? '');
    live.push(...memories.map(([key]) => key));
    return report;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Every command there is, and what else makes events. The type misses none; a test holds it against the running product too. */
export const DEEDS: Readonly<Record<keyof Commands | Beside, Deed>> = {
  remember: {
    weight: 30,
    run: (world) => {
      const { from, chance, below, date } = world;
      const namespace = from(NAMESPACES);
      return store(world, {
        namespace,
        project: anyProject(world),
        tags: chance() < 0.3 ? ['legacy', world.text(1)] : [],
        provenance: from(PROVENANCES),
        force: chance() < 0.9,
        mode: 'raw',
        ...(chance() < 0.3 && { event_date: date(below(120) - 60) }),
        ...(namespace === 'knowledge' && { licence: from(LICENCES) }),
        ...(namespace === 'knowledge' && chance() < 0.3 && { expires_at: date(1 + below(20)) }),
      });
    },
  },
  rememberDocument: {
    weight: 3,
    run: async (world) => {
      const { opened, below, text, call, live, documents, from } = world;
      const content = Array.from({ length: 2 + below(4) }, () => Array.from({ length: 12 }, () => text()).join('. ')).join('\n\n');
      const input = {
        content,
        project: anyProject(world),
        mode: 'raw' as const,
        chunk_strategy: from(['paragraphs', 'sentences'] as const),
      };
      const { keys, doc_id } = await opened.app.commands.rememberDocument(input, call());
      live.push(...keys);
      if (doc_id !== null) documents.push(doc_id);
    },
  },
  revise: {
    weight: 8,
    run: ({ opened, someKey, text, call }) =>
      opened.app.commands.revise({ key: someKey(), content: text(), reason: 'better known' }, call()),
  },
  retag: {
    weight: 6,
    run: ({ opened, someKey, from, call }) =>
      opened.app.commands.retag({ key: someKey(), add: [from(['legacy', 'seen', 'done'])], remove: ['imported'] }, call()),
  },
  deprioritise: {
    weight: 6,
    run: ({ opened, someKey, text, chance, call }) =>
      opened.app.commands.deprioritise(
        { key_or_query: chance() < 0.9 ? someKey() : text(), reason: text(3), reinstate_hints: [text(2)] },
        call(),
      ),
  },
  archive: {
    weight: 4,
    run: ({ opened, someKey, text, chance, call }) =>
      opened.app.commands.archive({ key_or_query: chance() < 0.9 ? someKey() : text(), reason: 'done' }, call()),
  },
  reinstate: {
    weight: 6,
    run: ({ opened, someKey, text, chance, call }) =>
      opened.app.commands.reinstate({ key_or_query: chance() < 0.8 ? someKey() : text() }, call()),
  },
  forget: { weight: 4, run: forgetInOneOfManyWays },
  undo: { weight: 5, run: ({ opened, from, correlations, call }) => opened.app.commands.undo({ correlation: from(correlations) }, call()) },
  suppressTopic: {
    weight: 1,
    run: ({ opened, from, text, call }) => opened.app.commands.suppressTopic({ topic: from(TOPICS), reason: text(3) }, call()),
  },
  unsuppressTopic: { weight: 1, run: ({ opened, from, call }) => opened.app.commands.unsuppressTopic({ topic: from(TOPICS) }, call()) },
  setLicence: {
    weight: 2,
    run: ({ opened, someKey, from, text, call }) =>
      opened.app.commands.setLicence({ keys: [someKey(), someKey()], licence: from(LICENCES), licence_note: text(2) }, call()),
  },
  setProvenance: {
    weight: 2,
    run: ({ opened, someKey, from, call }) =>
      opened.app.commands.setProvenance({ keys: [someKey(), someKey()], provenance: from(PROVENANCES) }, call()),
  },
  setProjectContext: {
    weight: 1.5,
    run: ({ opened, from, text, call, chance }) =>
      opened.app.commands.setProjectContext(
        {
          project_name: from(PROJECTS),
          description: text(),
          stack: 'typescript, valkey',
          goals: text(),
          current_state: text(),
          notes: text(),
          ...(chance() < 0.5 && { domains: ['typescript', 'databases'] }),
        },
        call(),
      ),
  },
  updateProjectState: {
    weight: 2,
    run: ({ opened, from, text, call }) =>
      opened.app.commands.updateProjectState({ project_name: from(PROJECTS), current_state: text(), notes: text() }, call()),
  },
  compileProjectContext: {
    weight: 0.3,
    run: ({ opened, from, call }) =>
      opened.app.commands.compileProjectContext({ project_name: from(PROJECTS), auto_save: true, max_tokens: 2_000 }, call()),
  },
  deleteProject: {
    weight: 0.5,
    run: async (world) => {
      const { opened, errands, chance, call, done } = world;
      const first = !done.has('deleteProject');
      const project_name = !first && chance() < 0.5 ? errands.shift() : await newErrand(world);
      if (project_name === undefined) return;
      await opened.app.commands.deleteProject({ project_name, confirm: true, include_context: first || chance() < 0.7 }, call());
    },
  },
  deprioritiseProject: {
    weight: 0.5,
    run: async (world) => {
      const project_name = await newErrand(world);
      await world.opened.app.commands.deprioritiseProject(
        { project_name, confirm: true, reason: world.text(3), include_context: true },
        world.call(),
      );
    },
  },
  reinstateProject: {
    weight: 0.5,
    run: ({ opened, from, errands, call }) =>
      opened.app.commands.reinstateProject(
        { project_name: from([...errands.slice(-5), ...PROJECTS]), confirm: true, include_context: true },
        call(),
      ),
  },
  recordExperience: {
    weight: 4,
    run: ({ opened, someKey, below, from, text, call }) =>
      opened.app.commands.recordExperience(
        {
          key: someKey(),
          effort_score: 1 + below(5),
          outcome: from(OUTCOMES),
          iterations: 1 + below(9),
          breakthrough: text(),
          gotchas: text(),
          abandoned_approaches: [{ name: `tool${below(100_000)} kit`, type: from(ABANDONED_TYPES), reason: text() }],
        },
        call(),
      ),
  },
  logAbandoned: {
    weight: 3,
    run: ({ opened, someKey, below, from, text, call }) =>
      opened.app.commands.logAbandoned(
        { key: someKey(), name: `library${below(100_000)} lib`, type: from(ABANDONED_TYPES), reason: text() },
        call(),
      ),
  },
  liftDeadEnd: {
    weight: 1,
    run: async ({ opened: { app }, someKey, below, from, text, call }) => {
      const deadEnd = { key: someKey(), name: `gadget${below(100_000)} kit`, type: from(ABANDONED_TYPES), reason: text() };
      await app.commands.logAbandoned(deadEnd, call());
      await app.commands.liftDeadEnd({ ...deadEnd, reason: text() }, call());
    },
  },
  reindex: {
    weight: 0.003,
    run: async ({ opened }) => {
      while ((await opened.app.commands.reindex({}, { actor: 'test' })).status === 'running');
    },
  },
  checkContradictions: {
    weight: 0.7,
    run: async (world) => {
      const { opened, call, pairs, chance } = world;
      const query = await contradictingPair(world);
      const { contradictions } = await opened.app.commands.checkContradictions({ query, use_api: chance() < 0.5 }, call());
      pairs.push(...contradictions.map(({ key_a, key_b }) => [key_a, key_b] as const));
    },
  },
  resolveContradiction: {
    weight: 0.5,
    run: async ({ opened, call, pairs, chance, text }) => {
      const [key_a, key_b] = pairs.shift() ?? [];
      if (key_a === undefined || key_b === undefined) return;
      await opened.app.commands.resolveContradiction({ key_a, key_b, keep: chance() < 0.7 ? key_b : 'both', note: text(3) }, call());
    },
  },
  maintain: {
    weight: 0.3,
    run: async (world) => {
      const project = world.from(PROJECTS);
      const content = world.text();
      await store(world, { content, project });
      await store(world, { content, project });
      await contradictingPair(world);
      await world.opened.app.commands.maintain(world.chance() < 0.7 ? { project } : {}, world.call());
    },
  },
  mergeProjects: {
    weight: 0.5,
    run: async (world) => {
      const from = await newErrand(world);
      const into = world.chance() < 0.5 ? world.from(PROJECTS) : await newErrand(world);
      await world.opened.app.commands.mergeProjects({ from, into }, world.call());
    },
  },
  compileProjectDomains: {
    weight: 0.5,
    run: ({ opened, from, chance, call }) =>
      opened.app.commands.compileProjectDomains(
        {
          project_name: from(PROJECTS),
          ...(chance() < 0.5 ? { auto_save: true } : { domains: [from(['typescript', 'python', 'databases'])] }),
        },
        call(),
      ),
  },
  enrich: {
    weight: 1,
    run: async (world) => {
      await store(world, { force: false, mode: 'full', project: anyProject(world), namespace: 'episodic' });
      await world.enriched();
    },
  },
  enrichInVain: {
    weight: 0.1,
    run: async (world) => {
      await store(world, { content: `${world.text()} ${ILLEGIBLE} ${world.text()}`, force: false, mode: 'full' });
      await world.enriched();
    },
  },
  importDump: { weight: 0.4, run: importDump },
  setContextInVain: {
    weight: 0.3,
    run: async ({ opened, errands, below, text, call, chance }) => {
      const project_name = `whim ${below(1_000_000)}`;
      const texts = { description: text(), stack: '', goals: text(), current_state: text() };
      const set = call();
      await opened.app.commands.setProjectContext({ project_name, ...texts }, set);
      const undone = await opened.app.commands.undo({ correlation: set.commandId ?? '' }, call());
      errands.push(project_name);
      if (chance() < 0.5 && undone.undo_correlation) await opened.app.commands.undo({ correlation: undone.undo_correlation }, call());
    },
  },
};
