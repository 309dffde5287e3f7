/** Letters that Unicode does not decompose but that people type without their stroke or as two letters. */
const SPELT_OUT: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'Ae',
  œ: 'oe',
  Œ: 'Oe',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ı: 'i',
};
const UNDECOMPOSED = new RegExp(`[${Object.keys(SPELT_OUT).join('')}]`, 'g');

/**
 * Accents of Latin, Greek and Cyrillic, Hebrew points, Arabic vowel marks. The voicing marks of Japanese and the vowel
 * signs of Indic scripts are marks too, but part of the word: they stay. What chooses between an emoji and its sign in text goes.
 */
const ACCENTS = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670]|[\ufe00-\ufe0f]/g;

/** What is not shown: soft hyphens, blanks of no width, marks of direction. A joiner holds an emoji together; behind a letter it goes. */
const UNSEEN = /(?:(?!\u200d)\p{Default_Ignorable_Code_Point})+|(?<=[\p{L}\p{M}\p{N}])\u200d/gu;

/** A text without what is not shown in it, so that a word is read as it is seen. */
export const withoutUnseen = (text: string): string => (isAscii(text) ? text : text.replace(UNSEEN, ''));

export const isAscii = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
};

/** Compatibility forms made plain, accents and what is not shown dropped, letter case kept. Any string may come in, lone surrogates included. */
export const foldAccents = (text: string): string =>
  isAscii(text)
    ? text
    : text
        .normalize('NFKD')
        .replace(ACCENTS, '')
        .replace(UNSEEN, '')
        .normalize('NFC') // Korean syllables were taken apart by NFKD
        .replace(UNDECOMPOSED, (letter) => SPELT_OUT[letter] ?? letter);
