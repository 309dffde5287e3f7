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

/**
 * The subject's events, oldest first; empty when nothing ever happened to it. With `versions` only those that made them: a
 * day of the store's own doings may have thousands.
 */
export const readTimeline = async (
  redis: Redis,
  keys: Keys,
  generation: number,
  subject: string,
  versions?: readonly number[],
): Promise<readonly TimelineRow[]> => {
  if (versions?.length === 0) return [];
  const row = keys.row(timeline.name, generation, subject);
  const lines = versions ? await redis.hmget(row, ...versions.map(String)) : await redis.hvals(row);
  return lines.flatMap((text) => (text === null ? [] : (objectIn<TimelineRow>(text) ?? []))).sort((a, b) => a.n - b.n);
};
