import { type Decider, fold } from './decider.js';
import { lastRun, type Numbered, nothingElse, type Undoing } from './last-run.js';
import type { MemoryEvent } from './memory/events.js';
import { isLive, type LiveMemory, memoryDecider } from './memory/memory.js';
import { type ExperienceField, undoExperience } from './memory/undo-experience.js';
import { isTopicChange, type TopicChange, type TopicEvent, topicDecider } from './topic/topic.js';

/** What an undo puts back, or leaves as it is. `memory` is its very existence. */
export type UndoField =
  | 'memory'
  | 'content'
  | 'tags'
  | 'state'
  | 'licence'
  | 'provenance'
  | ExperienceField
  | 'contradictions'
  | 'suppression'
  | 'context'
  | 'domains'
  | 'merge';

/** What takes an action back on one subject. */
export type Reversal<Event> = {
  readonly events: readonly Event[];
  readonly restored: readonly UndoField[];
  /** Fields that another action wrote since. */
  readonly kept: readonly UndoField[];
};

/** Written as the reason of compensating events that take one. */
export const UNDONE = 'undone';

type MemoryField = Exclude<UndoField, ExperienceField | 'memory' | 'suppression' | 'context' | 'domains' | 'merge'>;

const WRITES: Readonly<Record<MemoryField, readonly MemoryEvent['type'][]>> = {
  content: ['MemoryRevised'],
  tags: ['MemoryRetagged'],
  licence: ['LicenceStamped'],
  provenance: ['ProvenanceStamped'],
  state: ['MemoryDeprioritised', 'MemoryArchived', 'MemoryReinstated'],
  contradictions: ['ContradictionFlagged', 'ContradictionResolved'],
};
const FIELDS = Object.keys(WRITES) as MemoryField[];

/**
 * Takes back the events at the versions `undone` of one memory. A field goes back to what it was before them only if they
 * were the last to write it. A memory that was born in the action is archived, unless anything else happened to it since.
 * What is `annulled` did not happen.
 * `forgotten` when there is nothing left to work on.
 */
export const undoMemory = (
  all: readonly Numbered<MemoryEvent | TopicChange>[],
  undoing: Undoing,
): Reversal<MemoryEvent | TopicChange> | 'forgotten' => {
  const events = all.filter((event): event is Numbered<MemoryEvent> => !isOfTopic(event));
  const now = fold<ReturnType<typeof memoryDecider.initialState>, MemoryEvent>(memoryDecider, events);
  if (!isLive(now)) return 'forgotten';
  if (events.some(({ type, n }) => type === 'MemoryRemembered' && undoing.undone.has(n))) return undoBirth(all, undoing, now);
  const worked = undoExperience(events, undoing);
  const restored: UndoField[] = [...worked.restored];
  const kept: UndoField[] = [...worked.kept];
  const made: (MemoryEvent | TopicChange)[] = [];
  if (worked.experience) {
    const abandoned_approaches = [...worked.experience.abandoned_approaches];
    made.push({ type: 'ExperienceRecorded', data: { ...worked.experience, abandoned_approaches, reason: UNDONE } });
  }
  for (const field of FIELDS) {
    const since = lastRun(
      events.filter(({ type }) => WRITES[field].includes(type)),
      undoing,
    );
    if (since === 'none') continue;
    if (since === 'overwritten') {
      kept.push(field);
      continue;
    }
    const before = fold<ReturnType<typeof memoryDecider.initialState>, MemoryEvent>(
      memoryDecider,
      events.filter(({ n }) => n < since),
    );
    const last = events.findLast(({ type, n }) => WRITES[field].includes(type) && undoing.undone.has(n));
    const left = fold<ReturnType<typeof memoryDecider.initialState>, MemoryEvent>(
      memoryDecider,
      events.filter(({ n }) => n <= (last?.n ?? 0)),
    );
    // Where the action left the field as it found it, what came of it since is not the action's.
    const moved = isLive(before) && isLive(left) && RESTORE[field](left, before).length > 0;
    const back = moved ? RESTORE[field](now, before) : [];
    if (back.length > 0) restored.push(field);
    made.push(...back);
  }
  const suppressed = undoTopics(all.filter(isOfTopic), undoing);
  if (suppressed.restored.length > 0) restored.push('suppression');
  if (suppressed.kept.length > 0) kept.push('suppression');
  return { events: [...made, ...suppressed.events], restored, kept };
};

const isOfTopic = (event: Numbered<MemoryEvent | TopicEvent>): event is Numbered<TopicChange> => isTopicChange(event);

/** Takes back the suppression of topics that dead ends of one memory became, each by itself. */
const undoTopics = (events: readonly Numbered<TopicChange>[], undoing: Undoing): Reversal<TopicChange> => {
  const topics = [...new Set(events.map(({ data }) => data.topic))];
  const each = topics.map((topic) =>
    backOf(
      events.filter(({ data }) => data.topic === topic),
      undoing,
    ),
  );
  return {
    events: each.flatMap(({ events: made }) => made),
    restored: each.flatMap(({ restored }) => restored),
    kept: each.flatMap(({ kept }) => kept),
  };
};

/** What enrichment notes of its own work on a memory is nobody's work on the memory. */
const NOTED: ReadonlySet<(MemoryEvent | TopicChange)['type']> = new Set(['EnrichmentFinished', 'EnrichmentParked']);

const undoBirth = (events: readonly Numbered<MemoryEvent | TopicChange>[], undoing: Undoing, now: LiveMemory): Reversal<MemoryEvent> => {
  if ((undoing.already?.size ?? 0) > 0) return { events: [], restored: [], kept: [] };
  if (
    !nothingElse(
      events.filter(({ type }) => !NOTED.has(type)),
      undoing,
    )
  )
    return { events: [], restored: [], kept: ['memory'] };
  if (now.status === 'archived') return { events: [], restored: [], kept: [] };
  return { events: [{ type: 'MemoryArchived', data: { reason: UNDONE } }], restored: ['memory'], kept: [] };
};

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

type Restore = (now: LiveMemory, before: LiveMemory) => readonly MemoryEvent[];

const restoreState: Restore = (now, { status, reason, reinstate_hints }) => {
  if (same([now.status, now.reason, now.reinstate_hints], [status, reason, reinstate_hints])) return [];
  const deprioritised: MemoryEvent = {
    type: 'MemoryDeprioritised',
    data: { reason: reason ?? UNDONE, reinstate_hints: [...reinstate_hints] },
  };
  if (status === 'deprioritised') return [deprioritised];
  // Only a deprioritising sets hints, so it goes first where they were others.
  const hints = same(now.reinstate_hints, reinstate_hints) ? [] : [deprioritised];
  if (status === 'archived') return [...hints, { type: 'MemoryArchived', data: reason === undefined ? {} : { reason } }];
  return [...hints, { type: 'MemoryReinstated', data: { keeps_expiry: true } }];
};

const RESTORE: Readonly<Record<MemoryField, Restore>> = {
  content: (now, { content }) => (now.content === content ? [] : [{ type: 'MemoryRevised', data: { content, reason: UNDONE } }]),
  tags: (now, { tags }) =>
    same(now.tags, tags) ? [] : [{ type: 'MemoryRetagged', data: { tags: [...tags], previous_tags: [...now.tags] } }],
  licence: (now, { licence, licence_note }) =>
    same([now.licence, now.licence_note], [licence, licence_note])
      ? []
      : [{ type: 'LicenceStamped', data: { licence, ...(licence_note !== undefined && { licence_note }), previous: now.licence } }],
  provenance: (now, { provenance }) =>
    now.provenance === provenance ? [] : [{ type: 'ProvenanceStamped', data: { provenance, previous: now.provenance } }],
  state: restoreState,
  contradictions: (now, { contradictions }) => [
    ...[...now.contradictions.keys()]
      .filter((key) => !contradictions.has(key))
      .map((key): MemoryEvent => ({ type: 'ContradictionResolved', data: { with: key, note: UNDONE } })),
    ...[...contradictions]
      .filter(([key]) => !now.contradictions.has(key))
      .map(([, data]): MemoryEvent => ({ type: 'ContradictionFlagged', data })),
  ],
};

/** The same for the suppression of a topic. `forgotten` where it was erased. */
export const undoTopic = (events: readonly Numbered<TopicEvent>[], undoing: Undoing): Reversal<TopicChange> | 'forgotten' => {
  const said = events.filter(isOfTopic);
  return said.length < events.length || events.length === 0 ? 'forgotten' : backOf(said, undoing);
};

const backOf = (events: readonly Numbered<TopicChange>[], undoing: Undoing): Reversal<TopicChange> => {
  const since = lastRun(events, undoing);
  if (since === 'none') return { events: [], restored: [], kept: [] };
  if (since === 'overwritten') return { events: [], restored: [], kept: ['suppression'] };
  const decider: Pick<Decider<ReturnType<typeof topicDecider.initialState>, never, TopicEvent>, 'initialState' | 'evolve'> = topicDecider;
  const now = fold(decider, events);
  const { suppressed, reason } = fold(
    decider,
    events.filter(({ n }) => n < since),
  );
  const topic = events[0]?.data.topic ?? '';
  if (same(now, { suppressed, reason })) return { events: [], restored: [], kept: [] };
  const back: TopicChange = suppressed
    ? { type: 'TopicSuppressed', data: { topic, ...(reason !== undefined && { reason }) } }
    : { type: 'TopicUnsuppressed', data: { topic } };
  return { events: [back], restored: ['suppression'], kept: [] };
};
