import { UNSPACED_SCRIPTS } from '../characters.js';
import { normalisedForIdentity } from '../content.js';
import { classifyNeighbour, type SimilarityThresholds } from '../similarity.js';
import { isRotation, overlap } from './diff.js';
import { contentWords, type Word } from './words.js';

/**
 * How words that stand in place of a key mean a memory. `identical`: they are its text, up to white space, case and Unicode form. `same`:
 * nearly all of its text in its order, no word but fillers that it does not hold, and none dropped that carries a claim. `part`: it holds
 * all of them, and says more.
 */
export type Meant = 'identical' | 'same' | 'part';

/** Of all words of both, those that both hold, from which a text is the same as another and not a part of it. */
const NEARLY_ALL = 0.8;
/** One word is in many memories. */
const FEWEST_WORDS = 2;
const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u');

/** Up to white space, case and Unicode form. */
export const isSameText = (a: string, b: string): boolean => normalisedForIdentity(a) === normalisedForIdentity(b);

/** Whether a text is the other with words dropped: where one word stands for another, no rule can tell a rewording from the opposite. */
const isDropped = (asked: readonly Word[], there: readonly Word[]): boolean => {
  let met = 0;
  for (const { form } of there) if (form === asked[met]?.form) met++;
  return met === asked.length;
};

/** Looks at the two texts and their cosine (-1..1, undefined without vectors) and at nothing else, so that the store around them has no say. */
export const meantBy = (
  words: string,
  content: string,
  cosine: number | undefined,
  thresholds?: SimilarityThresholds,
): Meant | undefined => {
  if (isSameText(words, content)) return 'identical';
  const [asked, there] = [contentWords(words), contentWords(content)];
  const addsNothing = overlap(asked, there) >= NEARLY_ALL && (isDropped(asked, there) || isRotation(asked, there));
  if (addsNothing && classifyNeighbour(words, content, cosine ?? 0, thresholds).relation === 'duplicate') return 'same';
  if (asked.length < FEWEST_WORDS) return undefined;
  // Single characters of such a script are in any text.
  if (UNSPACED.test(words)) return normalisedForIdentity(content).includes(normalisedForIdentity(words)) ? 'part' : undefined;
  const forms = new Set(there.map(({ form }) => form));
  return asked.every(({ form }) => forms.has(form)) ? 'part' : undefined;
};
