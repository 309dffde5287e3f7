import type { MemoryEvent } from '../memory/events.js';
import { isLive, type Memory, memoryDecider } from '../memory/memory.js';
import { conflictBetween, statementOf } from '../similarity/conflict.js';

/** Written as the note of a contradiction that a new wording settled. */
export const REVISED = 'revised';

/**
 * Which open contradictions of a memory end with its new wording: those with memories whose present texts the rules find in
 * no conflict with it. What settles each on the other memory is given by its key, and by `key` for the one that was revised.
 * Others that are not in `others`, or were forgotten, stay as they are.
 */
export const settledByRevision = (
  key: string,
  revised: Memory,
  others: ReadonlyMap<string, Memory>,
): ReadonlyMap<string, readonly MemoryEvent[]> => {
  if (!isLive(revised) || revised.contradictions.size === 0) return new Map();
  const statement = statementOf(revised.content);
  const events = new Map<string, readonly MemoryEvent[]>();
  for (const other of revised.contradictions.keys()) {
    const memory = others.get(other);
    if (!memory || !isLive(memory) || conflictBetween(statement, statementOf(memory.content))) continue;
    const settle = (one: Memory, against: string): readonly MemoryEvent[] =>
      memoryDecider.decide({ type: 'ResolveContradiction', data: { with: against, note: REVISED } }, one);
    events.set(key, [...(events.get(key) ?? []), ...settle(revised, other)]);
    events.set(other, settle(memory, key));
  }
  return events;
};
