import { DomainError } from '../../domain/errors.js';
import { clip } from '../../domain/passage.js';
import { parseProjectName } from '../../domain/project/name.js';
import { scopeOf } from '../../domain/project/scope.js';
import { meansLikeness } from '../../domain/similarity.js';
import { NAMESPACES } from '../../domain/vocabulary.js';
import { readVectors } from '../../projections/recall/vector-cache.js';
import type { Call, FindDuplicatesInput, FindDuplicatesResult } from '../api.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import type { QueryParts } from './parts.js';
import { rowsOf } from './rows.js';

/** The newest memories compared in one call; a scan compares each with its neighbours. */
const MOST = 2_000;
const NEIGHBOURS = 10;
const SHOWN = 200;
const YIELD_EVERY = 50;

/** Clusters of memories that say nearly the same, largest first. Archived ones do not count; nothing is changed. */
export const findDuplicates = async (
  parts: QueryParts & { readonly duplicateThreshold: () => number },
  input: FindDuplicatesInput,
  call: Call,
): Promise<FindDuplicatesResult> => {
  const namespace = NAMESPACES.find((known) => known === (input.namespace ?? 'episodic'));
  if (!namespace) throw new DomainError('VALIDATION', `namespace is not one of ${NAMESPACES.join(', ')}`, 'Leave it out for episodic');
  const threshold = input.threshold ?? parts.duplicateThreshold();
  if (!(threshold > 0 && threshold <= 1))
    throw new DomainError('VALIDATION', 'threshold must be above 0 and at most 1', 'Leave it out for the default');
  const projects = input.project_filter === undefined ? undefined : [parseProjectName(input.project_filter)];
  const stale = await parts.fresh();
  const { index, redis, keys } = parts;
  const { names, suggestion } = scopeOf(index.projects, { projects });
  const space = index.serving;
  if (!space)
    return {
      namespace,
      clusters: [],
      scanned: 0,
      ...(stale && { stale }),
      note: `No vectors serve, so nothing was compared. ${parts.lexicalBecause()}`,
    };

  const inScope = [...index.documents.values()]
    .filter(
      ({ namespace: its, state, project, context }) =>
        context === undefined &&
        its === namespace &&
        state !== 'archived' &&
        (names === undefined || (project !== undefined && names.includes(project))),
    )
    .map(({ key }) => key)
    .sort()
    .reverse();
  const scanned = inScope.slice(0, MOST);
  const filter = { states: ['active', 'deprioritised'] as const, ...(names && { projects: names }) };
  const near: Pair[] = [];
  const vectors = await unavailableWhenDown(() => readVectors(redis, keys, space.model, scanned));
  for (const [i, key] of scanned.entries()) {
    const [vector, ...more] = vectors[i]?.vectors ?? [];
    // A text of several windows is no duplicate of another for sharing one of them.
    if (vector && more.length === 0) {
      for (const hit of await space.index(namespace).knn(vector, NEIGHBOURS, filter)) {
        const isContext = index.documents.get(hit.key)?.context !== undefined;
        if (hit.key !== key && !isContext && hit.similarity >= threshold) near.push({ a: key, b: hit.key, similarity: hit.similarity });
      }
    }
    if (i % YIELD_EVERY === 0) {
      call.signal?.throwIfAborted();
      call.progress?.('comparing', i, scanned.length);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  const rows = await rowsOf(parts, [...new Set(near.flatMap(({ a, b }) => [a, b]))]);
  const clusters = new Clusters();
  for (const { a, b, similarity } of near) {
    const [one, other] = [rows.get(a), rows.get(b)];
    if (one && other && meansLikeness(one.content, other.content)) clusters.join(a, b, similarity);
  }
  const groups = clusters.groups();
  return {
    ...(suggestion && { project_suggestion: suggestion }),
    namespace,
    clusters: groups
      .map(({ members, similarity }) => ({
        memories: members.flatMap((key) => {
          const row = rows.get(key);
          if (!row) return [];
          return [
            {
              key,
              content: clip(row.content, SHOWN),
              ...(row.project !== undefined && { project: row.project }),
              state: row.state,
              created_at: row.created_at,
            },
          ];
        }),
        max_similarity: similarity,
      }))
      .filter(({ memories }) => memories.length > 1),
    scanned: scanned.length,
    ...(stale && { stale }),
    ...(inScope.length > MOST && {
      note: `The newest ${MOST} of ${inScope.length} memories were compared; narrow it with project_filter.`,
    }),
  };
};

type Pair = { readonly a: string; readonly b: string; readonly similarity: number };

/** Groups of keys joined by pairs (union-find). */
class Clusters {
  #parents = new Map<string, string>();
  #similarities = new Map<string, number>();

  join(a: string, b: string, similarity: number): void {
    const [rootA, rootB] = [this.#root(a), this.#root(b)];
    const best = Math.max(similarity, this.#similarities.get(rootA) ?? 0, this.#similarities.get(rootB) ?? 0);
    const [root, child] = rootA < rootB ? [rootA, rootB] : [rootB, rootA];
    this.#parents.set(child, root);
    this.#similarities.set(root, best);
  }

  /** Largest first, then by first key; members by key. */
  groups(): { readonly members: readonly string[]; readonly similarity: number }[] {
    const byRoot = new Map<string, string[]>();
    for (const key of this.#parents.keys()) {
      const root = this.#root(key);
      byRoot.set(root, [...(byRoot.get(root) ?? []), key]);
    }
    return [...byRoot]
      .map(([root, members]) => ({ members: [...new Set([root, ...members])].sort(), similarity: this.#similarities.get(root) ?? 0 }))
      .sort((x, y) => y.members.length - x.members.length || ((x.members[0] ?? '') < (y.members[0] ?? '') ? -1 : 1));
  }

  #root(key: string): string {
    const parent = this.#parents.get(key) ?? key;
    if (parent === key) {
      this.#parents.set(key, key);
      return key;
    }
    const root = this.#root(parent);
    this.#parents.set(key, root);
    return root;
  }
}
