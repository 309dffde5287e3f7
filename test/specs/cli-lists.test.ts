import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { createProgram } from '../../services/cli/program.js';
import { withinCeiling } from '../../services/mcp/ceiling.js';
import { toolsByName } from '../../services/mcp/toolset.js';

const called = vi.hoisted(() => ({ answer: {} as object }));
vi.mock('../../services/cli/call.js', async (original) => ({
  ...(await original<object>()),
  callTool: async (_connect: unknown, name: string) => (name === 'health' && !('issues' in called.answer) ? WELL : called.answer),
}));

const dataDir = mkdtempSync(join(tmpdir(), 'omt-lists-'));
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const WELL = { status: 'green', issues: [], model: { state: 'off' }, model_loaded: false };

/** Runs a command on an answer of its tool; what it printed and its exit code. */
const say = async (args: readonly string[], answer: object): Promise<{ readonly out: string; readonly code: unknown }> => {
  called.answer = answer;
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await createProgram().parseAsync(['node', 'omnimem', '--data-dir', dataDir, ...args]);
  const out = printed.mock.calls.map(([text]) => String(text)).join('');
  printed.mockRestore();
  return { out, code: process.exitCode };
};

const key = (n: number): string => `mem:episodic:01HZX3V000000000000${String(n).padStart(7, '0')}`;
const many = <T>(count: number, make: (n: number) => T): readonly T[] => Array.from({ length: count }, (_, n) => make(n));
const CORRELATION = '01J9ZC4Q0000000000000000AB';
const when = '2026-11-30T12:00:00.000Z';
const as_of = { time: when, position: '1-0' };
const memory = (n: number): object => ({
  key: key(n),
  score: 0.5,
  state: 'active',
  provenance: 'asserted',
  created_at: when,
  content: `Memory ${n}`,
  snippet: `Memory ${n}`,
});

const undone = {
  status: 'undone',
  correlation: CORRELATION,
  undo_correlation: CORRELATION,
  restored: many(1_500, (n) => ({ key: key(n), fields: ['state'] })),
  kept: many(1_200, (n) => ({ key: key(n), fields: ['state'], changed_by: [CORRELATION] })),
  irreversible: many(30, (n) => ({ key: key(n), why: 'forgotten' })),
};
const ANSWERS: readonly (readonly [tool: string, args: readonly string[], answer: object])[] = [
  ['undo', ['undo', CORRELATION], undone],
  [
    'maintain',
    ['maintain'],
    {
      status: 'ran',
      correlation: CORRELATION,
      duplicates_archived: many(300, (n) => ({ key: key(n), kept: key(n) })),
      contradictions_found: many(300, (n) => ({ key_a: key(n), key_b: key(n), content_a: 'a', content_b: 'b' })),
      knowledge_expired: many(300, key),
      left: 0,
    },
  ],
  [
    'forget',
    ['forget', 'many', 'words'],
    {
      status: 'preview',
      preview_id: CORRELATION,
      expires_at: when,
      total: 300,
      by_namespace: { episodic: 300 },
      suppressions_kept: many(20, (n) => `topic ${n}`),
      targets: many(300, memory),
    },
  ],
  [
    'forget',
    ['forget', '--confirm', CORRELATION],
    { status: 'deleted', deleted: 400, deleted_keys: many(400, key), erased: true, disk: 'pending' },
  ],
  ['recall', ['recall', 'words'], { results: many(50, memory) }],
  ['recall_index', ['recall', 'words', '--short'], { results: many(50, memory) }],
  ['recall', ['at', '2h', 'recall', 'words'], { as_of, results: many(50, memory) }],
  [
    'memory_audit',
    ['at', '2h', 'audit'],
    { as_of, summary: { active: 90 }, entries: many(90, memory), offset: 0, returned: 90, matching_total: 90 },
  ],
  [
    'explain_memory',
    ['timeline', key(1)],
    {
      status: 'active',
      key: key(1),
      state: 'active',
      timeline: many(90, (n) => ({ n, event: 'MemoryRetagged', at: when, actor: 'cli', correlation: CORRELATION })),
      recalls: many(90, (rank) => ({ at: when, rank, score: 0.5, actor: 'cli' })),
    },
  ],
  [
    'remember_document',
    ['remember', 'text', '--document'],
    { doc_id: 'd', keys: many(90, key), chunks_stored: 90, chunks_total: 90, duplicates_skipped: 0 },
  ],
  [
    'queue_status',
    ['enrich'],
    { pending: 1, in_flight: 0, parked: many(50, (n) => ({ key: key(n), code: 'X', attempts: 5 })), parked_total: 50, enrichment: 'off' },
  ],
  [
    'reindex',
    ['reindex'],
    {
      status: 'ok',
      reindexed: many(4, (n) => ({
        namespace: `n${n}`,
        actual_records: 1,
        before_num_docs: 1,
        after_num_docs: 1,
        removed_phantoms: 0,
        restored: 0,
      })),
      total_phantoms_removed: 0,
      views: { a: 1 },
      seconds: 1,
    },
  ],
  [
    'health',
    ['health'],
    {
      status: 'amber',
      issues: many(90, (n) => ({ severity: 'amber', code: `C${n}`, message: 'm', hint: 'h' })),
      records: { episodic: 1 },
      log: { events: 1, log_id: 'x' },
      projections: { a: { lag_events: 0 } },
      vectors: { pending: 0, refused: 0 },
      model: { state: 'off' },
      model_loaded: false,
    },
  ],
];

describe('an answer that was cut to the ceiling', () => {
  it.each(ANSWERS)('of %s is said, however little is left of it', async (tool, args, answer) => {
    const whole = await say(args, answer);
    const { cut } = toolsByName.get(tool) ?? {};
    for (const tokens of [40, 60, 90, 150, 300, 600, 1_200, 2_500, 5_000]) {
      const { out, code } = await say(args, withinCeiling(answer, tokens, { ...(cut && { cut }) }));
      expect([tokens, code, out.trim() === '']).toEqual([tokens, whole.code, false]);
    }
  });

  it('of an undo is counted as it was', async () => {
    for (const tokens of [60, 300, 2_000, 20_000, 200_000]) {
      const { out } = await say(['undo', CORRELATION], withinCeiling(undone, tokens, { ...toolsByName.get('undo') }));
      const [restored = 0, kept = 0, irreversible = 0] = out
        .split(/^(?:Put back|Kept|Out of reach).*:$/m)
        .slice(1)
        .map(entriesIn);
      expect([tokens, restored, kept, irreversible]).toEqual([tokens, 1_500, 1_200, 30]);
    }
    const unchanged = { status: 'unchanged', correlation: CORRELATION, cut: { lists: { kept: { shown: 0, total: 9 } } } };
    expect((await say(['undo', CORRELATION], unchanged)).code).toBe(1);
  });

  it('of a run of maintenance too', async () => {
    const answer = ANSWERS[1]?.[2] ?? {};
    for (const tokens of [300, 2_000, 200_000]) {
      const { out } = await say(['maintain'], withinCeiling(answer, tokens, { ...toolsByName.get('maintain') }));
      for (const what of ['copies archived', 'contradictions flagged', 'expired and archived']) expect(out).toContain(`300 ${what}`);
    }
  });
});

/** Entries that a part of the answer shows, and those that it says there are beside them. */
const entriesIn = (part: string): number =>
  part.split('\n').reduce((sum, line) => sum + Number(/^ {2}and (\d+) more$/.exec(line)?.[1] ?? (line.startsWith('  ') ? 1 : 0)), 0);
