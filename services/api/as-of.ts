import type { Staleness } from './call.js';
/** Asks for the answer of an earlier moment. */
export type Asked = {
  /** An ISO date or time, an age such as `2h`, the id of an event, or its place in the log. */
  readonly as_of?: string | undefined;
};

/** What an answer of an earlier moment says of itself; `message` before the first event. */
export type OfMoment = { readonly as_of?: AsOf; readonly message?: string } & Staleness;

/** The moment that an answer is of. */
export type AsOf = {
  /** The last event of the log that the answer knows of; `0-0` before the first. */
  readonly position: string;
  /** ISO: scores count from then. */
  readonly time: string;
  /** Memories that were there and have been forgotten since. */
  readonly forgotten_since: number;
  /** The vector space that was searched; null where words alone were. */
  readonly model: string | null;
  /** Whether nothing that was there then is missing; when not, `note` says what. */
  readonly exact: boolean;
  readonly note?: string;
};
