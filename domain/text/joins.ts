import type { Span } from './spans.js';

/** Verbs and particles that are written apart, with a hyphen or in one: `fail over`, `fail-over`, `failover`. */
const PARTICLES = new Set('over off out back up down through around away by along'.split(' '));
const BEFORE_IN = new Set('log logs logged logging sign signs signed signing plug built opt check roll'.split(' '));
const BEFORE_ON = new Set('log add sign follow roll'.split(' '));

const PAIR = /(?<![\p{L}\p{N}_/.@-])(\p{L}{2,20})[ \t\n](?=(\p{L}{2,20})(?![\p{L}\p{N}_/@-]|\.\p{L}))/gu;

const isJoining = (first: string, second: string): boolean =>
  PARTICLES.has(second) || (second === 'in' && BEFORE_IN.has(first)) || (second === 'on' && BEFORE_ON.has(first));

/** Two words that stand side by side, and what they are written in one; `phrasal`: as a verb with its particle. */
export type Pair = Span & { readonly first: string; readonly second: string; readonly phrasal: boolean };

export const pairsIn = (folded: string): readonly Pair[] =>
  [...folded.matchAll(PAIR)].map((match) => {
    const [first, second] = [(match[1] ?? '').toLowerCase(), (match[2] ?? '').toLowerCase()];
    const to = match.index + match[0].length + second.length;
    return { from: match.index, to, terms: [first + second], first, second, phrasal: isJoining(first, second) };
  });
