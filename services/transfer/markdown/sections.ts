export type Section = {
  /** The headings it stands under, outermost first, its own last. */
  readonly headings: readonly string[];
  /** Its lines, byte for byte but for blank lines around. */
  readonly text: string;
  /** From 1, within the text that was split. */
  readonly line: number;
};

type Line = { readonly text: string; readonly level: number | undefined };

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Parts a Markdown text at its headings; a heading in a fence of code is none. A heading without text of its own goes with the
 * section after it, or at the end with the one before, so that the sections together hold every line that is not blank.
 */
export const splitSections = (text: string): readonly Section[] => {
  const sections: { headings: readonly string[]; lines: Line[]; line: number }[] = [];
  const path: { level: number; title: string }[] = [];
  for (const [i, line] of linesOf(text).entries()) {
    const last = sections.at(-1);
    if (line.level === undefined) {
      if (last) last.lines.push(line);
      else sections.push({ headings: [], lines: [line], line: i + 1 });
      continue;
    }
    const level = line.level;
    while ((path.at(-1)?.level ?? 0) >= level) path.pop();
    path.push({ level, title: HEADING.exec(withoutEnd(line.text))?.[2] ?? '' });
    const headings = path.map(({ title }) => title).filter((title) => title !== '');
    if (last && isBare(last.lines)) {
      last.lines.push(line);
      last.headings = headings;
    } else sections.push({ headings, lines: [line], line: i + 1 });
  }
  const end = sections.at(-1);
  const before = sections.at(-2);
  if (end && before && isBare(end.lines)) {
    before.lines.push(...end.lines);
    sections.pop();
  }
  return sections
    .map(({ headings, lines, line }) => ({ headings, text: withoutBlankEdges(lines.map((each) => each.text).join('')), line }))
    .filter((section) => section.text !== '');
};

/** Outer blank lines off, the end of the last line too; blanks before the first word stay. */
export const withoutBlankEdges = (text: string): string => text.replace(/^(?:[ \t]*\r?\n)+/, '').trimEnd();

const withoutEnd = (line: string): string => line.replace(/\r?\n$/, '');

const isBare = (lines: readonly Line[]): boolean => lines.every(({ text, level }) => level !== undefined || text.trim() === '');

const linesOf = (text: string): readonly Line[] => {
  let fence: string | undefined;
  return (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => {
    const bare = withoutEnd(line);
    const mark = FENCE.exec(bare)?.[1];
    if (fence === undefined) {
      if (mark === undefined) return { text: line, level: HEADING.exec(bare)?.[1]?.length };
      fence = mark;
    } else if (mark?.startsWith(fence) && bare.trim() === mark) fence = undefined;
    return { text: line, level: undefined };
  });
};

/** Cuts a text into pieces of at most `most` UTF-16 units, at the ends of paragraphs, lines or words; joined they are the text. */
export const cutLong = (text: string, most: number): readonly string[] => {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > most) {
    const window = rest.slice(0, most);
    const cut = [/\n[ \t]*\r?\n/g, /\n/g, /\s/g].map((end) => lastEnd(window, end)).find((at) => at > most / 2) ?? characterEnd(window);
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...pieces, rest];
};

const lastEnd = (text: string, pattern: RegExp): number => {
  const last = [...text.matchAll(pattern)].at(-1);
  return last ? last.index + last[0].length : 0;
};

/** Not between the halves of a surrogate pair. */
const characterEnd = (text: string): number => (/[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length);
