/** A longer query was pasted, most often. UTF-16 units. */
const LONGEST_ASKED = 500;

/** Whether a query is rather a text that was pasted than a question. */
export const isPasted = (query: string): boolean => query.length > LONGEST_ASKED;

/** What the lines of a log begin with: a day and a time, a time, the seconds since the start. */
const STAMP = [
  String.raw`\d{4}[\-\/]\d\d[\-\/]\d\d[T ]\d\d:\d\d`,
  String.raw`\p{Lu}\p{Ll}{2} [ \d]\d \d\d:\d\d:\d\d`,
  String.raw`(?<!\d[T ]?)\d\d:\d\d:\d\d`,
  String.raw`\[ *\d+\.\d{3,6}\]`,
].join('|');
const STAMPED = new RegExp(`^(?:${STAMP})`, 'u');
/** A query is read in one line, so that the ends of its lines are known by the stamps alone. */
const BEFORE_STAMP = new RegExp(`\\n|(?=(?<![\\p{L}\\p{N}])(?:${STAMP}))`, 'u');
const FEWEST_STAMPS = 4;
/** UTF-16 units for each stamp. */
const LONGEST_LINE = 500;

/** What a log is pasted for, and not that there was none (`errors=0`). */
const TROUBLE =
  /(?<!\p{L})(?:errors?|fatal|panic|fail(?:ed|ure|s)?|critical|severe|traceback|aborted)(?!\p{L}|(?:=|["']\s*:)\s*["']?(?:0|null|nil|none|false)(?![\p{L}\p{N}]))/iu;
const CLASS_OF_TROUBLE = /\p{Ll}(?:Exception|Error)(?!\p{Ll})/u;

export const tellsOfTrouble = (line: string): boolean => TROUBLE.test(line) || CLASS_OF_TROUBLE.test(line);

/** The lines of a log, as its stamps show. Undefined for a text of few stamps. */
export const linesOfLog = (text: string): readonly string[] | undefined => {
  const lines = text.split(BEFORE_STAMP);
  const stamps = lines.filter((line) => STAMPED.test(line)).length;
  return stamps >= FEWEST_STAMPS && text.length <= stamps * LONGEST_LINE ? lines : undefined;
};

const NUMBER_OR_STAMP = new RegExp(
  `^(?:${[
    String.raw`\d+(?:[.:/-]\d+)?`,
    String.raw`\d\d?[./]\d\d?[./]\d{4}`,
    String.raw`\d{4}[-/.]\d\d[-/.]\d\d(?:t\d\d:\d\d.*)?`,
    String.raw`\d\d:\d\d:\d\d.*`,
  ].join('|')})$`,
);

/** Whether a lower-cased identifier is a number, a day or a time, as machines write many of. Versions and addresses are none. */
export const isNumberOrStamp = (term: string): boolean => NUMBER_OR_STAMP.test(term);
