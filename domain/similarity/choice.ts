import type { Hunk } from './diff.js';
import { around, type Statement, says, wordSet } from './statement.js';
import type { Word, WordKind } from './words.js';

/** A thing has one of these at a time. */
const OWNS = wordSet('owns leads own lead');
/** More than one may, then. */
const SHARED = wordSet('also too partly jointly together');
/** What follows "with" and the like is the means that a thing is done by. */
const BY_MEANS_OF = wordSet('with via using through');
/** Of what is called so there is one. */
const ONLY = wordSet('default defaults called named canonical');
const NAMES: ReadonlySet<WordKind> = new Set(['name', 'identifier']);
const VALUE: ReadonlySet<WordKind> = new Set(['name', 'identifier', 'plain']);

/**
 * Whether the one word in which two sentences differ is a choice of which there is one: the owner ("Anna owns billing"), the means
 * at the end ("hashed with bcrypt"), the default ("the default branch is main"). Given in one order.
 */
export const isOtherChoice = (a: Statement, b: Statement, hunks: readonly Hunk[]): boolean => {
  const [hunk] = hunks;
  const [from, to] = [hunk?.removed[0], hunk?.added[0]];
  if (!hunk || !from || !to || hunks.length > 1 || hunk.removed.length > 1 || hunk.added.length > 1) return false;
  if (!VALUE.has(from.kind) || !VALUE.has(to.kind)) return false;
  if ([...a.words, ...b.words].some(({ form }) => SHARED.has(form))) return false;
  const { before, after } = around(a.words, hunk);
  if (hunk.from === 0) return after.slice(0, 2).some(({ form }) => OWNS.has(form));
  return after.length === 0 && (isMeans(before, [from, to]) || isOnly(before));
};

const isMeans = (before: readonly Word[], swapped: readonly Word[]): boolean =>
  says(before) && BY_MEANS_OF.has(before.at(-1)?.form ?? '') && swapped.some(({ kind }) => NAMES.has(kind));

const isOnly = (before: readonly Word[]): boolean => before.some(({ form }) => ONLY.has(form)) && says(before);
