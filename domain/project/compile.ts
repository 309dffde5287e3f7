import type { Abandoned } from '../memory/events.js';
import { clip } from '../passage.js';
import type { Drawn } from './project.js';
import type { ContextTexts } from './text.js';

/** What a draft is made of: an active episodic memory of the project. */
export type DraftSource = {
  readonly key: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly breakthrough?: string | undefined;
  readonly gotchas?: string | undefined;
  readonly abandoned_approaches: readonly Abandoned[];
};

/** The newest memories that make up the current state (specification), and UTF-16 units of each. */
const NEWEST = 5;
const HEAD = 200;
const TOP_TAGS = 20;
/** Memories with tags that make up a stack. */
const TAGGED = 50;
/** Memories whose lessons make up the notes; UTF-16 units of one lesson. */
const LESSONS = 30;
const LESSON = 300;

/** The tags of the sources: the most frequent first, then by name; at most 20. */
export const topTags = (sources: readonly Pick<DraftSource, 'tags'>[]): readonly string[] => {
  const counts = new Map<string, number>();
  for (const tag of sources.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, TOP_TAGS)
    .map(([tag]) => tag);
};

const teaches = ({ breakthrough, gotchas, abandoned_approaches }: DraftSource): boolean =>
  breakthrough !== undefined || gotchas !== undefined || abandoned_approaches.length > 0;

/** Which of the sources (newest first) a draft is drawn from, by key. A part that nothing speaks to is absent. */
export const drawnFrom = (sources: readonly DraftSource[]): Drawn => {
  const tagged = sources.filter(({ tags }) => tags.length > 0).slice(0, TAGGED);
  const teaching = sources.filter(teaches).slice(0, LESSONS);
  return {
    ...(tagged.length > 0 && { stack: tagged.map(({ key }) => key) }),
    ...(sources.length > 0 && { current_state: sources.slice(0, NEWEST).map(({ key }) => key) }),
    ...(teaching.length > 0 && { notes: teaching.map(({ key }) => key) }),
  };
};

/** The tags of memories as a stack. */
export const stackOf = (sources: readonly Pick<DraftSource, 'tags'>[]): string => topTags(sources).join(', ');

/** The heads of memories, newest first, with a line between them. */
export const stateOf = (sources: readonly Pick<DraftSource, 'content'>[]): string =>
  sources.map(({ content }) => clip(content, HEAD).trim()).join('\n---\n');

export type Lessons = {
  readonly breakthroughs: readonly string[];
  readonly gotchas: readonly string[];
  readonly abandoned: readonly Abandoned[];
};

const distinct = (texts: readonly (string | undefined)[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => (text === undefined ? [] : [text]))),
];

export const lessonsOf = (sources: readonly DraftSource[]): Lessons => ({
  breakthroughs: distinct(sources.map(({ breakthrough }) => breakthrough)),
  gotchas: distinct(sources.map(({ gotchas }) => gotchas)),
  abandoned: [
    ...new Map(sources.flatMap(({ abandoned_approaches }) => abandoned_approaches).map((one) => [`${one.type} ${one.name}`, one])).values(),
  ],
});

const line = (label: string, lessons: readonly string[]): readonly string[] =>
  lessons.length === 0 ? [] : [`${label}: ${lessons.map((lesson) => clip(lesson, LESSON).replace(/\s+/g, ' ').trim()).join('; ')}`];

/** At most three lines: breakthroughs, gotchas, and what was given up with the reason. Empty when there is nothing to tell. */
export const notesOf = (sources: readonly DraftSource[]): string => {
  const { breakthroughs, gotchas, abandoned } = lessonsOf(sources);
  return [
    ...line('Breakthroughs', breakthroughs),
    ...line('Gotchas', gotchas),
    ...line(
      'Abandoned',
      abandoned.map(({ name, reason }) => (reason === '' ? name : `${name} (${reason})`)),
    ),
  ].join('\n');
};

/** A context with its drawn parts written out from the memories that are still there. */
export const writtenOut = (
  context: ContextTexts & { readonly drawn?: Drawn | undefined },
  sources: ReadonlyMap<string, DraftSource>,
): ContextTexts => {
  const { description, stack, goals, current_state, notes, drawn = {} } = context;
  const there = (keys: readonly string[]): readonly DraftSource[] => keys.flatMap((key) => sources.get(key) ?? []);
  const written = drawn.notes ? notesOf(there(drawn.notes)) : notes;
  return {
    description,
    stack: drawn.stack ? stackOf(there(drawn.stack)) : stack,
    goals,
    current_state: drawn.current_state ? stateOf(there(drawn.current_state)) : current_state,
    ...(written !== undefined && { notes: written }),
  };
};
