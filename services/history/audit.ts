import { namespaceOf } from '../../domain/memory/key.js';
import { type ProjectSuggestion, suggestionFor } from '../../domain/project/scope.js';
import { NAMESPACES, type Namespace, type State } from '../../domain/vocabulary.js';
import type { MemoryRow } from '../../projections/memories.js';
import type { Document } from '../../projections/recall/document.js';
import type { Call } from '../api.js';
import type { QueryParts } from '../queries/parts.js';
import { filedRow } from '../queries/rows.js';
import { askEarlier, type Earlier } from './as-of.js';

export type AuditScope = {
  readonly project: string | undefined;
  readonly namespaces: readonly Namespace[];
  /** States that are listed, in their order; every state is counted. */
  readonly listed: readonly State[];
  readonly offset: number;
  readonly limit: number;
};

export type AuditPage = {
  readonly summary: { readonly active: number; readonly deprioritised: number; readonly archived: number; readonly deleted: number };
  readonly page: readonly string[];
  readonly rows: ReadonlyMap<string, MemoryRow>;
  readonly suggestion: ProjectSuggestion | undefined;
};

/** What was stored at an earlier moment: counts, and one page in the order of the audit. */
export const auditEarlier = (parts: QueryParts, asOf: string, call: Call, scope: AuditScope): Promise<Earlier<AuditPage>> =>
  askEarlier(parts, asOf, call, async (then, moment) => {
    const { project, namespaces, listed, offset, limit } = scope;
    const { projects } = then.index;
    const names = project === undefined ? undefined : projects.namesOf(project);
    const inScope = [...then.index.documents.values()].filter(
      (document) =>
        document.context === undefined &&
        namespaces.includes(document.namespace) &&
        (names === undefined || (document.project !== undefined && names.includes(document.project))),
    );
    const count = (state: State): number => inScope.filter((document) => document.state === state).length;
    // What was forgotten keeps no project, so that it counts only where no project is asked for.
    const deleted = project === undefined ? [...moment.ledger.forgotten].filter((key) => isOneOf(namespaces, namespaceOf(key))).length : 0;
    const ordered = inScope.filter(({ state }) => listed.includes(state)).sort(inOrder(listed));
    const page = ordered.slice(offset, offset + limit).map(({ key }) => key);
    return {
      summary: { active: count('active'), deprioritised: count('deprioritised'), archived: count('archived'), deleted },
      page,
      rows: new Map([...(await moment.rows(page))].map(([key, row]) => [key, filedRow(then, row)])),
      suggestion: project === undefined ? undefined : suggestionFor(projects, [project]),
    };
  });

const isOneOf = (namespaces: readonly Namespace[], namespace: Namespace | undefined): boolean =>
  namespace !== undefined && namespaces.includes(namespace);

/** By namespace, then state, then key, which is age. */
const inOrder = (states: readonly State[]) => (a: Document, b: Document) =>
  NAMESPACES.indexOf(a.namespace) - NAMESPACES.indexOf(b.namespace) ||
  states.indexOf(a.state) - states.indexOf(b.state) ||
  (a.key < b.key ? -1 : 1);
