import type { Namespace } from '../../domain/vocabulary.js';
import type { ImportFate } from '../commands/import.js';
import type { Plan } from './plan.js';
import type { Refused, Source, SourceFormat } from './source.js';

export type Counted = { readonly what: string; readonly count: number; readonly why: string };

export type ImportReport = {
  readonly status: 'imported' | 'unchanged' | 'dry_run' | 'interrupted';
  readonly source: string;
  readonly from: SourceFormat;
  /** For `omnimem undo`; only when something was imported. */
  readonly correlation?: string;
  /** Memories in the source that keep the rules. */
  readonly memories: number;
  readonly imported: number;
  readonly imported_by_namespace: Readonly<Partial<Record<Namespace, number>>>;
  /** Here already under their keys; left alone. */
  readonly existing: number;
  /** Keys that are here with another text, which stays. */
  readonly differing: readonly string[];
  /** Keys that were forgotten here, or whose source was; they do not come back. */
  readonly forgotten: readonly string[];
  /** Texts that are here under another key. */
  readonly known_texts: number;
  /** Places whose text stands in the source more than once. */
  readonly repeated: readonly string[];
  readonly topics: { readonly imported: number; readonly existing: number };
  /** Contexts of projects; of one that is recorded here already, nothing is changed. */
  readonly projects: { readonly imported: number; readonly existing: number };
  /** What the side file holds, and where it is; absent when there is nothing to set aside. */
  readonly set_aside?: { readonly file: string; readonly what: readonly Counted[] };
  readonly dropped: readonly Counted[];
  readonly refused: readonly Refused[];
  /** How many of them an earlier import refused already; absent for none. */
  readonly refused_before?: number;
  readonly notes: readonly string[];
  /** How many memories an interrupted run did not get to. */
  readonly not_reached?: number;
  /** False when what was imported is safe and a view was late. */
  readonly visible?: boolean;
};

type Facts = {
  readonly path: string;
  readonly source: Source;
  readonly plan: Plan;
  readonly fates: ReadonlyMap<string, ImportFate>;
  readonly topics: ReadonlyMap<string, 'imported' | 'existing'>;
  readonly projects: ReadonlyMap<string, 'imported' | 'existing'>;
  readonly sideFile: string;
  readonly correlation: string;
  readonly dryRun: boolean;
  readonly visible: boolean;
  readonly refusedBefore: number;
};

export const reportOf = (facts: Facts): ImportReport => {
  const { path, source, plan, fates, topics, projects, sideFile, correlation, dryRun, visible, refusedBefore } = facts;
  const having = (fate: ImportFate): readonly string[] => [...fates].filter(([, found]) => found === fate).map(([key]) => key);
  const imported = having('imported');
  const byNamespace: Partial<Record<Namespace, number>> = {};
  for (const { key, born } of plan.items) {
    if (fates.get(key) === 'imported') byNamespace[born.data.namespace] = (byNamespace[born.data.namespace] ?? 0) + 1;
  }
  const count = (of: ReadonlyMap<string, string>, fate: string): number => [...of.values()].filter((found) => found === fate).length;
  const both = (of: ReadonlyMap<string, string>) => ({ imported: count(of, 'imported'), existing: count(of, 'existing') });
  const changed = imported.length + both(topics).imported + both(projects).imported > 0;
  const notReached = plan.items.length - fates.size;
  return {
    status: dryRun ? 'dry_run' : notReached > 0 ? 'interrupted' : changed ? 'imported' : 'unchanged',
    source: path,
    from: source.format,
    ...(changed && !dryRun && { correlation }),
    memories: plan.items.length,
    imported: imported.length,
    imported_by_namespace: byNamespace,
    existing: having('existing').length,
    differing: having('differs'),
    forgotten: having('forgotten'),
    known_texts: having('known_text').length,
    repeated: plan.repeated,
    topics: both(topics),
    projects: both(projects),
    ...(plan.setAside.length > 0 && { set_aside: { file: sideFile, what: counted(plan.setAside) } }),
    dropped: counted(source.dropped),
    refused: plan.refused,
    ...(refusedBefore > 0 && { refused_before: refusedBefore }),
    notes: plan.notes,
    ...(notReached > 0 && { not_reached: notReached }),
    ...(!visible && { visible }),
  };
};

/** By kind and reason, the commonest first. */
export const counted = (entries: readonly { readonly kind: string; readonly why: string }[]): readonly Counted[] => {
  const kinds = new Map<string, Counted>();
  for (const { kind, why } of entries) {
    const group = JSON.stringify([kind, why]);
    kinds.set(group, { what: kind, why, count: (kinds.get(group)?.count ?? 0) + 1 });
  }
  return [...kinds.values()].sort((a, b) => b.count - a.count || (a.what < b.what ? -1 : 1));
};
