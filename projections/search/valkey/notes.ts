/**
 * What answers had to be mended for. None of these is an error, none of them is silent.
 * - `filtered_after`: part of a filter could not be said to the server and was applied to a wider answer;
 * - `retried_without_filter`: the server refused a filter, which was then applied to an unfiltered answer;
 * - `ghosts`: entries left out because their hash was gone, overwritten or no vector;
 * - `short_answers`: the server's graph gave fewer than it counts, so all matches were compared;
 * - `cut_short`: even so, an answer may lack something;
 * - `server_ceiling`: the server is set to give fewer neighbours, or to look at fewer, than were wanted, and gave those;
 * - `while_backfilling`: answered before the index held everything;
 * - `lost_index`: the index was gone and was made anew; `timed_out`: the server gave up.
 */
export type Note =
  | 'filtered_after'
  | 'retried_without_filter'
  | 'ghosts'
  | 'short_answers'
  | 'cut_short'
  | 'server_ceiling'
  | 'while_backfilling'
  | 'lost_index'
  | 'timed_out';

/** Counts notes; only what happened is listed. */
export class Notes {
  #counts = new Map<Note, number>();

  add(note: Note, by = 1): void {
    if (by > 0) this.#counts.set(note, (this.#counts.get(note) ?? 0) + by);
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}
