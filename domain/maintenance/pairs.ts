import { DomainError } from '../errors.js';
import type { MemoryEvent } from '../memory/events.js';
import { type Flagged, isLive, memoryDecider } from '../memory/memory.js';
import { activeMemory, type Side } from './side.js';

/** One memory of a pair. */
export type Member = { readonly key: string; readonly side: Side };

/** What happens to the two memories of a pair, in the order they were given. */
export type PairEvents = readonly [readonly MemoryEvent[], readonly MemoryEvent[]];

/** How a pair stands: `open` when both name each other, `settled` when both did and neither was revised since. */
export const standing = (a: Member, b: Member): 'open' | 'settled' | 'none' => {
  if (isOpen(a, b.key) && isOpen(b, a.key)) return 'open';
  return a.side.settled.has(b.key) && b.side.settled.has(a.key) ? 'settled' : 'none';
};

const isOpen = ({ side: { memory } }: Member, other: string): boolean => isLive(memory) && memory.contradictions.has(other);

/**
 * Flags a pair on both memories. Nothing for a pair that is open already, that was settled (people said so, and neither text
 * changed), or of which one is not active any more.
 */
export const flagPair = (a: Member, b: Member, flagged: Omit<Flagged, 'with'>): PairEvents => {
  if (!activeMemory(a.side) || !activeMemory(b.side) || standing(a, b) !== 'none') return [[], []];
  const flag = ({ side }: Member, other: Member): MemoryEvent[] =>
    memoryDecider.decide({ type: 'FlagContradiction', data: { with: other.key, ...flagged } }, side.memory);
  return [flag(a, b), flag(b, a)];
};

export type Resolution = {
  /** Key of the one that holds; absent when both do, or the flag was wrong. */
  readonly keep?: string | undefined;
  readonly note?: string | undefined;
  /** Whether the other one, while it is active, is deprioritised. */
  readonly deprioritise: boolean;
};

/**
 * Settles a pair on both memories; the one that does not hold is deprioritised with the key of the one that does.
 * Throws NOT_FOUND when one of the two is not there or was forgotten, CONFLICT when the pair is not flagged.
 */
export const resolvePair = (a: Member, b: Member, { keep, note, deprioritise }: Resolution): PairEvents => {
  for (const { key, side } of [a, b]) refuseAbsent(key, side);
  if (!isOpen(a, b.key) && !isOpen(b, a.key)) throw notFlagged(standing(a, b) === 'settled');
  const resolve = ({ side }: Member, other: Member): MemoryEvent[] =>
    memoryDecider.decide(
      {
        type: 'ResolveContradiction',
        data: { with: other.key, ...(keep !== undefined && { keep }), ...(note !== undefined && { note }) },
      },
      side.memory,
    );
  const lower = (one: Member): MemoryEvent[] =>
    deprioritise && keep !== undefined && one.key !== keep && activeMemory(one.side)
      ? memoryDecider.decide({ type: 'DeprioritiseMemory', data: { reason: supersededBy(keep), reinstate_hints: [] } }, one.side.memory)
      : [];
  return [
    [...resolve(a, b), ...lower(a)],
    [...resolve(b, a), ...lower(b)],
  ];
};

/** Why the memory that does not hold is set aside. */
export const supersededBy = (kept: string): string => `It contradicts ${kept}, and that one holds.`;

const refuseAbsent = (key: string, { memory }: Side): void => {
  if (isLive(memory)) return;
  throw memory.status === 'forgotten'
    ? new DomainError('NOT_FOUND', `${key} was forgotten, so nothing contradicts it any more`, 'Nothing is left to resolve')
    : new DomainError('NOT_FOUND', `No memory has the key ${key}`, 'recall and check_contradictions show the keys');
};

const notFlagged = (settled: boolean): DomainError =>
  settled
    ? new DomainError('CONFLICT', 'This contradiction was resolved before', 'explain_memory shows when and how; nothing is left to do')
    : new DomainError(
        'CONFLICT',
        'These two memories are not flagged as contradicting each other',
        'check_contradictions finds and flags pairs; explain_memory lists those of one memory',
      );
