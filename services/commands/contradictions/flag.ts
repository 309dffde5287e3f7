import { flagPair } from '../../../domain/maintenance/pairs.js';
import { activeMemory, type Side, sideDecider } from '../../../domain/maintenance/side.js';
import type { MemoryEvent } from '../../../domain/memory/events.js';
import type { Flagged } from '../../../domain/memory/memory.js';
import type { Suspect } from './scan.js';

/** A pair that is to be flagged, with how it was found out. */
export type Found = Suspect & Pick<Flagged, 'method' | 'confidence'>;

/**
 * What flags these pairs, by memory, on a fresh load of them all. A pair whose texts are not those that were judged, or of
 * which one is not active any more, is not in `standing`.
 */
export const flagAll = (
  found: readonly Found[],
  sides: ReadonlyMap<string, Side>,
): { readonly events: ReadonlyMap<string, readonly MemoryEvent[]>; readonly standing: readonly Found[] } => {
  const events = new Map<string, MemoryEvent[]>();
  const standing: Found[] = [];
  for (const one of found) {
    const [a, b] = [one.a, one.b].map(({ key, content }) => ({ key, content, side: sides.get(key) ?? sideDecider.initialState() }));
    if (!a || !b || [a, b].some(({ side, content }) => activeMemory(side)?.content !== content)) continue;
    standing.push(one);
    const made = flagPair(a, b, {
      method: one.method,
      cue: one.conflict.cue,
      similarity: one.similarity,
      ...(one.confidence !== undefined && { confidence: one.confidence }),
    });
    for (const [i, { key }] of [a, b].entries()) events.set(key, [...(events.get(key) ?? []), ...(made[i] ?? [])]);
  }
  return { events, standing };
};
