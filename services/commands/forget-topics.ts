import { parseTopic } from '../../domain/content.js';
import { isDomainError } from '../../domain/errors.js';
import { isoTime } from '../../domain/iso-time.js';
import { projectDecider } from '../../domain/project/project.js';
import { compileTopics, topicForm } from '../../domain/suppression.js';
import { isTopicSubject, namesItsTopic } from '../../domain/topic/topic.js';
import { withServing } from '../../projections/generation.js';
import { type RecordedTopic, readRecordedTopics, suppressions } from '../../projections/suppressions.js';
import type { ForgetInput } from '../api.js';
import { NAME_STAYS } from '../erasure/name-stays.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import { isKey } from './keys.js';
import type { CommandParts } from './parts.js';
import { subjectsOf } from './projects/members.js';
import { projectNamed } from './projects/named.js';
import { placeOfTopic } from './topic-subjects.js';

/** Topics that an answer names. */
const NAMED = 20;
/** Memories whose dead end a topic is, that an answer names. */
const HOLDERS_NAMED = 5;

/** What was suppressed by hand and nobody forgot, let in again or not. */
const recordedTopics = ({ redis, keys }: Pick<CommandParts, 'redis' | 'keys'>): Promise<readonly RecordedTopic[]> =>
  unavailableWhenDown(() => withServing(redis, keys, suppressions.name, (generation) => readRecordedTopics(redis, keys, generation)));

/**
 * Subjects that hold the text of a topic: of this log, and what a merge brought from others. Where none holds it as it is
 * written, those that recall takes for the same topic (`STRASSE`, `straße`). Throws VALIDATION.
 */
export const subjectsOfTopic = async (parts: CommandParts, text: string): Promise<readonly string[]> => {
  const topic = parseTopic(text);
  await parts.fresh();
  const [{ recorded }, all] = await Promise.all([placeOfTopic(parts.log, topic), recordedTopics(parts)]);
  const held = [...recorded, ...all.filter((one) => one.topic === topic).map(({ subject }) => subject)];
  const form = topicForm(topic);
  return [...new Set(held.length > 0 ? held : all.filter((one) => topicForm(one.topic) === form).map(({ subject }) => subject))];
};

/** What these subjects say, by subject. */
export const textsOfTopics = async (parts: CommandParts, subjects: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  if (!subjects.some(isTopicSubject)) return new Map();
  const all = await recordedTopics(parts);
  return new Map(all.map(({ subject, topic, reason }) => [subject, reason === undefined ? topic : `${topic}: ${reason}`]));
};

/** What an erasure of these says of topics whose text stays in the log. */
export const nameNote = (subjects: readonly string[]): string | undefined => (subjects.some(namesItsTopic) ? NAME_STAYS : undefined);

/** Which suppressed topics and contexts a call of forget comes near to and leaves, and the call that erases them. */
export type Left = { readonly topics: readonly string[]; readonly notes: readonly string[] };

/** `contents` are texts of the memories that are meant. */
export const leftBy = async (parts: CommandParts, input: ForgetInput, contents: readonly string[]): Promise<Left> => {
  const topics = input.topic === undefined ? await topicsLeft(parts, input, contents) : [];
  const named = topics.slice(0, NAMED).map((topic) => JSON.stringify(topic));
  return {
    topics: topics.slice(0, NAMED),
    notes: [
      ...(named.length > 0
        ? [
            `Suppressed topics are no memories and stay, their text and reasons with them, also where they were let in again: ${named.join(', ')}${topics.length > NAMED ? ` and ${topics.length - NAMED} more` : ''}. To erase one: forget with topic: ${named[0]} (omnimem forget --topic).`,
          ]
        : []),
      ...(await contextLeft(parts, input)),
      ...deadEndsLeft(parts, input),
    ],
  };
};

const topicsLeft = async (parts: CommandParts, input: ForgetInput, contents: readonly string[]): Promise<readonly string[]> => {
  const words = input.key_or_query === undefined || isKey(input.key_or_query) ? [] : [input.key_or_query];
  const asked = compileTopics(words);
  const during = createdIn(input);
  const left = new Set<string>();
  for (const { topic, subject } of await recordedTopics(parts)) {
    const speaks = compileTopics([topic]);
    const past = await saidOf(parts, subject);
    const near =
      [...contents, ...words].some((text) => speaks(text) !== undefined) ||
      [topic, ...past.flatMap(({ reason }) => reason ?? [])].some((text) => asked(text) !== undefined);
    if (near || past.some(({ at }) => during(at))) left.add(topic);
  }
  return [...left];
};

/** When something was said of a topic, and the reasons: the log holds those of one that was let in, too. Nothing of what cannot be read. */
const saidOf = async ({ log }: CommandParts, subject: string): Promise<readonly { readonly at: string; readonly reason?: string }[]> => {
  try {
    const [history] = await log.load([subject]);
    return (history?.events ?? []).map(({ at, data }) => ({
      at,
      ...('reason' in data && data.reason !== undefined && { reason: data.reason }),
    }));
  } catch (error) {
    if (isDomainError(error, 'INTERNAL')) return [];
    throw error;
  }
};

/** Whether a time is one that is meant. A document or a project has no topics. */
const createdIn = ({ created_after, created_before, doc_id, project }: ForgetInput): ((at: string) => boolean) => {
  if (created_after === undefined && created_before === undefined) return () => false;
  if (doc_id !== undefined || project !== undefined) return () => false;
  const from = created_after === undefined ? Number.NEGATIVE_INFINITY : (isoTime(created_after) ?? Number.NaN);
  const to = created_before === undefined ? Number.POSITIVE_INFINITY : (isoTime(created_before) ?? Number.NaN);
  return (at) => Date.parse(at) >= from && Date.parse(at) < to;
};

const contextLeft = async (parts: CommandParts, { project }: ForgetInput): Promise<readonly string[]> => {
  if (project === undefined) return [];
  const recorded = (await subjectsOf(parts, await projectNamed(parts, project))).filter(
    (one) => projectDecider.decide({ type: 'DeleteProject', data: {} }, one.project).length > 0,
  );
  if (recorded.length === 0) return [];
  return [
    'What is recorded of the project itself stays (its context, with description, stack, goals, state and notes): delete_project with include_context: true erases it.',
  ];
};

/** A dead end goes with its memory, the topic that it became as well. */
const deadEndsLeft = ({ index }: CommandParts, { topic }: ForgetInput): readonly string[] => {
  const spellings = topic === undefined ? [] : index.suppressed.spellingsOf(parseTopic(topic));
  const held = new Set(spellings.flatMap((spelling) => index.suppressed.holdersOf(spelling)));
  const holders = [...held].filter((holder) => !isTopicSubject(holder));
  if (holders.length === 0) return [];
  const named = holders.slice(0, HOLDERS_NAMED).join(', ');
  return [
    `It is also a dead end of ${holders.length === 1 ? 'a memory' : `${holders.length} memories`}, which keeps it suppressed and holds its text: forget ${named}${holders.length > HOLDERS_NAMED ? ' and others' : ''} for that, or unsuppress_topic to let it in.`,
  ];
};
