import { normalisedForIdentity } from '../../domain/content.js';
import { isLive, type Memory, memoryDecider } from '../../domain/memory/memory.js';
import type { TopicEvent } from '../../domain/topic/topic.js';
import type { Append } from '../eventlog/append.js';
import { type Loaded, stateOf } from '../eventlog/handle.js';
import { textClaim } from './claims.js';
import type { ImportItem } from './import-intake.js';
import type { CommandParts } from './parts.js';
import { placeOfTopic } from './topic-subjects.js';

/** What became of one memory or topic. Whatever a key has here already, or had, is left alone. */
export type ImportFate =
  | 'imported'
  /** The key is here, with the same text. */
  | 'existing'
  /** The key is here with another text, which stays. */
  | 'differs'
  /** It was forgotten here, or what it was drawn from was: it does not come back. */
  | 'forgotten'
  /** Its text is here under another key; only for memories that bring no key. */
  | 'known_text';

export type ImportOptions = {
  /** `import:<source>`. */
  readonly actor: string;
  /** ULID that all batches share; `undo` takes it. */
  readonly correlation: string;
  /** Looks what would become of everything and writes nothing. */
  readonly dryRun: boolean;
  /** Aborted, it ends after the batch that is under way. */
  readonly signal?: AbortSignal | undefined;
  /** Told what became of each memory, after its batch. */
  readonly onFate?: ((key: string, fate: ImportFate) => void) | undefined;
  /** Called after each batch, in order, with how many memories have been dealt with. */
  readonly onBatch?: ((done: number, total: number) => void) | undefined;
  /** Called before each batch; throws when nothing may be stored. */
  readonly mayWrite?: (() => Promise<void>) | undefined;
};

export type ImportedTopic = { readonly topic: string; readonly reason?: string | undefined; readonly at: string };

type ImportParts = Pick<CommandParts, 'log' | 'random' | 'now'>;

/** Far below what one append may hold, so that others get their turn between two batches. */
const BATCH_EVENTS = 500;
const BATCH_CHARACTERS = 2_000_000;
const ATTEMPTS = 5;

/**
 * Brings memories in with their keys and times, in batches of at most 500 events under one correlation. A batch is one call of
 * the append script, so a run that was cut short is finished by another one. The vectors follow: whoever keeps them meets the
 * events. Throws UNAVAILABLE; what was told of until then stands.
 */
export const importMemories = async (parts: ImportParts, items: readonly ImportItem[], options: ImportOptions): Promise<void> => {
  let done = 0;
  // A fact is appended on the ground of its source, which is therefore there before it.
  const sources = items.filter(({ born }) => born.data.enriched_from === undefined);
  const facts = items.filter(({ born }) => born.data.enriched_from !== undefined);
  for (const batch of [...batchesOf(sources), ...batchesOf(facts)]) {
    if (options.signal?.aborted) break;
    await options.mayWrite?.();
    for (const [key, fate] of await importBatch(parts, batch, options)) options.onFate?.(key, fate);
    done += batch.length;
    options.onBatch?.(done, items.length);
  }
};

const batchesOf = (items: readonly ImportItem[]): readonly (readonly ImportItem[])[] => {
  const batches: ImportItem[][] = [];
  let events = BATCH_EVENTS;
  let characters = 0;
  for (const item of items) {
    const more = 1 + item.changes.length;
    if (events + more > BATCH_EVENTS || characters + item.born.data.content.length > BATCH_CHARACTERS) {
      batches.push([]);
      events = 0;
      characters = 0;
    }
    batches.at(-1)?.push(item);
    events += more;
    characters += item.born.data.content.length;
  }
  return batches;
};

const importBatch = async (
  parts: ImportParts,
  batch: readonly ImportItem[],
  options: ImportOptions,
): Promise<ReadonlyMap<string, ImportFate>> => {
  const fates = new Map<string, ImportFate>();
  for (let attempt = 1; attempt <= ATTEMPTS && fates.size < batch.length; attempt++) {
    const undecided = batch.filter(({ key }) => !fates.has(key));
    const known = await whatIsHere(parts, undecided);
    const wanted = undecided.filter((item) => {
      const fate = fateBefore(item, known);
      if (fate !== undefined) fates.set(item.key, fate);
      return fate === undefined;
    });
    if (options.dryRun) for (const { key } of wanted) fates.set(key, 'imported');
    const answers = options.dryRun ? [] : await Promise.all(wanted.map((item) => appendItem(parts, item, known, options)));
    for (const [i, fate] of answers.entries()) if (fate !== undefined) fates.set(wanted[i]?.key ?? '', fate);
  }
  return fates;
};

type Here = {
  readonly memories: ReadonlyMap<string, Loaded<Memory>>;
  /** Who holds the text of each item that brings no key. */
  readonly holders: ReadonlyMap<string, string | undefined>;
};

const claimOf = ({ log }: ImportParts, { born: { data } }: ImportItem): string =>
  textClaim(log.salt, data.namespace, data.project, data.content);

const whatIsHere = async (parts: ImportParts, items: readonly ImportItem[]): Promise<Here> => {
  const subjects = [...new Set(items.flatMap(({ key, born }) => [key, born.data.enriched_from ?? key]))];
  const keyless = items.filter(({ keyed }) => !keyed);
  const [histories, holders] = await Promise.all([
    parts.log.load(subjects),
    parts.log.claimHolders(keyless.map((item) => claimOf(parts, item))),
  ]);
  return {
    memories: new Map(histories.map((history) => [history.subject, stateOf(memoryDecider, history)])),
    holders: new Map(keyless.map(({ key }, i) => [key, holders[i]])),
  };
};

const fateBefore = ({ key, keyed, born: { data } }: ImportItem, { memories, holders }: Here): ImportFate | undefined => {
  const state = memories.get(key)?.state;
  const source = data.enriched_from === undefined ? undefined : memories.get(data.enriched_from)?.state;
  if (state?.status === 'forgotten' || source?.status === 'forgotten') return 'forgotten';
  if (state && isLive(state)) return sameText(state.content, data.content, keyed) ? 'existing' : 'differs';
  return holders.get(key) === undefined ? undefined : 'known_text';
};

/** A key that follows from the text is the same for texts that are one memory. */
const sameText = (here: string, there: string, keyed: boolean): boolean =>
  here === there || (!keyed && normalisedForIdentity(here) === normalisedForIdentity(there));

/** Undefined when somebody changed the subject meanwhile: then it is looked at again. */
const appendItem = async (
  { log, random, now }: ImportParts,
  item: ImportItem,
  { memories }: Here,
  { actor, correlation }: ImportOptions,
): Promise<ImportFate | undefined> => {
  const { key, keyed, born, changes } = item;
  const { namespace, project, content, enriched_from } = born.data;
  const source = enriched_from === undefined ? undefined : memories.get(enriched_from);
  const archived = changes.at(-1)?.event.type === 'MemoryArchived';
  const claim = { claim: textClaim(log.salt, namespace, project, content), mode: keyed ? ('ifFree' as const) : ('free' as const) };
  const stamp = { actor, correlation, result: {} };
  const appends: Append[] = [
    {
      ...stamp,
      commandId: random.ulid(now()),
      at: born.at,
      writes: [
        {
          subject: key,
          expected: 0,
          events: [{ type: 'MemoryRemembered', data: born.data }],
          ...(!archived && { claims: [claim] }),
        },
      ],
      ...(source && { guards: [{ subject: source.subject, version: source.version }] }),
    },
  ];
  const [change] = changes;
  if (change) {
    appends.push({
      ...stamp,
      commandId: random.ulid(now()),
      at: change.at,
      writes: [{ subject: key, expected: 1, events: changes.map(({ event }) => event) }],
    });
  }
  // Handed over together they are one call of the script, so that nothing comes between a memory's birth and its state.
  const [answer] = await Promise.all(appends.map((append) => log.append(append)));
  if (answer?.outcome === 'claimed') return 'known_text';
  return answer?.outcome === 'appended' || answer?.outcome === 'repeated' ? 'imported' : undefined;
};

/** Suppresses the topics that were never suppressed here; one that was let back in stays in, and one that was forgotten stays so. */
export const importTopics = async (
  { log, random, now }: ImportParts,
  topics: readonly ImportedTopic[],
  { actor, correlation, dryRun }: ImportOptions,
): Promise<ReadonlyMap<string, 'imported' | 'existing'>> => {
  const answers = await Promise.all(
    topics.map(async ({ topic, reason, at }) => {
      const { current, known } = await placeOfTopic(log, topic);
      if (known) return [topic, 'existing'] as const;
      const event: TopicEvent = { type: 'TopicSuppressed', data: { topic, ...(reason !== undefined && { reason }) } };
      const writes = [{ subject: current, expected: 0, events: [event] }];
      const answer = dryRun
        ? { outcome: 'appended' }
        : await log.append({ commandId: random.ulid(now()), correlation, actor, at, writes, result: {} });
      return [topic, answer.outcome === 'version' ? 'existing' : 'imported'] as const;
    }),
  );
  return new Map(answers);
};
