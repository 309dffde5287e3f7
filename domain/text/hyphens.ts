import { isNameInCapitals } from './shouted.js';

const MOST_SEGMENTS = 6;
/** An identifier that hyphens join, without the marks of a path. */
const JOINED = /(?<![\p{L}\p{M}\p{N}_./\\:@+~#-])[\p{L}\p{M}\p{N}_.]+(?:-[\p{L}\p{M}\p{N}_.]+)+(?![\p{L}\p{M}\p{N}_/\\:@+~#-])/gu;
const WORD = /^\p{L}[\p{L}\p{M}]+$/u;
/** No word is written so: a digit, an underscore, a capital inside. */
const CODE = /[\d_]|\p{Ll}\p{Lu}/u;
const FIGURES = /^[\d.]+$/;
const CAPITAL = /^\p{Lu}/u;
const SMALL = /^\p{Ll}/u;

/**
 * How the joins of a text are taken apart. `isHeld`: whether some memory holds an identifier as it is written here. `isMeant`: whether
 * some memory holds what a word may mean.
 */
export type Apart = {
  readonly isHeld: (written: string) => boolean;
  readonly isMeant: (word: string) => boolean;
  readonly isGerman: () => boolean;
};

/**
 * A text with a blank for the hyphen between a name and the words that it is joined to: `WireGuard-Schlüssel`, `KESTREL_FX-based`. Only
 * where no memory holds the whole, and some memory the name. The words beside it stay, known or not, so that what nobody holds is missing
 * (`EndToEndId-check`); in German they go where nobody holds them, as memories may well say them in English. A name is code or in
 * capitals; and what begins with a capital and stands first, in German or before words in small letters of which some memory holds one.
 * The text itself where there is none.
 */
export const namesApart = (folded: string, apart: Apart): string => {
  if (!folded.includes('-')) return folded;
  return folded.replace(JOINED, (whole) => {
    let end = whole.length;
    while (whole[end - 1] === '.') end--;
    const joined = whole.slice(0, end);
    const segments = joined.split('-');
    if (segments.length > MOST_SEGMENTS || apart.isHeld(joined)) return whole;
    const name = nameIn(segments, apart);
    if (name === undefined) return whole;
    const stays = (word: string): boolean => !apart.isGerman() || apart.isMeant(word);
    const [before, behind] = [segments.slice(0, name.from).filter(stays), segments.slice(name.to).filter(stays)];
    return [...before, name.written, ...behind].join(' ') + whole.slice(end);
  });
};

type Name = { readonly from: number; readonly to: number; readonly written: string };

/** The longest of the names that stand among plain words only. */
const nameIn = (segments: readonly string[], { isHeld, isMeant, isGerman }: Apart): Name | undefined => {
  for (let length = segments.length - 1; length > 0; length--) {
    for (let from = 0; from + length <= segments.length; from++) {
      const to = from + length;
      const others = [...segments.slice(0, from), ...segments.slice(to)];
      if (!others.every((word) => WORD.test(word))) continue;
      const written = segments.slice(from, to).join('-');
      const isCode = isNameInCapitals(written) || (CODE.test(written) && !FIGURES.test(written));
      if (!(isCode || (from === 0 && CAPITAL.test(written))) || !isHeld(written)) continue;
      if (isCode || isGerman() || (others.every((word) => SMALL.test(word)) && others.some(isMeant))) return { from, to, written };
    }
  }
  return undefined;
};
