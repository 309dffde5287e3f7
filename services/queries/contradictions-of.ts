import type { DomainEvent } from '../../domain/catalogue.js';
import type { LogEntry } from '../../domain/envelope.js';
import type { State } from '../../domain/vocabulary.js';
import type { Document } from '../../projections/recall/document.js';
import type { OpenContradiction } from '../api/contradictions.js';

/**
 * The contradictions of one memory that nobody has settled, from its own events, oldest first. With the documents of now, each
 * says how the other memory stands, and those whose other memory was forgotten are left out.
 */
export const contradictionsIn = (
  entries: readonly LogEntry<DomainEvent>[],
  documents: ReadonlyMap<string, Pick<Document, 'state'>> | undefined,
): readonly OpenContradiction[] => {
  const open = new Map<string, OpenContradiction>();
  for (const entry of entries) {
    if (entry.kind !== 'event') continue;
    const { event } = entry;
    if (event.type === 'MemoryForgotten') open.clear();
    if (event.type === 'ContradictionResolved') open.delete(event.data.with);
    if (event.type !== 'ContradictionFlagged') continue;
    const { with: other, method, cue, similarity, confidence } = event.data;
    open.set(other, {
      with: other,
      since: event.envelope.at,
      method,
      ...(cue !== undefined && { cue }),
      ...(similarity !== undefined && { similarity }),
      ...(confidence !== undefined && { confidence }),
    });
  }
  if (!documents) return [...open.values()];
  return [...open.values()].flatMap((contradiction) => {
    const state: State | undefined = documents.get(contradiction.with)?.state;
    return state === undefined ? [] : [{ ...contradiction, other_state: state }];
  });
};
