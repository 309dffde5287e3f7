import type { Scanned } from './tally.js';

/**
 * `erased`: found before, and nowhere after. `in backups`: only backups still hold it. `found`: another place does.
 * `unproven`: the scan did not find it while it was there, so that finding nothing says nothing.
 */
export type Verdict = 'erased' | 'in backups' | 'found' | 'unproven';

/** One kind of place, looked at before the erasure and after it. */
export type Check = {
  readonly place: string;
  /** Keys or files that were read after the erasure, and their bytes. */
  readonly looked_at: number;
  readonly bytes: number;
  /** Pieces of the text that were found. Before, they show that the scan finds them while they are there. */
  readonly found_before: number;
  readonly found_after: number;
  /** The first places that still hold one. */
  readonly where?: readonly string[];
};

/** Both looks side by side, by kind of place. `shared` are the needles that say nothing, since they stay with every right. */
export const compare = (
  before: ReadonlyMap<string, Scanned>,
  after: ReadonlyMap<string, Scanned>,
  shared: ReadonlySet<number>,
): readonly Check[] =>
  [...new Set([...before.keys(), ...after.keys()])].sort().map((place) => {
    const now = after.get(place);
    return {
      place,
      looked_at: now?.places ?? 0,
      bytes: now?.bytes ?? 0,
      found_before: [...(before.get(place)?.found ?? [])].filter((needle) => !shared.has(needle)).length,
      found_after: now?.found.size ?? 0,
      ...(now && now.where.length > 0 && { where: now.where }),
    };
  });

/** `managed`: the append-only file is there to be read, so the text has to be found in it before. */
export const verdictOf = (checks: readonly Check[], managed: boolean): Verdict => {
  const left = checks.filter(({ found_after }) => found_after > 0);
  if (left.length > 0) return left.every(({ place }) => place === 'backups') ? 'in backups' : 'found';
  const seen = (begins: string): boolean => checks.some(({ place, found_before }) => place.startsWith(begins) && found_before > 0);
  return seen('keys') && (!managed || seen('append-only')) ? 'erased' : 'unproven';
};
