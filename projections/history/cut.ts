import { comparePositions, type Position } from '../../domain/envelope.js';
import type { Merged } from './merged.js';

/** Which events belong to a moment. */
export type Cut = {
  /** The last event of the log up to the moment; `0-0` before the first. */
  readonly upTo: Position;
  /** Epoch milliseconds: the moment that scores count from. */
  readonly time: number;
  /** Places after `upTo` of events that a merge brought later and that are older where they came from, in order. */
  readonly alsoIn: readonly Position[];
  /** Places up to `upTo` of merged events that are younger than the moment where they came from. */
  readonly notIn: ReadonlySet<Position>;
};

/** Everything that stood in the log at a place, however it had come there. `time` is that of the place. */
export const cutAtPlace = (upTo: Position, time: number): Cut => ({ upTo, time, alsoIn: [], notIn: new Set() });

/** Everything that had happened by a time, by the clock of the server where it happened first. */
export const cutAtTime = (upTo: Position, time: number, merged: Merged): Cut => {
  const places = [...merged];
  return {
    upTo,
    time,
    alsoIn: places.flatMap(([place, orig]) => (comparePositions(place, upTo) > 0 && millisOf(orig) <= time ? [place] : [])),
    notIn: new Set(places.flatMap(([place, orig]) => (comparePositions(place, upTo) <= 0 && millisOf(orig) > time ? [place] : []))),
  };
};

export const covers = (cut: Cut, place: Position): boolean =>
  comparePositions(place, cut.upTo) <= 0 ? !cut.notIn.has(place) : cut.alsoIn.includes(place);

/** Names a cut: equal for equal sets of events and the same moment. */
export const nameOf = ({ upTo, time, alsoIn, notIn }: Cut): string => JSON.stringify([upTo, time, alsoIn, [...notIn]]);

/** The server's time in a stream id, epoch milliseconds. */
export const millisOf = (place: Position): number => Number(place.split('-')[0]);
