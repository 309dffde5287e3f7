import type { VectorStats } from '../../projections/search/ports.js';
import type { SearchModule } from '../../projections/search/valkey/module.js';
import type { HealthIssue } from '../api.js';

/** What serves the vectors: the server's search module, or this process and why. */
export type SearchFacts = SearchModule & {
  readonly indexes: Readonly<Record<string, VectorStats>>;
  /** Rows in the server that no memory is behind, by namespace. */
  readonly phantoms?: Readonly<Record<string, number>>;
};

/** What keeps a search in the server from being whole, or from being there at all. */
export const searchIssues = (search: SearchFacts | undefined): HealthIssue[] => {
  if (!search) return [];
  const issues: HealthIssue[] = [];
  if (!search.usable && search.version !== undefined) {
    const hint = 'Use valkey-search 1.2 or newer, or do nothing: the index in this process serves';
    issues.push({ code: 'SEARCH_MODULE_UNUSED', severity: 'amber', message: search.reason, hint });
  }
  for (const [namespace, { state, detail, notes }] of Object.entries(search.indexes)) {
    const message = `The server's vector index of ${namespace} is ${state}${detail === undefined ? '' : `: ${detail}`}`;
    if (state === 'backfilling')
      issues.push({ code: 'SEARCH_INDEX_FILLING', severity: 'amber', message, hint: 'Recall may miss vectors until it is done' });
    if (state === 'failed' || state === 'lost')
      issues.push({ code: 'SEARCH_INDEX_FAILED', severity: 'red', message, hint: 'See the log of the Valkey server; words still find' });
    if (state === 'ready' && notes?.cut_short !== undefined) {
      const text = `${notes.cut_short} vector searches in ${namespace} may lack something: more matched than the server gives at once`;
      issues.push({ code: 'SEARCH_CUT_SHORT', severity: 'amber', message: text, hint: 'Name fewer projects in one recall' });
    }
  }
  const ceilings = Object.values(search.indexes).reduce((sum, { notes }) => sum + (notes?.server_ceiling ?? 0), 0);
  if (ceilings > 0) {
    const message = `${ceilings} vector searches wanted more than the server is set to give: it gave fewer candidates, or looked at fewer`;
    const hint = 'Raise search.max-vector-knn (10000) and search.max-vector-ef-runtime (1000000) at the server to their defaults';
    issues.push({ code: 'SEARCH_SERVER_CEILING', severity: 'amber', message, hint });
  }
  for (const [namespace, rows] of Object.entries(search.phantoms ?? {})) {
    const message = `${rows} ${rows === 1 ? 'row' : 'rows'} of the server's vector index of ${namespace} ${rows === 1 ? 'belongs' : 'belong'} to no memory`;
    const hint = 'reindex removes them, and so does the next start; a process that was killed leaves them';
    issues.push({ code: 'SEARCH_PHANTOMS', severity: 'amber', message, hint });
  }
  return issues;
};
