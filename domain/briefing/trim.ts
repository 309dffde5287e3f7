import { estimateTokens } from '../budget.js';
import { clip } from '../passage.js';
import { CUTS, type SectionName } from './sections.js';

/** A briefing as it is gathered: each section a list, or an object that may hold lists and long texts. */
export type Sections = { readonly [Name in SectionName]?: unknown };

export type Trimmed = {
  readonly sections: Sections;
  /** How many entries were left out of which list; `true` for a section that went whole, or whose long texts were cut. */
  readonly trimmed: Readonly<Record<string, number | true>>;
};

/**
 * A briefing of at most `maxTokens`, cut in the order of `CUTS`, each list from its end, and no further than is needed. Says
 * what was left out. The count is of the sections as JSON.
 */
export const trimBriefing = (sections: Sections, maxTokens: number): Trimmed => {
  let left: Sections = sections;
  const trimmed: Record<string, number | true> = {};
  const fits = (): boolean => estimateTokens(JSON.stringify(left)) <= maxTokens;
  for (const cut of CUTS) {
    if (fits()) break;
    if ('contextTexts' in cut) {
      if (left.project_context === undefined) continue;
      const shorter = withShortTexts(sections.project_context, cut.contextTexts);
      if (JSON.stringify(shorter) !== JSON.stringify(sections.project_context)) trimmed.project_context = true;
      left = { ...left, project_context: shorter };
      continue;
    }
    while (!fits() && entriesOf(left[cut.part]) > cut.keep) left = withOneLess(left, cut.part, trimmed);
  }
  return { sections: left, trimmed };
};

/** What can still be taken from a part; an object without lists is one entry. */
const entriesOf = (section: unknown): number => {
  if (section === undefined) return 0;
  if (Array.isArray(section)) return section.length;
  const lists = typeof section === 'object' && section !== null ? Object.values(section).filter(Array.isArray) : [];
  return 1 + lists.reduce((sum, list) => sum + list.length, 0);
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
