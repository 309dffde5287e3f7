/** The form in which identifiers of a vocabulary are compared: lower case, and `_`, `-` and runs of blanks all one `-`. */
export const aliasForm = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/gu, '-');
