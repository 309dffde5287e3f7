import type { Redis } from 'iovalkey';
import type { Envelope } from '../domain/envelope.js';
import type { Keys } from './keys.js';
import { add, type Projection, type Write } from './projection.js';

/** One event of a command: which version of which subject it made. */
export type Made = { readonly subject: string; readonly n: number };

const member = ({ subject, n, correlation }: Envelope): readonly Write[] => [add(correlation, `${subject} ${n}`)];

/** Row per command: the events it made. From envelopes alone, so an erased event is still found. */
export const correlations: Projection = {
  name: 'correlations',
  version: 1,
  handles: 'all',
  apply: ({ envelope }) => member(envelope),
  applyHusk: ({ envelope }) => member(envelope),
};

/** Everything one command made, by subject and version; empty when nothing has this correlation. */
export const readCorrelation = async (redis: Redis, keys: Keys, generation: number, correlation: string): Promise<readonly Made[]> => {
  const members = await redis.zrange(keys.row(correlations.name, generation, correlation), 0, -1);
  return members
    .map((text) => {
      const at = text.lastIndexOf(' ');
      return { subject: text.slice(0, at), n: Number(text.slice(at + 1)) };
    })
    .sort((a, b) => (a.subject === b.subject ? a.n - b.n : a.subject < b.subject ? -1 : 1));
};
