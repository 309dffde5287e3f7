const HIRAGANA = /^\p{sc=Hiragana}$/u;
const KATAKANA = /^[\p{sc=Katakana}ー]$/u;
const HAN = /^[\p{sc=Han}]$/u;
/** Chinese characters that ask or only point, when they stand alone in Japanese. */
const EMPTY = new Set('何誰方事時物私今前後中者的了是在');

type Kind = 'han' | 'hiragana' | 'katakana' | 'other';

const kindOf = (character: string): Kind => {
  if (HIRAGANA.test(character)) return 'hiragana';
  if (KATAKANA.test(character)) return 'katakana';
  return HAN.test(character) ? 'han' : 'other';
};

/** What two characters that follow one another say: hiragana is what Japanese grammar is written in. */
const weightOf = (first: Kind, second: Kind): number => {
  if (first === 'hiragana' && second === 'hiragana') return 0.1;
  if (first === 'han' && second === 'hiragana') return 0.25;
  if (first === 'hiragana' || second === 'hiragana') return 0;
  return first === second ? 1 : 0.5;
};

/**
 * What to look for of a stretch of a script without blanks: pairs of characters, weighed by how much they can mean, and a Chinese
 * character that stands alone between hiragana. Where nothing means anything, every pair counts.
 */
export const runTerms = (characters: readonly string[]): readonly { readonly term: string; readonly weight: number }[] => {
  const [only] = characters;
  if (characters.length === 1 && only !== undefined) return [{ term: only, weight: 1 }];
  const kinds = characters.map(kindOf);
  const pairs = characters.slice(1).map((second, i) => ({
    term: `${characters[i]}${second}`,
    weight: weightOf(kinds[i] ?? 'other', kinds[i + 1] ?? 'other'),
  }));
  const alone = characters
    .filter((character, i) => kinds[i] === 'han' && kinds[i - 1] !== 'han' && kinds[i + 1] !== 'han' && !EMPTY.has(character))
    .map((term) => ({ term, weight: 0.5 }));
  const said = [...pairs, ...alone].filter(({ weight }) => weight > 0);
  return said.some(({ weight }) => weight >= 0.25) ? said : pairs.map(({ term }) => ({ term, weight: 1 }));
};
