import { normalisedForIdentity } from '../content.js';
import type { Experience } from '../memory/experience.js';
import { surplus } from '../similarity/diff.js';
import { contentWords } from '../similarity/words.js';
import { classifyNeighbour, type SimilarityThresholds } from '../similarity.js';

/** A memory that may be a copy of another. */
export type Copy = { readonly key: string; readonly content: string; readonly experience: Experience };

/** Longer texts are copies only when they are equal: one vector says too little of them. UTF-16 units. */
const COMPARED_LENGTH = 4_000;

/**
 * Whether the newer text says all that the older one says, so that the older one may go: near in meaning (cosine from the
 * threshold), not the same sentence with another value, and not a shorter telling. Likeness alone is no proof.
 */
export const saysAllOf = (newer: string, older: string, cosine: number, thresholds: SimilarityThresholds): boolean => {
  if (normalisedForIdentity(newer) === normalisedForIdentity(older)) return true;
  if (cosine < thresholds.duplicate || Math.max(newer.length, older.length) > COMPARED_LENGTH) return false;
  if (classifyNeighbour(newer, older, cosine, thresholds).relation !== 'duplicate') return false;
  const [fresh, old] = [contentWords(newer), contentWords(older)];
  return surplus(old, fresh).length <= surplus(fresh, old).length;
};

/** Whether the older memory knows something of the work behind it that the newer one does not. */
export const knowsMore = (older: Experience, newer: Experience): boolean => {
  const single = ['effort_score', 'outcome', 'iterations', 'breakthrough', 'gotchas'] as const;
  if (single.some((field) => older[field] !== undefined && older[field] !== newer[field])) return true;
  const known = new Set(newer.abandoned_approaches.map(({ name, type }) => JSON.stringify([name.toLowerCase(), type])));
  return older.abandoned_approaches.some(({ name, type }) => !known.has(JSON.stringify([name.toLowerCase(), type])));
};

/** A memory that another one makes needless. */
export type Needless<Member> = { readonly older: Member; readonly kept: Member };

/**
 * Which memories have a newer copy, from pairs that were found alike. Each is judged against the very one that is kept, so
 * that a chain of likenesses takes nothing with it: of A like B like C, C goes for A only when C is like A itself.
 * `members` newest first; `alike` answers whether the older one is a copy of the newer one.
 */
export const needless = <Member extends { readonly key: string }>(
  members: readonly Member[],
  candidates: (member: Member) => readonly Member[],
  alike: (newer: Member, older: Member) => boolean,
): readonly Needless<Member>[] => {
  const order = new Map(members.map(({ key }, place) => [key, place]));
  const gone = new Map<string, Needless<Member>>();
  for (const [place, kept] of members.entries()) {
    if (gone.has(kept.key)) continue;
    for (const older of candidates(kept)) {
      if ((order.get(older.key) ?? -1) <= place || gone.has(older.key)) continue;
      if (alike(kept, older)) gone.set(older.key, { older, kept });
    }
  }
  return [...gone.values()];
};
