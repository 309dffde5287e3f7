import { describe, expect, it } from 'vitest';
import type { ProjectionStatus } from '../../../projections/status.js';
import { type Examination, healthOf, issuesOf } from '../../../services/queries/health.js';
import type { EnrichmentStanding } from '../../../services/queries/queue.js';

const NOW = Date.parse('2026-05-03T12:00:00Z');

const view = (fields: Partial<ProjectionStatus> = {}): ProjectionStatus => ({
  name: 'memories',
  generation: 1,
  building: undefined,
  version: 'v',
  checkpoint: '1-0',
  lagEvents: 0,
  lagSeconds: 0,
  deadLetters: 0,
  degraded: new Map(),
  rebuildFailed: undefined,
  ...fields,
});

type Store = NonNullable<Examination['store']>;

const store = (fields: Partial<Store> = {}, numbers: Record<string, number> = {}, aofLastWrite = 'ok'): Store => ({
  vitals: { version: '8.0.1', numbers: { used_memory: 10, maxmemory: 0, aof_enabled: 1, ...numbers }, aofLastWrite },
  projections: [view()],
  events: 3,
  head: '1-0',
  records: { episodic: 3 },
  erasures: { count: 0, refused: undefined },
  ...fields,
});

const well: Examination = {
  store: store(),
  outage: undefined,
  index: { documents: 3, caughtUp: true, degraded: 0, lag: 'none' },
  vectors: { serving: 'm', named: 'm', pending: 0, refused: 0 },
  model: { state: 'ready', id: 'm', reason: undefined },
  reembedding: undefined,
  supervisor: { restarts: 0, mode: 'normal', answering: true, lastExit: undefined },
  storeDiffers: undefined,
  dataDirFault: undefined,
  diskLow: undefined,
  now: NOW,
};

const standing = (fields: Partial<EnrichmentStanding> = {}): EnrichmentStanding => ({
  on: true,
  pending: 0,
  parked: 0,
  running: 0,
  trouble: undefined,
  asked: false,
  ...fields,
});
const trouble = (count: number, stopped = false) => ({
  code: 'X',
  message: 'The service is overloaded',
  since: '2026-05-03T11:00:00Z',
  count,
  stopped,
});

const verified = (fields = {}) => ({ at: NOW - 1_000, equal: false, differing: 2, rows: 9, degraded: 0, generation: 1, ...fields });

const exit = { at: NOW - 60_000, reason: 'killed by SIGKILL', hint: 'See the log' };

describe('health', () => {
  it.each([
    ['passed', verified({ equal: true, differing: 0 })],
    ['was of a generation that a replay has replaced', verified({ generation: 0 })],
  ])('a verify that %s is no issue', (_, outcome) =>
    expect(issuesOf({ ...well, store: store({ projections: [view({ verified: outcome })] }) })).toEqual([]),
  );

  it('is green when nothing is wrong', () => {
    expect(issuesOf(well)).toEqual([]);
  });

  it.each<[string, Partial<Examination>, string, RegExp]>([
    ['Valkey is down', { store: undefined, outage: 'Valkey did not answer in time' }, 'VALKEY_DOWN', /did not answer/],
    ['another store', { storeDiffers: 'This is another store than before' }, 'STORE_CHANGED', /another store/],
    ['the file cannot be written', { store: store({}, {}, 'err') }, 'NOT_DURABLE', /append-only/],
    ['memory is full', { store: store({}, { used_memory: 96, maxmemory: 100 }) }, 'MEMORY_FULL', /96 of 100/],
    ['the disk is full', { supervisor: { restarts: 1, mode: 'reads', answering: true, lastExit: exit } }, 'DISK_FULL', /full/],
    [
      'a view is behind',
      { store: store({ projections: [view({ lagEvents: 7, lagSeconds: 60 })] }) },
      'VIEW_BEHIND',
      /memories view is 7 events and 60 s/,
    ],
    [
      'dead letters',
      { store: store({ projections: [view({ deadLetters: 2, degraded: new Map([['mem:episodic:X', { code: 'PAYLOAD' }]]) as never })] }) },
      'DEAD_LETTERS',
      /2 events; 1 memories.*mem:episodic:X \(PAYLOAD\)/,
    ],
    [
      'a rebuild failed',
      { store: store({ projections: [view({ rebuildFailed: 'no memory for it' })] }) },
      'REBUILD_FAILED',
      /no memory for it/,
    ],
    [
      'a verify found a view wrong',
      { store: store({ projections: [view({ verified: verified() })] }) },
      'VERIFY_FAILED',
      /2 rows of the memories view differed/,
    ],
    ['the index is behind', { index: { ...well.index, lag: 'behind' } }, 'INDEX_BEHIND', /does not follow/],
    ['the index stands still for some', { index: { ...well.index, degraded: 2 } }, 'INDEX_DEGRADED', /2 memories/],
    ['index and store differ in number', { index: { ...well.index, documents: 4 } }, 'INDEX_DRIFT', /holds 4 memories, the store 3/],
    ['vectors were refused', { vectors: { ...well.vectors, refused: 5 } }, 'VECTORS_REFUSED', /5 stored vectors/],
    ['no model serves', { model: { state: 'failed', id: undefined, reason: 'no road' } }, 'NO_MODEL', /no road/],
    [
      'the vectors are of another model',
      { model: { state: 'ready', id: 'other', reason: undefined } },
      'MODEL_MISMATCH',
      /of m, the embedder is other/,
    ],
    [
      'most vectors are missing',
      {
        index: { ...well.index, documents: 300 },
        store: store({ records: { episodic: 300 } }),
        vectors: { ...well.vectors, pending: 200 },
      },
      'VECTORS_MISSING',
      /200 memories/,
    ],
    ['the data folder cannot be written', { dataDirFault: 'EACCES' }, 'DATA_DIR', /EACCES/],
    ['the disk is low', { diskLow: 'The disk is nearly full: 3 MB free' }, 'DISK_LOW', /3 MB/],
  ])('is red, with the reason, when %s', (_what, fields, code, message) => {
    const issues = issuesOf({ ...well, ...fields });
    expect(issues[0]).toMatchObject({ code, severity: 'red', message: expect.stringMatching(message), hint: expect.stringMatching(/\S/) });
  });

  it.each<[string, Partial<Examination>, string]>([
    [
      'Valkey was restarted a minute ago',
      { supervisor: { restarts: 1, mode: 'normal', answering: true, lastExit: exit } },
      'VALKEY_RESTARTED',
    ],
    ['no append-only file is kept', { store: store({}, { aof_enabled: 0 }) }, 'NO_AOF'],
    ['an erasure waits for the disk', { store: store({ erasures: { count: 1, refused: undefined } }) }, 'ERASURE_PENDING'],
    ['a server refuses to rewrite its files', { store: store({ erasures: { count: 2, refused: 'NOPERM' } }) }, 'ERASURE_ON_DISK'],
    ['a view is built for the first time', { store: store({ projections: [view({ generation: undefined })] }) }, 'VIEW_BUILDING'],
    ['the index loads', { index: { ...well.index, caughtUp: false, documents: 0 } }, 'INDEX_LOADING'],
    ['the index cannot be kept', { index: { ...well.index, unkept: '/d/index (EACCES)' } }, 'INDEX_NOT_KEPT'],
    ['the second choice of model serves', { model: { state: 'ready', id: 'm', reason: 'no road to the first' } }, 'SECOND_CHOICE_MODEL'],
    [
      'vectors are made anew',
      { reembedding: { model: 'n', done: 1, total: 3 }, model: { state: 'ready', id: 'n', reason: undefined } },
      'REEMBEDDING',
    ],
    ['the model fails again and again', { enrichment: standing({ trouble: trouble(3) }) }, 'ENRICHMENT_FAILING'],
    ['the key of the model is wrong', { enrichment: standing({ trouble: trouble(1, true) }) }, 'ENRICHMENT_STOPPED'],
    ['enrichment gave something up', { enrichment: standing({ parked: 2 }) }, 'ENRICHMENT_PARKED'],
    ['a few vectors are missing', { vectors: { ...well.vectors, pending: 2 } }, 'VECTORS_PENDING'],
  ])('is amber when %s', (_what, fields, code) => {
    expect(issuesOf({ ...well, ...fields }).map((issue) => [issue.code, issue.severity])).toEqual([[code, 'amber']]);
  });

  it.each<[string, Partial<Examination>]>([
    [
      'a view that is a moment behind',
      { store: store({ projections: [view({ lagEvents: 7, lagSeconds: 2 })] }), index: { ...well.index, documents: 4 } },
    ],
    ['a restart of long ago', { supervisor: { restarts: 1, mode: 'normal', answering: true, lastExit: { ...exit, at: NOW - 3_600_000 } } }],
    [
      'embeddings that are switched off',
      {
        model: { state: 'off', id: undefined, reason: undefined },
        vectors: { serving: undefined, named: undefined, pending: 3, refused: 0 },
      },
    ],
    ['a queue that is worked on, and a failure or two', { enrichment: standing({ pending: 9, running: 2, trouble: trouble(2) }) }],
    ['memory below its limit', { store: store({}, { used_memory: 90, maxmemory: 100 }) }],
  ])('says nothing of %s', (_what, fields) => {
    expect(issuesOf({ ...well, ...fields })).toEqual([]);
  });

  it('puts what is red first, and is as bad as the worst', () => {
    const examination = { ...well, store: store({ erasures: { count: 1, refused: undefined } }), dataDirFault: 'EROFS' };
    const health = healthOf(examination, { indexes: {}, uptime_seconds: 1, data_dir: '/d', logId: 'L' });
    expect(health.issues.map(({ code }) => code)).toEqual(['DATA_DIR', 'ERASURE_PENDING']);
    expect(health.status).toBe('red');
    expect(
      healthOf(
        { ...well, store: store({ erasures: { count: 1, refused: undefined } }) },
        { indexes: {}, uptime_seconds: 1, data_dir: '/d', logId: 'L' },
      ).status,
    ).toBe('amber');
    expect(healthOf(well, { indexes: {}, uptime_seconds: 1, data_dir: '/d', logId: 'L' })).toMatchObject({
      status: 'green',
      log: { log_id: 'L' },
    });
  });
});
