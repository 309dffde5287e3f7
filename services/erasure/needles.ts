import type { DomainEvent } from '../../domain/catalogue.js';

/** A piece of a text that is looked for, byte by byte, and the memory it is of. */
export type Needle = { readonly memory: string; readonly bytes: Buffer };

/** Shorter pieces turn up by chance. */
const SHORTEST = 8;
const LONGEST = 48;
/** Pieces of one text: from its beginning, its middle and its end. */
const PIECES = 3;

/**
 * Pieces of everything that these events say, as they lie in keys and files: without characters that JSON writes in another
 * way, so that a copy in a JSON document is found as well. A text of which no piece is long enough gives none.
 */
export const needlesOf = (memory: string, events: readonly DomainEvent[]): readonly Needle[] => {
  const texts = new Set(events.flatMap(({ data }) => textsIn(data)));
  const pieces = new Set([...texts].flatMap(piecesOf));
  return [...pieces].map((piece) => ({ memory, bytes: Buffer.from(piece, 'utf8') }));
};

/** Fields that hold what somebody wrote; the others are names, keys and times that other memories share. */
const WRITTEN = [
  'content',
  'title',
  'reason',
  'licence_note',
  'reinstate_hints',
  'breakthrough',
  'gotchas',
  'note',
  'source_url',
  // Of dead ends, and of the suppressed topics that they became.
  'name',
  'topic',
  // Of the context of a project.
  'description',
  'stack',
  'goals',
  'current_state',
  'notes',
];

/** Whether what these events are about, a topic or a memory's wording, is too short to be looked for while other texts of theirs are not. */
export const passesOver = (events: readonly DomainEvent[]): boolean =>
  events.some(({ data }) => ['content', 'topic'].some((field) => field in data && piecesOf(String(data[field as never])).length === 0));

const textsIn = (data: object): readonly string[] =>
  Object.entries(data).flatMap(([field, value]) => {
    if (field === 'abandoned_approaches') return (value as readonly object[]).flatMap(textsIn);
    if (!WRITTEN.includes(field)) return [];
    return Array.isArray(value) ? value.map(String) : [String(value)];
  });

const piecesOf = (text: string): readonly string[] => {
  const plain = text.split(/[\\"\p{Cc}\u2028\u2029]+/u).filter((run) => run.trim().length >= SHORTEST);
  if (plain.length === 0) return [];
  const places = [0, Math.floor(plain.length / 2), plain.length - 1];
  const runs = [...new Set(places)].map((place) => plain[place] ?? '');
  const [only] = runs;
  if (runs.length === 1 && only !== undefined && only.length > LONGEST * PIECES) {
    const middle = Math.floor((only.length - LONGEST) / 2);
    return [0, middle, only.length - LONGEST].map((from) => whole(only.slice(from, from + LONGEST)));
  }
  return runs.map((run) => whole(run.slice(0, LONGEST)));
};

/** Half a surrogate pair at either end is none of the text's bytes. */
const whole = (piece: string): string => piece.replace(/^[\uDC00-\uDFFF]/, '').replace(/[\uD800-\uDBFF]$/, '');
