import type { Redis } from 'iovalkey';
import type { DomainEvent } from '../../domain/catalogue.js';
import { comparePositions, type LogEntry, ORIGIN, type Position, positionOf, type Recorded, subjectOf } from '../../domain/envelope.js';
import { isMemoryKey } from '../../domain/memory/key.js';
import { compileTopics, type TopicMatcher } from '../../domain/suppression.js';
import { NAMESPACES, type Namespace } from '../../domain/vocabulary.js';
import { identify } from '../batch.js';
import type { Keys } from '../keys.js';
import type { LogReader } from '../log-reader.js';
import { createPages, type Pages } from '../pages.js';
import type { LexicalIndex, VectorIndex } from '../search/ports.js';
import { Announcements } from './announcements.js';
import { type Document, evolveDocument, searchableText } from './document.js';
import { type IndexContent, IndexSnapshot, type SnapshotPlace, WORTH_SAVING, waitingForGraphs } from './index-snapshot.js';
import { Progress } from './progress.js';
import { type Model, VectorSpace } from './space.js';

const PAGE = 500;
const IDLE_MS = 1_000;
const BACKOFF_MS = 250;

export type RecallIndexParts = {
  readonly log: LogReader;
  readonly redis: Redis;
  readonly keys: Keys;
  readonly createLexical: () => LexicalIndex;
  readonly createVectors: (dimension: number) => VectorIndex;
  /** Where the index is kept in files between two lives of the process. Absent: it is made from the log each time. */
  readonly snapshot?: SnapshotPlace | undefined;
  /** Told how many vectors the cache had, and had not. */
  readonly onVectorsRead?: ((hits: number, misses: number) => void) | undefined;
  /** The generation of the memories view that serves: when it moves, what stood still is read again. */
  readonly generation: () => Promise<number | undefined>;
  /** Told of outages and faults, without text. */
  readonly onTrouble: (message: string, error?: unknown) => void;
};

/**
 * The in-process view that recall searches: documents, words and vectors, kept by following the log from its beginning.
 * Everything in it can be read again from the log and the vector cache; a snapshot only spares a start the reading.
 */
export class RecallIndex {
  readonly documents = new Map<string, Document>();
  /** Deprioritised memories that a hint may bring back, however little their text is like the query. */
  readonly hinted = new Set<string>();
  /** Subjects with an entry that could not be read; they stay as they were before it. */
  readonly degraded = new Set<string>();
  readonly progress = new Progress();
  #parts: RecallIndexParts;
  #lexical: ReadonlyMap<Namespace, LexicalIndex>;
  #serving: VectorSpace | undefined;
  #building: VectorSpace | undefined;
  #modelInLog: Model | undefined;
  #topics = new Map<string, string | undefined>();
  #matcher: TopicMatcher = compileTopics([]);
  #announcements: Announcements;
  #pages: Pages;
  #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #switching: Promise<void> = Promise.resolve();
  /** The generation at which degraded subjects were last read. */
  #healedAt: number | undefined;
  #snapshot: IndexSnapshot | undefined;
  #restored = false;
  #lastEventId: string | undefined;
  #readSinceSnapshot = 0;
  /** Vectors that the graphs of the snapshot lacked. */
  #graphsLacked = 0;

  constructor(parts: RecallIndexParts) {
    this.#parts = parts;
    this.#lexical = new Map(NAMESPACES.map((namespace) => [namespace, parts.createLexical()]));
    this.#announcements = new Announcements(parts.redis, parts.keys);
    this.#pages = createPages(parts.log.read, PAGE);
    this.#snapshot = parts.snapshot && new IndexSnapshot(parts.snapshot, parts.log);
  }

  /** Starts following; returns at once. */
  start(): void {
    this.#running ??= this.#follow();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.progress.close();
    await this.#running;
    await this.#switching;
    await this.#save().catch((error) => this.#parts.onTrouble('the recall index could not be kept for the next start', error));
    await this.#serving?.close();
    await this.#building?.close();
  }

  /** The vector space that recall serves from: the one the log last named, once its vectors are loaded here. */
  get serving(): VectorSpace | undefined {
    return this.#serving;
  }

  get building(): VectorSpace | undefined {
    return this.#building;
  }

  /** The model the log names; it may still be loading here. */
  get modelInLog(): Model | undefined {
    return this.#modelInLog;
  }

  get suppressed(): { readonly topics: ReadonlyMap<string, string | undefined>; readonly matches: TopicMatcher } {
    return { topics: this.#topics, matches: this.#matcher };
  }

  /** The word index of one namespace. */
  words(namespace: Namespace): LexicalIndex {
    const index = this.#lexical.get(namespace);
    if (!index) throw new Error(`no word index for ${namespace}`);
    return index;
  }

  stats(): Readonly<Record<string, unknown>> {
    return {
      documents: this.documents.size,
      position: this.progress.position,
      lexical: Object.fromEntries([...this.#lexical].map(([namespace, index]) => [namespace, index.stats()])),
      vectors: this.#serving && { model: this.#serving.model.id, ...this.#serving.stats() },
    };
  }

  /** Builds the space of another model beside the serving one, from the cache; it serves once the log names it. */
  async prepare(model: Model): Promise<VectorSpace> {
    if (this.#serving?.model.id === model.id) return this.#serving;
    if (this.#building?.model.id === model.id) return this.#building;
    await this.#building?.close();
    const { redis, keys, createVectors } = this.#parts;
    const space = new VectorSpace(model, redis, keys, createVectors, this.#parts.onVectorsRead ?? (() => undefined));
    this.#building = space;
    await space.load([...this.documents.keys()], (key) => this.documents.get(key));
    return space;
  }

  /** Takes in vectors that were filled in for these memories after their events. */
  async vectorsFilled(model: string, memories: readonly string[]): Promise<void> {
    for (const space of this.#spaces()) if (space.model.id === model) await space.load(memories, (key) => this.documents.get(key));
  }

  #spaces(): VectorSpace[] {
    return [this.#serving, this.#building].filter((space) => space !== undefined);
  }

  async #follow(): Promise<void> {
    const { log, onTrouble } = this.#parts;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        if (this.progress.position === ORIGIN) await this.#announcements.skipToEnd();
        await this.#restore();
        const page = await this.#pages.take(this.progress.position);
        if (page.length > 0) await this.#apply(page);
        // What was announced meanwhile is met at the end of the log.
        if (page.length === PAGE) continue;
        for (const { model, memories } of await this.#announcements.read()) await this.vectorsFilled(model, memories);
        this.progress.caughtUp();
        if (this.degraded.size > 0) await this.#healAfterReplay();
        await log.waitForMore(this.progress.position, IDLE_MS, signal);
      } catch (error) {
        if (signal.aborted) return;
        onTrouble('the recall index cannot follow the log', error);
        await new Promise((resolve) => setTimeout(resolve, BACKOFF_MS));
      }
    }
  }

  /** After a replay of the memories view, reads the subjects that stood still again, from the beginning, and nothing else. */
  async #healAfterReplay(): Promise<void> {
    const generation = await this.#parts.generation();
    const before = this.#healedAt;
    this.#healedAt = generation;
    if (before === undefined || before === generation) return;
    const subjects = new Set(this.degraded);
    for (const subject of subjects) {
      this.degraded.delete(subject);
      await this.#drop(subject);
    }
    const end = this.progress.position;
    for (let from: Position = ORIGIN; comparePositions(from, end) < 0; ) {
      const page = await this.#parts.log.read(from, PAGE);
      const last = page.at(-1);
      if (!last) break;
      from = positionOf(last);
      await this.#apply(page.filter((entry) => comparePositions(positionOf(entry), end) <= 0 && subjects.has(subjectOf(entry) ?? '')));
    }
  }

  async #apply(page: readonly LogEntry<DomainEvent>[]): Promise<void> {
    // The vectors come while the words are taken in.
    const begun = new Map(this.#spaces().map((space) => [space, space.read(subjectsWithText(page))]));
    for (const read of begun.values()) read.catch(() => undefined);
    const changed = new Set<string>();
    for (const entry of page) {
      if (entry.kind === 'fault' && entry.fault.subject) this.degraded.add(entry.fault.subject);
      // The file holds its words, whatever this index makes of the event.
      if (entry.kind === 'event' && entry.event.type === 'MemoryForgotten') await this.#forgetSnapshot();
      if (entry.kind !== 'event' || this.degraded.has(entry.event.envelope.subject)) continue;
      if (isMemoryKey(entry.event.envelope.subject)) {
        if (await this.#applyToMemory(entry.event)) changed.add(entry.event.envelope.subject);
      } else this.#applyToRest(entry.event);
    }
    for (const space of this.#spaces())
      await space.load(
        [...changed].filter((key) => this.documents.has(key)),
        (key) => this.documents.get(key),
        begun.get(space),
      );
    const last = page.at(-1);
    if (!last || comparePositions(positionOf(last), this.progress.position) <= 0) return;
    this.#lastEventId = identify(last).eventId;
    this.#readSinceSnapshot += page.length;
    this.progress.reached(positionOf(last));
  }

  async #forgetSnapshot(): Promise<void> {
    await this.#snapshot?.remove();
    this.#readSinceSnapshot = Math.max(this.#readSinceSnapshot, this.documents.size);
  }

  /** Once: what an earlier life of the process knew, when the log bears it out. */
  async #restore(): Promise<void> {
    if (this.#restored || !this.#snapshot) return;
    const content = await this.#snapshot.load();
    this.#restored = true;
    if (content) await this.#takeOver(content);
  }

  async #takeOver({ position, eventId, documents, topics, model, missing, indexes }: IndexContent): Promise<void> {
    const { redis, keys, onVectorsRead = () => undefined } = this.#parts;
    const indexOf = (namespace: Namespace) => {
      const index = indexes.get(namespace);
      if (!index) throw new Error(`the snapshot lacks ${namespace}`);
      return index;
    };
    for (const document of documents) {
      this.documents.set(document.key, document);
      if (document.state === 'deprioritised' && document.reinstateHints.length > 0) this.hinted.add(document.key);
    }
    this.#lexical = new Map(NAMESPACES.map((namespace) => [namespace, indexOf(namespace).words]));
    this.#topics = new Map(topics);
    this.#matcher = compileTopics([...this.#topics.keys()]);
    this.#modelInLog = model;
    this.#serving = new VectorSpace(model, redis, keys, (_, namespace) => indexOf(namespace).vectors, onVectorsRead);
    this.#lastEventId = eventId;
    this.#graphsLacked = waitingForGraphs(indexes);
    this.progress.reached(position);
    await this.#serving.load(missing, (key) => this.documents.get(key));
  }

  /** Only a whole and settled index is kept: nothing degraded, no move to another model under way. */
  async #save(): Promise<void> {
    const [space, eventId, model] = [this.#serving, this.#lastEventId, this.#modelInLog];
    if (!this.#snapshot || this.degraded.size > 0) return;
    if (!space || !eventId || this.#building || space.model.id !== model?.id) return;
    const indexes = new Map(NAMESPACES.map((namespace) => [namespace, { words: this.words(namespace), vectors: space.index(namespace) }]));
    const gained = this.#readSinceSnapshot + Math.max(0, this.#graphsLacked - waitingForGraphs(indexes));
    if (gained < (this.#parts.snapshot?.worth ?? WORTH_SAVING)) return;
    await this.#snapshot.save({
      position: this.progress.position,
      eventId,
      documents: [...this.documents.values()],
      topics: [...this.#topics],
      model: space.model,
      missing: [...space.missing],
      indexes,
    });
  }

  /** Returns whether the memory's text is new. */
  async #applyToMemory(event: Recorded<DomainEvent>): Promise<boolean> {
    const key = event.envelope.subject;
    const before = this.documents.get(key);
    const after = evolveDocument(before, event);
    const text = searchableText(event);
    if (after?.state === 'deprioritised' && after.reinstateHints.length > 0) this.hinted.add(key);
    else this.hinted.delete(key);
    if (!after) {
      await this.#drop(key);
      return false;
    }
    if (before === after) return false;
    this.documents.set(key, after);
    if (text !== undefined) {
      this.words(after.namespace).upsert(key, text, after);
      if (before) for (const space of this.#spaces()) await space.drop(before);
      return true;
    }
    this.words(after.namespace).setFacets(key, after);
    for (const space of this.#spaces()) await space.setFacets(key, after);
    return false;
  }

  async #drop(key: string): Promise<void> {
    const document = this.documents.get(key);
    if (!document) return;
    this.documents.delete(key);
    this.hinted.delete(key);
    this.words(document.namespace).remove(key);
    for (const space of this.#spaces()) await space.drop(document);
  }

  #applyToRest(event: Recorded<DomainEvent>): void {
    switch (event.type) {
      case 'TopicSuppressed':
        this.#topics.set(event.data.topic, event.data.reason);
        this.#matcher = compileTopics([...this.#topics.keys()]);
        break;
      case 'TopicUnsuppressed':
        this.#topics.delete(event.data.topic);
        this.#matcher = compileTopics([...this.#topics.keys()]);
        break;
      case 'EmbeddingModelChanged':
        this.#modelInLog = { id: event.data.to, name: event.data.name, dimension: event.data.dimension };
        this.#switching = this.#switching
          .then(() => this.#serve())
          .catch((error) => this.#parts.onTrouble('a vector space could not be loaded', error));
        break;
    }
  }

  /** Makes the space that the log names the serving one; the old one serves until the new one is loaded. */
  async #serve(): Promise<void> {
    const model = this.#modelInLog;
    if (!model || this.#serving?.model.id === model.id || this.#stopping.signal.aborted) return;
    const space = await this.prepare(model);
    if (this.#modelInLog?.id !== model.id) return;
    const old = this.#serving;
    this.#serving = space;
    if (this.#building === space) this.#building = undefined;
    await old?.close();
  }

  /** Resolves when a switch of models that the log has named is done here. */
  settled(): Promise<void> {
    return this.#switching;
  }

  /** Position up to which everything is searchable here. */
  get position(): Position {
    return this.progress.position;
  }
}

const subjectsWithText = (page: readonly LogEntry<DomainEvent>[]): readonly string[] => [
  ...new Set(
    page.flatMap((entry) => (entry.kind === 'event' && searchableText(entry.event) !== undefined ? [entry.event.envelope.subject] : [])),
  ),
];
