import { unstorableInLine } from './characters.js';
import { DomainError } from './errors.js';
import { LIMITS } from './vocabulary.js';

const parseTag = (text: string): string => {
  const tag = text.trim();
  const bad = unstorableInLine(tag);
  if (bad) throw new DomainError('VALIDATION', `A tag holds ${bad.name} at position ${bad.position}`, 'A tag is one line of text.');
  if (tag.length > LIMITS.tag)
    throw new DomainError(
      'VALIDATION',
      `A tag has ${tag.length} characters, at most ${LIMITS.tag} fit`,
      'Shorten it, or put it in the content.',
    );
  return tag;
};

/** Tags trimmed, empties dropped, repeats dropped, in the order given. Throws VALIDATION for more than 20, or one over 100 characters. */
export const parseTags = (tags: readonly string[]): readonly string[] => {
  const distinct = [...new Set(tags.map(parseTag).filter((tag) => tag !== ''))];
  if (distinct.length > LIMITS.tags)
    throw new DomainError(
      'VALIDATION',
      `There are ${distinct.length} tags, at most ${LIMITS.tags} fit`,
      'Keep those you would search for.',
    );
  return distinct;
};

/** Either `tags` (replaces all; `[]` clears) or `remove` and `add`. */
export type TagEdit = { readonly tags?: readonly string[]; readonly add?: readonly string[]; readonly remove?: readonly string[] };

/**
 * The tags after an edit. Removal matches exactly and comes before addition, so a tag named in both moves to the end.
 * Throws VALIDATION when `tags` comes with `add` or `remove`, when none is given, and for the limits of `parseTags`.
 */
export const applyTagEdit = (
  current: readonly string[],
  { tags, add, remove }: TagEdit,
): { readonly tags: readonly string[]; readonly changed: boolean } => {
  const refine = add !== undefined || remove !== undefined;
  if (tags !== undefined && refine)
    throw new DomainError('VALIDATION', 'Pass either tags, or add and remove', 'tags replaces the whole list; add and remove change it.');
  if (tags === undefined && !refine)
    throw new DomainError('VALIDATION', 'Nothing to change: pass tags, add or remove', 'tags: [] clears the list.');
  const removed = new Set((remove ?? []).flatMap((tag) => [tag, tag.trim()]));
  const edited = parseTags(tags ?? [...current.filter((tag) => !removed.has(tag)), ...(add ?? [])]);
  const changed = edited.length !== current.length || edited.some((tag, at) => tag !== current[at]);
  return { tags: edited, changed };
};
