import { estimateTokens } from '../budget.js';
import { clip } from '../passage.js';
import { LEAST_USEFUL_FIRST, type SectionName } from './sections.js';

/** A briefing as it is gathered: each section a list, or an object that may hold lists and long texts. */
export type Sections = { readonly [Name in SectionName]?: unknown };

export type Trimmed = {
  readonly sections: Sections;
  /** How many entries were left out of which list; `true` for a section that went whole, or whose long texts were cut. */
  readonly trimmed: Readonly<Record<string, number | true>>;
};

/** A text that is still worth its place when it is cut to this many characters. */
const SHORTEST_TEXT = 160;

/**
 * A briefing of at most `maxTokens`: entries go one by one from the end of the least useful list, then the next; last the long
 * texts of the project's context are cut. Says what was left out. The count is of the sections as JSON.
 */
export const trimBriefing = (sections: Sections, maxTokens: number): Trimmed => {
  let left: Sections = sections;
  const trimmed: Record<string, number | true> = {};
  const fits = (): boolean => estimateTokens(JSON.stringify(left)) <= maxTokens;
  for (const name of LEAST_USEFUL_FIRST) {
    if (name === 'project_context') continue;
    while (!fits() && left[name] !== undefined) left = withOneLess(left, name, trimmed);
  }
  for (const length of [4_000, 2_000, 1_000, 500, SHORTEST_TEXT]) {
    if (fits() || left.project_context === undefined) break;
    left = { ...left, project_context: withShortTexts(sections.project_context, length) };
    trimmed.project_context = true;
  }
  return { sections: left, trimmed };
};

const withOneLess = (sections: Sections, name: SectionName, trimmed: Record<string, number | true>): Sections => {
  const { [name]: section, ...rest } = sections;
  const without = lastTaken(section);
  if (without === undefined) {
    trimmed[name] = true;
    return rest;
  }
  const path = without.list === '' ? name : `${name}.${without.list}`;
  const before = trimmed[path];
  trimmed[path] = (typeof before === 'number' ? before : 0) + 1;
  if (without.section === undefined) return rest;
  return { ...sections, [name]: without.section };
};

/** The section without the last entry of its list, or of the longest list in it; undefined when it has no list to shorten. */
const lastTaken = (section: unknown): { readonly list: string; readonly section: unknown } | undefined => {
  if (Array.isArray(section)) return { list: '', section: section.length > 1 ? section.slice(0, -1) : undefined };
  if (typeof section !== 'object' || section === null) return undefined;
  const lists = Object.entries(section).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > 0);
  const [longest] = lists.sort(([, a], [, b]) => JSON.stringify(b).length - JSON.stringify(a).length);
  if (!longest) return undefined;
  const [list, entries] = longest;
  const shorter = entries.slice(0, -1);
  const { [list]: _, ...others } = section as Readonly<Record<string, unknown>>;
  return { list, section: shorter.length > 0 ? { ...section, [list]: shorter } : others };
};

const withShortTexts = (section: unknown, length: number): unknown => {
  if (typeof section !== 'object' || section === null) return section;
  return Object.fromEntries(
    Object.entries(section).map(([name, value]) => [
      name,
      typeof value === 'string' && value.length > length ? `${clip(value, length)}… [cut: ${value.length} characters in all]` : value,
    ]),
  );
};
