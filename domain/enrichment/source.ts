import type { DomainEvent } from '../catalogue.js';
import type { MemoryEvent, Remembered } from '../memory/events.js';
import { isLive, type LiveMemory, memoryDecider } from '../memory/memory.js';
import { isEnrichable } from './eligible.js';

/** A memory that facts are drawn from, as its history tells. */
export type Source = {
  readonly key: string;
  readonly version: number;
  /** The version that set the present text. */
  readonly of: number;
  readonly memory: LiveMemory;
  readonly born: Remembered;
  /** ISO. */
  readonly created_at: string;
  /** The version whose text was enriched last. */
  readonly finishedOf: number | undefined;
  readonly parked: { readonly of: number; readonly attempts: number } | undefined;
};

type History = {
  readonly subject: string;
  readonly version: number;
  readonly events: readonly (DomainEvent & { readonly n: number; readonly at: string })[];
};

/** The source of a history, or undefined when there is no such memory, or not any more. */
export const sourceOf = ({ subject, version, events }: History): Source | undefined => {
  let source: Omit<Source, 'memory'> | undefined;
  let memory = memoryDecider.initialState();
  for (const event of events) {
    memory = memoryDecider.evolve(memory, event as MemoryEvent);
    const { n, at } = event;
    if (event.type === 'MemoryRemembered') {
      source = { key: subject, version, of: n, born: event.data, created_at: at, finishedOf: undefined, parked: undefined };
    }
    if (!source) continue;
    if (event.type === 'MemoryRevised') source = { ...source, of: n };
    if (event.type === 'EnrichmentFinished') source = { ...source, finishedOf: event.data.of, parked: undefined };
    if (event.type === 'EnrichmentParked') source = { ...source, parked: event.data };
  }
  return source && isLive(memory) ? { ...source, memory } : undefined;
};

/** Whether its present text is still to be enriched, or to be tried again. */
export const isDue = ({ memory, born, of, finishedOf }: Source): boolean =>
  isEnrichable(born) && memory.status === 'active' && finishedOf !== of;
