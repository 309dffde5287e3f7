import type { Needle } from './needles.js';

/** Finds many byte sequences in one pass. */
export type Matcher = {
  readonly needles: readonly Needle[];
  /** Bytes of the longest one: what two neighbouring chunks must share so that nothing falls between them. */
  readonly longest: number;
  /** Places in `needles` of those that occur in the bytes. */
  readonly in: (bytes: Buffer) => ReadonlySet<number>;
};

const HEAD = 4;

/**
 * A table over the first three bytes passes over nearly every place at once; what is left is looked up by its first four and
 * compared in full. Every needle must have four bytes or more.
 */
export const createMatcher = (needles: readonly Needle[]): Matcher => {
  const starts = new Uint8Array(1 << 24);
  const byHead = new Map<number, number[]>();
  for (const [i, { bytes }] of needles.entries()) {
    if (bytes.length < HEAD) throw new Error('a needle has less than four bytes');
    starts[bytes.readUIntLE(0, 3)] = 1;
    const head = bytes.readUInt32LE(0);
    const same = byHead.get(head);
    if (same) same.push(i);
    else byHead.set(head, [i]);
  }
  const longest = needles.reduce((most, { bytes }) => Math.max(most, bytes.length), 0);

  const found = (bytes: Buffer): ReadonlySet<number> => {
    const hits = new Set<number>();
    const end = bytes.length - HEAD;
    let three = bytes.length < HEAD ? 0 : ((bytes[0] ?? 0) << 8) | ((bytes[1] ?? 0) << 16);
    for (let at = 0; at <= end; at++) {
      three = (three >>> 8) | ((bytes[at + 2] ?? 0) << 16);
      if (starts[three] === 0) continue;
      for (const i of byHead.get(bytes.readUInt32LE(at)) ?? []) {
        const needle = needles[i]?.bytes;
        if (needle && !hits.has(i) && bytes.compare(needle, 0, needle.length, at, Math.min(bytes.length, at + needle.length)) === 0)
          hits.add(i);
      }
    }
    return hits;
  };
  return { needles, longest, in: found };
};
