import { describe, expect, it } from 'vitest';
import { type Examination, issuesOf } from '../../../services/queries/health.js';

const NOW = Date.parse('2026-05-03T12:00:00Z');
const HOUR = 3_600_000;

const well: Examination = {
  store: {
    vitals: { version: '8.0.1', numbers: { aof_enabled: 1 }, aofLastWrite: 'ok' },
    projections: [],
    events: 3,
    head: '1-0',
    records: {},
    erasures: { count: 0, refused: undefined },
  },
  outage: undefined,
  index: { documents: 0, caughtUp: true, degraded: 0, lag: 'none' },
  vectors: { serving: 'm', named: 'm', pending: 0, refused: 0 },
  model: { state: 'ready', id: 'm', reason: undefined },
  reembedding: undefined,
  supervisor: undefined,
  storeDiffers: undefined,
  dataDirFault: undefined,
  diskLow: undefined,
  now: NOW,
};

const found = (fields: Partial<Examination>): string[] =>
  issuesOf({ ...well, ...fields }).map(({ severity, code }) => `${severity} ${code}`);
const backup = (hoursOld: number | undefined, everyMs: number | undefined = 6 * HOUR, failed?: string) => ({
  backup: { everyMs, newestAt: hoursOld === undefined ? undefined : NOW - hoursOld * HOUR, since: NOW - 10 * HOUR, failed },
});

describe('backups in health', () => {
  it.each([
    ['young enough', backup(5.9), []],
    ['a little late', backup(6.5), ['amber BACKUP_LATE']],
    ['twice as old as it should be', backup(13), ['red BACKUP_OLD']],
    ['never written, and due since the start', backup(undefined), ['amber BACKUP_LATE']],
    ['never written, for very long', backup(undefined, 1 * HOUR), ['red BACKUP_OLD']],
    ['young, but the last run failed', backup(1, 6 * HOUR, 'no room'), ['amber BACKUP_FAILED']],
    ['none scheduled', backup(undefined, HOUR, 'x'), []],
  ])('%s', (name, fields, issues) =>
    expect(found(name === 'none scheduled' ? { backup: { ...fields.backup, everyMs: undefined } } : fields)).toEqual(issues),
  );

  it('a folder that cannot be read, whatever is known of its backups, and a list that cannot be written', () => {
    const young = backup(1).backup;
    expect(found({ backup: { ...young, unread: 'x' } })).toEqual(['red BACKUP_FAILED']);
    expect(found({ backup: { ...young, everyMs: undefined, unread: 'x', unlisted: 'x' } })).toEqual(['red BACKUP_FORGOTTEN']);
  });

  it('a restore that goes on, and one that was left unfinished', () => {
    expect(found({ restoring: { backup: 'b', silent: 2 } })).toEqual(['amber RESTORING']);
    expect(found({ restoring: { backup: 'b', silent: 200 } })).toEqual(['red RESTORE_UNFINISHED']);
  });
});
