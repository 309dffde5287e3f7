/** An event of a subject with the version it made. */
export type Numbered<Event> = Event & { readonly n: number };

/** The version at which the undone writers at the end of this list begin. */
export const lastRun = (writers: readonly { readonly n: number }[], undone: ReadonlySet<number>): number | 'none' | 'overwritten' => {
  if (!writers.some(({ n }) => undone.has(n))) return 'none';
  const before = writers.findLastIndex(({ n }) => !undone.has(n));
  return writers[before + 1]?.n ?? 'overwritten';
};
