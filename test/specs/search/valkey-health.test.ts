import { describe, expect, it } from 'vitest';
import type { VectorStats } from '../../../projections/search/ports.js';
import { searchIssues } from '../../../services/health/search.js';

const usable = { usable: true, version: '1.2.1', reason: 'valkey-search 1.2.1 searches the vectors' };
const stats = (more: Partial<VectorStats>): VectorStats => ({
  memories: 1,
  vectors: 1,
  engine: 'valkey-search',
  dimension: 8,
  state: 'ready',
  ...more,
});
const codes = (more: Partial<VectorStats>) =>
  searchIssues({ ...usable, indexes: { episodic: stats(more) } }).map(({ code, severity }) => [code, severity]);

describe('what health says of a search in the server', () => {
  it('nothing while all is well, or nothing is known', () => {
    expect(codes({ notes: { ghosts: 3 } })).toEqual([]);
    expect(searchIssues(undefined)).toEqual([]);
  });

  it.each<[Partial<VectorStats>, string, string]>([
    [{ state: 'backfilling', detail: '50 %' }, 'SEARCH_INDEX_FILLING', 'amber'],
    [{ state: 'lost' }, 'SEARCH_INDEX_FAILED', 'red'],
    [{ state: 'failed' }, 'SEARCH_INDEX_FAILED', 'red'],
    [{ notes: { cut_short: 2 } }, 'SEARCH_CUT_SHORT', 'amber'],
    [{ notes: { server_ceiling: 2 } }, 'SEARCH_SERVER_CEILING', 'amber'],
  ])('%j', (more, code, severity) => expect(codes(more)).toEqual([[code, severity]]));

  it('names rows that no memory is behind', () =>
    expect(searchIssues({ ...usable, indexes: {}, phantoms: { project: 1 } })).toMatchObject([
      { code: 'SEARCH_PHANTOMS', severity: 'amber', message: "1 row of the server's vector index of project belongs to no memory" },
    ]));

  it('names a module that is there and not used, not one that is absent', () => {
    const reason = 'valkey-search 1.1.1 is older than 1.2 and is not used';
    expect(searchIssues({ usable: false, version: '1.1.1', reason, indexes: {} })).toMatchObject([
      { code: 'SEARCH_MODULE_UNUSED', message: reason },
    ]);
    expect(searchIssues({ usable: false, version: undefined, reason: 'none', indexes: {} })).toEqual([]);
  });
});
