/** An event of a subject with the version it made. */
export type Numbered<Event> = Event & { readonly n: number };

/** Which versions of a subject an undo is about. */
export type Undoing = {
  /** Those that the action made. */
  readonly undone: ReadonlySet<number>;
  /** Those of other actions that were undone, and of what undid them: they count as never written. */
  readonly annulled?: ReadonlySet<number> | undefined;
  /** Those that took this very action back before, where that stands: what they wrote is not taken back again. */
  readonly already?: ReadonlySet<number> | undefined;
};

const NONE: ReadonlySet<number> = new Set();

/** The first undone version among the writers that nobody has written over since. */
export const lastRun = (
  writers: readonly { readonly n: number }[],
  { undone, annulled = NONE, already = NONE }: Undoing,
): number | 'none' | 'overwritten' => {
  if (!writers.some(({ n }) => undone.has(n)) || writers.some(({ n }) => already.has(n))) return 'none';
  const before = writers.findLastIndex(({ n }) => !undone.has(n) && !annulled.has(n));
  return writers.slice(before + 1).find(({ n }) => undone.has(n))?.n ?? 'overwritten';
};

/** Whether all that ever happened is undone, or counts as never written. */
export const nothingElse = (events: readonly { readonly n: number }[], { undone, annulled = NONE }: Undoing): boolean =>
  events.every(({ n }) => undone.has(n) || annulled.has(n));
