/** What becomes of a subject: its last version before the cut, and the version that erased it, wherever in the log. */
export type Fate = {
  last: number;
  erasedBy: number | undefined;
  /** A deletion that is listed beside the backups erased what is below this version; the subject may live on above it. */
  deletedBelow?: number | undefined;
};

export type Fates = { readonly fates: ReadonlyMap<string, Fate>; readonly forgotten: ReadonlySet<string> };

/** The version below which a subject's payloads are gone, or undefined when it was never forgotten or deleted. */
export const erasedBelow = ({ fates, forgotten }: Fates, subject: string): number | undefined => {
  const { last, erasedBy, deletedBelow } = fates.get(subject) ?? { last: 0 };
  const ends = [erasedBy ?? (forgotten.has(subject) ? last + 1 : undefined), deletedBelow].filter((end) => end !== undefined);
  return ends.length === 0 ? undefined : Math.min(Math.max(...ends), last + 1);
};

/** Whether nothing of the subject is left before the cut, and no event there says so. */
export const goesUnsaid = (all: Fates, subject: string): boolean => erasedBelow(all, subject) === (all.fates.get(subject)?.last ?? 0) + 1;
