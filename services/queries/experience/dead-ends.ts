import type { Namespace, State } from '../../../domain/vocabulary.js';
import type { DeadEnd } from '../../../projections/recall/graveyard-index.js';
import type { RecallIndex } from '../../../projections/recall/recall-index.js';

/** Where dead ends are looked for: the recall index, or the state of an earlier moment. */
export type Buried = Pick<RecallIndex, 'documents' | 'graveyard' | 'projects'>;

/** A dead end, and where the memory that tells of it stands. */
export type FoundDeadEnd = DeadEnd & {
  readonly namespace: Namespace;
  readonly state: State;
  /** The name that its project counts as. */
  readonly project: string | undefined;
  readonly effort: number | undefined;
};

/**
 * Dead ends that a question speaks of, newest first: of these namespaces, and of memories that are filed under one of
 * these names (absent: all). Whether the memory is archived or speaks of a suppressed topic does not matter: a warning is
 * wanted most of what was put away.
 */
export const deadEndsFor = (
  { documents, graveyard, projects }: Buried,
  question: string,
  { namespaces, names }: { readonly namespaces?: readonly string[] | undefined; readonly names?: readonly string[] | undefined },
): readonly FoundDeadEnd[] =>
  graveyard.find(question).flatMap((deadEnd) => {
    const document = documents.get(deadEnd.key);
    if (!document) return [];
    const { namespace, state, project, effort } = document;
    if (namespaces && !namespaces.includes(namespace)) return [];
    if (names && (project === undefined || !names.includes(project))) return [];
    return [{ ...deadEnd, namespace, state, effort, project: project === undefined ? undefined : projects.canonical(project) }];
  });
