import { isDomainError } from '../../../domain/errors.js';
import { memoryKey } from '../../../domain/memory/key.js';
import { LICENCES, NAMESPACES, OUTCOMES, PROVENANCES } from '../../../domain/vocabulary.js';
import { packVectors } from '../../../projections/recall/vector-cache.js';
import type { Embedder } from '../../../services/embedding/port.js';
import type { TestApp } from '../../support/app.js';
import { newId, rememberedWith, seededNumbers } from '../../support/eventlog.js';

const WORDS =
  'staging production deploy rollback cache tenant locale billing invoice retry webhook timeout kernel driver socket queue worker lease token index vector query planner migration schema column shard replica failover backup restore snapshot parser lexer grammar compiler linker bundle route handler session cookie header proxy certificate rotation secret vault region zone cluster node pod volume mount quota limit throttle burst latency percentile histogram trace span metric alert pager runbook incident postmortem owner review branch merge rebase tag release'.split(
    ' ',
  );
export const NAMED_PROJECTS = ['blue', 'green', 'teal'] as const;
const PROJECTS = [...NAMED_PROJECTS, undefined] as const;
const TOPICS = ['vault', 'pager', 'kernel driver'] as const;
/** What dead ends are called, with a number. */
const GIVEN_UP = ['kestrel', 'lanternfish', 'quartzite'] as const;
/** Commands that run at once; each on memories of its own. */
const AT_ONCE = 50;

export type Generator = {
  /** Runs commands until the log has so many events. It forgets only what it has remembered in the same call. */
  readonly upTo: (events: number) => Promise<void>;
  readonly someLive: (count: number) => readonly string[];
  /** What `warn_if_abandoned` is asked. */
  readonly plans: readonly string[];
  readonly questions: readonly { readonly query: string; readonly project_filter?: string; readonly namespaces?: readonly ['episodic'] }[];
};

/** A log as it comes about by every command there is, the same choices for the same seed. */
export const createGenerator = ({ app, log, call }: TestApp, embedder: Embedder, seed: number): Generator => {
  const number = seededNumbers(seed);
  const pick = (below: number): number => Math.floor(number() * below);
  const from = <T>(items: readonly T[]): T => items[pick(items.length)] as T;
  const text = (): string => Array.from({ length: 5 + pick(9) }, () => from(WORDS)).join(' ');
  const { commands } = app;
  const live: string[] = [];
  const pairs: (readonly [string, string])[] = [];
  /** How many were there before this call of `upTo`: those are not forgotten, so that earlier answers stay what they were. */
  let older = 0;

  const remember = async (): Promise<void> => {
    const namespace = from(NAMESPACES);
    const days = pick(120) - 60;
    const stored = await commands.remember(
      {
        content: `${text()} ${pick(100_000)}`,
        namespace,
        project: from(PROJECTS),
        tags: [from(WORDS), from(WORDS)],
        force: true,
        ...(namespace === 'knowledge' && { licence: from(LICENCES) }),
        ...(namespace === 'knowledge' &&
          number() < 0.3 && { expires_at: new Date(Date.now() + (1 + pick(200)) * 86_400_000).toISOString() }),
        ...(number() < 0.3 && { event_date: new Date(Date.now() + days * 86_400_000).toISOString() }),
      },
      call,
    );
    if (stored.status === 'stored') live.push(stored.key);
  };

  const rememberDocument = async (): Promise<void> => {
    const content = Array.from({ length: 3 }, () => Array.from({ length: 12 }, text).join('. ')).join('\n\n');
    const { keys } = await commands.rememberDocument({ content, project: from(PROJECTS), chunk_strategy: 'paragraphs' }, call);
    live.push(...keys);
  };

  /** No command draws facts yet, so they are appended as enrichment will append them. */
  const drawFact = async (source: string): Promise<void> => {
    const content = text();
    const [windows = []] = await embedder.embed([content]);
    const subject = memoryKey('episodic', newId());
    await log.append({
      commandId: newId(),
      actor: 'job:enrichment',
      at: new Date().toISOString(),
      writes: [
        {
          subject,
          expected: 0,
          events: [{ type: 'MemoryRemembered', data: rememberedWith(content, { enriched_from: source }) }],
          vectors: { model: embedder.identity.id, bytes: packVectors(windows) },
        },
      ],
      result: {},
    });
    live.push(subject);
  };

  /** Two memories that contradict each other; words by chance do not, so the finding is appended as the check would. */
  const contradict = async (): Promise<void> => {
    const namespace = from(NAMESPACES);
    const project = from(PROJECTS);
    const [one, other] = [memoryKey(namespace, newId()), memoryKey(namespace, newId())];
    const contents = [text(), text()] as const;
    const vectors = await embedder.embed(contents);
    const half = (subject: string, rival: string, which: 0 | 1) => ({
      subject,
      expected: 0,
      events: [
        {
          type: 'MemoryRemembered' as const,
          data: rememberedWith(contents[which], { namespace, ...(project !== undefined && { project }) }),
        },
        { type: 'ContradictionFlagged' as const, data: { with: rival, method: 'heuristic' as const, cue: 'always/never' } },
      ],
      vectors: { model: embedder.identity.id, bytes: packVectors(vectors[which] ?? []) },
    });
    const at = new Date().toISOString();
    await log.append({ commandId: newId(), actor: 'test', at, writes: [half(one, other, 0), half(other, one, 1)], result: {} });
    live.push(one, other);
    pairs.push([one, other]);
  };

  const settle = async (): Promise<void> => {
    const [key_a, key_b] = pairs[pick(pairs.length)] ?? [];
    if (key_a !== undefined && key_b !== undefined) await commands.resolveContradiction({ key_a, key_b, note: text() }, call);
  };

  const deadEnd = () => ({ name: `${from(GIVEN_UP)} ${pick(9)}`, type: 'tool' as const, reason: text() });

  const experience = async (key: string): Promise<void> => {
    if (number() < 0.3) return void (await commands.logAbandoned({ key, ...deadEnd() }, call));
    if (number() < 0.1) return void (await commands.liftDeadEnd({ key, ...deadEnd() }, call));
    await commands.recordExperience(
      {
        key,
        effort_score: 1 + pick(5),
        outcome: from(OUTCOMES),
        gotchas: text(),
        breakthrough: text(),
        ...(number() < 0.5 && { abandoned_approaches: [deadEnd()] }),
      },
      call,
    );
  };

  const project = async (): Promise<void> => {
    const project_name = from(NAMED_PROJECTS);
    if (number() < 0.2) return void (await commands.compileProjectContext({ project_name, auto_save: true, max_tokens: 4_000 }, call));
    if (number() < 0.5) return void (await commands.updateProjectState({ project_name, current_state: text(), notes: text() }, call));
    const domains = [from(['python', 'docker', 'rust'])];
    await commands.setProjectContext(
      { project_name, description: text(), stack: text(), goals: text(), current_state: text(), domains },
      call,
    );
  };

  const step = async (key: string): Promise<void> => {
    if (number() < 0.12) return experience(key);
    if (number() < 0.03) return project();
    if (number() < 0.03) return contradict();
    if (number() < 0.02) return settle();
    const chance = number();
    if (chance < 0.4) return remember();
    if (chance < 0.43) return rememberDocument();
    if (chance < 0.46) return drawFact(key);
    if (chance < 0.58) return void (await commands.revise({ key, content: text(), reason: 'better known' }, call));
    if (chance < 0.67) return void (await commands.retag({ key, add: [from(WORDS)] }, call));
    if (chance < 0.76)
      return void (await commands.deprioritise(
        { key_or_query: key, reason: text(), reinstate_hints: [`${from(WORDS)} ${from(WORDS)}`] },
        call,
      ));
    if (chance < 0.81) return void (await commands.archive({ key_or_query: key, reason: 'done' }, call));
    if (chance < 0.89) return void (await commands.reinstate({ key_or_query: key }, call));
    if (chance < 0.92) return void (await commands.setLicence({ keys: [key], licence: from(LICENCES) }, call));
    if (chance < 0.95) return void (await commands.setProvenance({ keys: [key], provenance: from(PROVENANCES) }, call));
    if (chance < 0.97) return void (await commands.suppressTopic({ topic: from(TOPICS), reason: text() }, call));
    if (chance < 0.985) return void (await commands.unsuppressTopic({ topic: from(TOPICS) }, call));
    const [gone] = live.splice(older + pick(live.length - older), 1);
    if (gone !== undefined) await commands.forget({ key_or_query: gone, confirm: true, keys: [gone] }, call);
  };

  const refusedIsFine = (error: unknown): void => {
    if (!isDomainError(error)) throw error;
  };

  const someLive = (count: number): readonly string[] => {
    const chosen = new Set<string>();
    while (chosen.size < Math.min(count, live.length)) chosen.add(from(live));
    return [...chosen];
  };

  return {
    someLive,
    upTo: async (events) => {
      older = live.length;
      while (live.length < AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, remember));
      while ((await log.size()) < events) await Promise.all(someLive(AT_ONCE).map((key) => step(key).catch(refusedIsFine)));
    },
    plans: ['shall we use kestrel 3 here', 'try lanternfish 5', 'quartzite 1 with kestrel 7', 'the worker queue'],
    questions: [
      ...Array.from({ length: 6 }, () => ({ query: text() })),
      { query: 'how long is the lease of a worker' },
      { query: `${from(WORDS)} ${from(WORDS)}` },
      { query: 'what was the incident of last month', project_filter: 'blue' },
      { query: 'vault pager kernel driver' },
      { query: text(), namespaces: ['episodic'] },
      { query: text(), project_filter: 'green' },
    ],
  };
};
