import type { MemoryEvent } from '../memory/events.js';
import { isLive, type LiveMemory, type Memory, memoryDecider } from '../memory/memory.js';

/** A memory as maintenance and contradictions look at it: the memory itself, and what people decided about it before. */
export type Side = {
  readonly memory: Memory;
  /** Keys of the memories whose contradiction with this text was settled. A new wording makes every question open again. */
  readonly settled: ReadonlySet<string>;
  /** Somebody brought this text back after it had been set aside: it is wanted. */
  readonly broughtBack: boolean;
};

export const sideDecider = {
  initialState: (): Side => ({ memory: memoryDecider.initialState(), settled: new Set(), broughtBack: false }),
  evolve: (side: Side, event: MemoryEvent): Side => ({
    memory: memoryDecider.evolve(side.memory, event),
    settled: settledAfter(side.settled, event),
    broughtBack: event.type === 'MemoryReinstated' || (side.broughtBack && event.type !== 'MemoryRevised'),
  }),
};

const settledAfter = (settled: ReadonlySet<string>, event: MemoryEvent): ReadonlySet<string> => {
  switch (event.type) {
    case 'MemoryRevised':
      return new Set();
    case 'ContradictionResolved':
      return new Set([...settled, event.data.with]);
    case 'ContradictionFlagged':
      return new Set([...settled].filter((key) => key !== event.data.with));
    default:
      return settled;
  }
};

/** The memory of a side that is active. */
export const activeMemory = ({ memory }: Side): LiveMemory | undefined =>
  isLive(memory) && memory.status === 'active' ? memory : undefined;
