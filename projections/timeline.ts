import type { Redis } from 'iovalkey';
import type { Envelope, Position } from '../domain/envelope.js';
import { objectIn } from './damaged.js';
import type { Keys } from './keys.js';
import { type Projection, set, type Write } from './projection.js';

/** One event of a subject's history, from its envelope alone: an erased event keeps its line. */
export type TimelineRow = Omit<Envelope, 'subject' | 'digest'> & { readonly position: Position };

const line = ({ subject, n, id, type, v, at, actor, correlation, causation }: Envelope, position: Position): Write => {
  const row: TimelineRow = { n, id, type, v, at, actor, correlation, ...(causation !== undefined && { causation }), position };
  return set(subject, { [n]: JSON.stringify(row) });
};

/** Row per subject: the version an event made, to the event's line. */
export const timeline: Projection = {
  name: 'timeline',
  version: 1,
  handles: 'all',
  apply: ({ envelope, position }) => [line(envelope, position)],
  applyHusk: ({ envelope, position }) => [line(envelope, position)],
};

/** The subject's events, oldest first; empty when nothing ever happened to it. */
export const readTimeline = async (redis: Redis, keys: Keys, generation: number, subject: string): Promise<readonly TimelineRow[]> => {
  const lines = await redis.hvals(keys.row(timeline.name, generation, subject));
  return lines.flatMap((text) => objectIn<TimelineRow>(text) ?? []).sort((a, b) => a.n - b.n);
};
