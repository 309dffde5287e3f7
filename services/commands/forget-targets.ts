import { DomainError } from '../../domain/errors.js';
import { isoTime } from '../../domain/iso-time.js';
import { parseProjectName } from '../../domain/project/name.js';
import { allNames } from '../../domain/project/scope.js';
import { refuseReversed } from '../../domain/range.js';
import { NAMESPACES } from '../../domain/vocabulary.js';
import type { ForgetInput } from '../api.js';
import { saying } from '../queries/matches.js';
import { subjectsOfTopic } from './forget-topics.js';
import { isKey, parseKey } from './keys.js';
import type { CommandParts } from './parts.js';

/** `note`: what to look at before it is confirmed. */
export type Targets = { readonly keys: readonly string[]; readonly note?: string };

const PARTS_ONLY =
  'No memory says these words and no more: what is shown holds all of them among others, and more may. Confirm the keys that are meant.';

/** Memories, or the subjects of a topic, that a call of forget means, without the facts drawn from them. Throws VALIDATION. */
export const targetsOf = async (parts: CommandParts, input: ForgetInput): Promise<Targets> => {
  const { key_or_query, keys, doc_id, project, created_after, created_before, topic } = input;
  const filtered = [doc_id, project, created_after, created_before].some((value) => value !== undefined);
  if ([key_or_query !== undefined, keys !== undefined, topic !== undefined, filtered].filter(Boolean).length !== 1) {
    throw new DomainError(
      'VALIDATION',
      'Say in one way what to forget',
      'Give key_or_query, or keys, or topic, or any of doc_id, project, created_after and created_before together',
    );
  }
  if (topic !== undefined) return { keys: await subjectsOfTopic(parts, topic) };
  if (keys) return { keys: [...new Set(keys.map(parseKey))] };
  if (key_or_query !== undefined) return isKey(key_or_query) ? { keys: [parseKey(key_or_query)] } : targetsOfWords(parts, key_or_query);
  const wantedProject = project === undefined ? undefined : parseProjectName(project);
  const from = created_after === undefined ? Number.NEGATIVE_INFINITY : parseMoment('created_after', created_after);
  const to = created_before === undefined ? Number.POSITIVE_INFINITY : parseMoment('created_before', created_before);
  refuseReversed(from, to, 'created_after', 'created_before');
  await parts.fresh();
  const members = doc_id === undefined ? undefined : new Set(await documentOf(parts, doc_id));
  const { documents, projects } = parts.index;
  const names = wantedProject === undefined ? undefined : allNames(projects, [wantedProject]);
  const found = [...documents.values()].filter(
    (document) =>
      (members === undefined || members.has(document.key)) &&
      document.context === undefined &&
      (names === undefined || (document.project !== undefined && names.includes(document.project))) &&
      document.createdAt >= from &&
      document.createdAt < to,
  );
  return { keys: found.map(({ key }) => key) };
};

/** What says these words; where nothing does, what holds all of them: the preview shows it, and erases nothing. */
const targetsOfWords = async (parts: CommandParts, words: string): Promise<Targets> => {
  const matches = (await parts.bestMatches(words, true)).filter(({ meant }) => meant !== undefined);
  const says = saying(matches);
  if (says.length > 0 || matches.length === 0) return { keys: says.map(({ key }) => key) };
  return { keys: matches.map(({ key }) => key), note: PARTS_ONLY };
};

const documentOf = (parts: CommandParts, docId: string): Promise<readonly string[]> => {
  const id = docId.trim();
  if (id === '') throw new DomainError('VALIDATION', 'doc_id is empty', 'Pass the doc_id that remember_document answered');
  return parts.documentMembers(NAMESPACES.map((namespace) => `${namespace}:${id}`));
};

const parseMoment = (name: string, text: string): number => {
  const time = isoTime(text);
  if (time !== undefined) return time;
  throw new DomainError('VALIDATION', `${name} is no ISO date`, 'Write it like 2026-11-03 or 2026-11-03T23:30:00Z');
};

/** The same with every fact that was drawn from them, and so on: a fact says what its source said, and goes with it. */
export const withFacts = ({ index }: Pick<CommandParts, 'index'>, keys: readonly string[]): string[] => {
  const wanted = new Set(keys);
  for (let before = -1; before !== wanted.size; ) {
    before = wanted.size;
    for (const { key, enrichedFrom } of index.documents.values()) {
      if (enrichedFrom !== undefined && wanted.has(enrichedFrom)) wanted.add(key);
    }
  }
  return [...wanted];
};
