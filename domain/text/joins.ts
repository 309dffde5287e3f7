import { isAscii } from './fold.js';
import { inAscii, type Span } from './spans.js';

/** Verbs and particles that are written apart, with a hyphen or in one: `fail over`, `fail-over`, `failover`. */
const PARTICLES = new Set('over off out back up down through around away by along'.split(' '));
const BEFORE_IN = new Set('log logs logged logging sign signs signed signing plug built opt check roll'.split(' '));
const BEFORE_ON = new Set('log add sign follow roll'.split(' '));

const PAIR = /(?<![\p{L}\p{N}_/.@-])(\p{L}{2,20})[ \t\n](?=(\p{L}{2,20})(?![\p{L}\p{N}_/@-]|\.\p{L}))/gu;

const PAIR_IN_ASCII = inAscii(PAIR);

const isJoining = (first: string, second: string): boolean =>
  PARTICLES.has(second) || (second === 'in' && BEFORE_IN.has(first)) || (second === 'on' && BEFORE_ON.has(first));

/** Two words that stand side by side, and what they are written in one; `phrasal`: as a verb with its particle. */
export type Pair = Span & { readonly first: string; readonly second: string; readonly phrasal: boolean };

const pairOf = (from: number, to: number, one: string, other: string): Pair => {
  const [first, second] = [one.toLowerCase(), other.toLowerCase()];
  return { from, to, terms: [first + second], first, second, phrasal: isJoining(first, second) };
};

export const pairsIn = (folded: string): readonly Pair[] =>
  [...folded.matchAll(isAscii(folded) ? PAIR_IN_ASCII : PAIR)].map(({ 0: whole, 1: first = '', 2: second = '', index }) =>
    pairOf(index, index + whole.length + second.length, first, second),
  );

export const PARTICLE_WORDS: readonly string[] = [...PARTICLES, 'in', 'on'];
const PARTICLE = new RegExp(`[ \\t\\n](${PARTICLE_WORDS.join('|')})(?![\\p{L}\\p{N}_/@-]|\\.\\p{L})`, 'giu');
const PARTICLE_IN_ASCII = inAscii(PARTICLE);
const LAST_WORD = /(?<![\p{L}\p{N}_/.@-])\p{L}{2,20}$/u;
const LONGEST_BEFORE = 22;

/** The pairs of `pairsIn` that are phrasal: most texts hold few, so they are looked for by their particles. */
export const phrasalPairsIn = (folded: string): readonly Pair[] => {
  const pairs: Pair[] = [];
  for (const { 0: whole, 1: particle = '', index } of folded.matchAll(isAscii(folded) ? PARTICLE_IN_ASCII : PARTICLE)) {
    const [verb] = LAST_WORD.exec(folded.slice(Math.max(0, index - LONGEST_BEFORE), index)) ?? [];
    if (verb === undefined) continue;
    const pair = pairOf(index - verb.length, index + whole.length, verb, particle);
    if (pair.phrasal) pairs.push(pair);
  }
  return pairs;
};
