/** What a scan of one kind of place saw, in little space however much was found. */
export type Scanned = {
  readonly places: number;
  readonly bytes: number;
  /** Needles that were found. */
  readonly found: ReadonlySet<number>;
  /** The first places that hold one. */
  readonly where: readonly string[];
  /** Needles found under the name of a memory that stays. */
  readonly elsewhere: ReadonlySet<number>;
};

const LISTED = 20;
/** The key of a memory, or a topic that somebody suppressed by hand. */
const MEMORY_IN_NAME = /mem:[a-z]+:[0-9A-HJKMNP-TV-Z]{26}|(?<=:ev:)topic:.*/s;

/** Adds up what is found in places of one kind. `goes` says whether a memory is to be erased. */
export class Tally implements Scanned {
  places = 0;
  bytes = 0;
  readonly found = new Set<number>();
  readonly where: string[] = [];
  readonly elsewhere = new Set<number>();
  #goes: (memory: string) => boolean;

  constructor(goes: (memory: string) => boolean) {
    this.#goes = goes;
  }

  note(place: string, found: ReadonlySet<number>): void {
    if (found.size === 0) return;
    for (const needle of found) this.found.add(needle);
    if (this.where.length < LISTED && !this.where.includes(place)) this.where.push(place);
    const memory = MEMORY_IN_NAME.exec(place)?.[0];
    if (memory !== undefined && !this.#goes(memory)) for (const needle of found) this.elsewhere.add(needle);
  }
}
