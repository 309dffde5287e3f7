import { ORIGIN } from '../../domain/envelope.js';
import type { Cut } from '../../projections/history/cut.js';
import type { AsOf, Call, OfMoment } from '../api.js';
import type { QueryParts } from '../queries/parts.js';
import type { RankParts } from '../queries/rank.js';
import type { Moment } from './moment.js';
import { momentsOf } from './moments.js';
import { parseWhen, type Resolved, resolveWhen } from './when.js';

/** An answer of an earlier moment. `beginning` says that nothing had happened by then. */
export type Earlier<T> = { readonly answer: T; readonly as_of: AsOf; readonly beginning: string | undefined };

/** The events that `as_of` names. Throws VALIDATION for what is no moment, or has not passed. */
export const resolve = (parts: QueryParts, asOf: string): Promise<Resolved> =>
  resolveWhen({ redis: parts.redis, keys: parts.keys, merged: momentsOf(parts).merged }, parseWhen(asOf));

/**
 * Asks a question of the state of an earlier moment, with the clock standing at that moment. For one program version and
 * its settings the same question of the same moment has the same answer; `as_of` says where that does not hold.
 */
export const askEarlier = async <T>(
  parts: QueryParts,
  asOf: string,
  { signal, progress }: Call,
  question: (parts: RankParts, moment: Moment) => Promise<T>,
): Promise<Earlier<T>> => {
  const resolved = await resolve(parts, asOf);
  const { cut } = resolved;
  progress?.(`reading the log up to ${isoOf(cut)}`);
  return momentsOf(parts).ask(resolved, async (moment) => {
    signal?.throwIfAborted();
    const answer = await question(partsOf(parts, moment), moment);
    return { answer, as_of: tellOf(cut, moment), beginning: cut.upTo === ORIGIN && cut.alsoIn.length === 0 ? beginningOf(cut) : undefined };
  });
};

/** What is said beside such an answer. */
export const told = ({ as_of, beginning }: Omit<Earlier<unknown>, 'answer'>): OfMoment => ({
  as_of,
  ...(beginning !== undefined && { message: beginning }),
});

const partsOf = (parts: QueryParts, moment: Moment): RankParts => {
  const { named } = moment.sight;
  return {
    ...parts,
    index: moment.searched,
    now: () => moment.cut.time,
    lexicalBecause: () =>
      named
        ? `No model that has vectors of this store is ready here (${named.name} served then); this was a search by words only.`
        : 'No embedding model had served by then, so this was a search by words only, as it was then.',
    // tellOf says which model is used.
    vectorsNote: () => undefined,
    fresh: async () => undefined,
    observe: () => undefined,
  };
};

const tellOf = (cut: Cut, moment: Moment): AsOf => {
  const { named, space } = moment.sight;
  const { forgottenSince, degraded } = moment.ledger;
  const merged = cut.alsoIn.length;
  const reasons = [
    forgottenSince > 0 && `${forgottenSince} memories of that time have been forgotten since; their absence may move others.`,
    named &&
      named.id !== space?.model.id &&
      `${named.name} served then and is not ready here${space ? `; ${space.model.name} was used` : ''}.`,
    moment.withoutVector > 0 && `${moment.withoutVector} memories have no vector of their text of that time and are found by words only.`,
    merged > 0 && `${merged} events of that time came in later, by a merge.`,
    degraded.size > 0 && `${degraded.size} memories have an event that cannot be read and stand as before it.`,
  ].filter((reason) => typeof reason === 'string');
  return {
    position: cut.upTo,
    time: isoOf(cut),
    forgotten_since: forgottenSince,
    model: space?.model.id ?? null,
    exact: reasons.length === 0,
    ...(reasons.length > 0 && { note: reasons.join(' ') }),
  };
};

const beginningOf = (cut: Cut): string => `Nothing had been remembered by ${isoOf(cut)}: the log begins later.`;

export const isoOf = ({ time }: Pick<Cut, 'time'>): string => new Date(time).toISOString();
