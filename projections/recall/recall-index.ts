import type { DomainEvent } from '../../domain/catalogue.js';
import { comparePositions, type LogEntry, ORIGIN, type Position, positionOf, type Recorded } from '../../domain/envelope.js';
import { erases } from '../../domain/erasure.js';
import { ProjectDirectory } from '../../domain/project/directory.js';
import { isRecallable, projectOf } from '../../domain/project/key.js';
import { NAMESPACES, type Namespace } from '../../domain/vocabulary.js';
import { identify } from '../batch.js';
import { createPages, type Pages } from '../pages.js';
import type { LexicalIndex } from '../search/ports.js';
import { Announcements } from './announcements.js';
import { type Document, evolveDocument, hintsOf, searchableText } from './document.js';
import { GraveyardIndex } from './graveyard-index.js';
import { HintIndex } from './hint-index.js';
import { type IndexContent, IndexSnapshot, WORTH_SAVING, waitingForGraphs } from './index-snapshot.js';
import { entriesOf, subjectsWithText } from './log-pages.js';
import { Progress } from './progress.js';
import { notToBeReplaced, type RecallIndexParts, SUCCESSION_MS } from './recall-index-parts.js';
import { type Model, VectorSpace } from './space.js';
import { type Suppressed, SuppressedTopics } from './suppressed-topics.js';

const PAGE = 500;
const IDLE_MS = 1_000;
const BACKOFF_MS = 250;

/**
 * The in-process view that recall searches: documents, words and vectors, kept by following the log from its beginning.
 * Everything in it can be read again from the log and the vector cache; a snapshot only spares a start the reading.
 */
export class RecallIndex {
  readonly documents = new Map<string, Document>();
  /** Deprioritised memories that a hint may bring back, however little their text is like the query. */
  readonly hinted = new HintIndex();
  /** What was tried and given up. */
  readonly graveyard = new GraveyardIndex();
  /** Which projects there are, and which names count as one. */
  readonly projects = new ProjectDirectory();
  /** Subjects with an entry that could not be read; they stay as they were before it. */
  readonly degraded = new Set<string>();
  readonly progress = new Progress();
  readonly snapshot: IndexSnapshot | undefined;
  #parts: RecallIndexParts;
  #lexical: ReadonlyMap<Namespace, LexicalIndex>;
  #serving: VectorSpace | undefined;
  #building: VectorSpace | undefined;
  #modelInLog: Model | undefined;
  #suppressed = new SuppressedTopics();
  #announcements: Announcements;
  #pages: Pages;
  #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #switching: Promise<void> = Promise.resolve();
  /** The generation at which degraded subjects were last read. */
  #healedAt: number | undefined;
  #restored = false;
  #lastEventId: string | undefined;
  #succession: (() => Promise<void>) | undefined;
  #readSinceSnapshot = 0;
  /** Vectors that the graphs of the snapshot lacked. */
  #graphsLacked = 0;

  constructor(parts: RecallIndexParts) {
    this.#parts = parts;
    this.#lexical = new Map(NAMESPACES.map((namespace) => [namespace, parts.createLexical()]));
    this.#announcements = new Announcements(parts.redis, parts.keys);
    this.#pages = createPages(parts.log.read, PAGE);
    this.snapshot = parts.snapshot && new IndexSnapshot(parts.snapshot, parts.log, parts.keys.tenant, parts.onTrouble);
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

  get suppressed(): Suppressed {
    return this.#suppressed;
  }

  /** The word index of one namespace. */
  words(namespace: Namespace): LexicalIndex {
    const index = this.#lexical.get(namespace);
    if (!index) throw new Error(`no word index for ${namespace}`);
    return index;
  }

  /** Memories, without the contexts of projects, which are found here too. */
  get memories(): number {
    let count = 0;
    for (const { context } of this.documents.values()) if (context === undefined) count += 1;
    return count;
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

  /**
   * Puts what `other` made of the same log, from its beginning, in the place of what is here, between two pages; `other` ends.
   * Throws CONFLICT when it lacks the vectors that serve here, or a move to another model is under way.
   */
  replaceWith(other: RecallIndex): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#succession = () => this.#inherit(other).then(resolve, reject);
    });
  }

  async #inherit(other: RecallIndex): Promise<void> {
    this.#succession = undefined;
    await Promise.all([this.#switching, other.progress.waitFor(this.progress.position, SUCCESSION_MS)]);
    other.#stopping.abort();
    await other.#running;
    await other.#switching;
    for (const { model, memories } of await other.#announcements.read()) await other.vectorsFilled(model, memories);
    const old = this.#serving;
    const behind = comparePositions(other.progress.position, this.progress.position) < 0;
    if (behind || this.#building || old?.model.id !== other.#serving?.model.id) throw notToBeReplaced();
    // Every public part but the progress, which others wait on, and the files.
    Object.assign(this, Object.fromEntries(Object.entries(other).filter(([name]) => name !== 'progress' && name !== 'snapshot')));
    [this.#lexical, this.#serving, this.#modelInLog] = [other.#lexical, other.#serving, other.#modelInLog];
    [this.#suppressed, this.#lastEventId] = [other.#suppressed, other.#lastEventId];
    this.#readSinceSnapshot += other.#readSinceSnapshot;
    this.progress.reached(other.progress.position);
    other.#serving = undefined;
    await old?.close();
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
        await this.#succession?.();
        const page = await this.#pages.take(this.progress.position);
        // Asked after the page was read, so that no page of another log is taken for the next one of this.
        const stands = this.#stands();
        stands.catch(() => undefined); // it is waited for below
        if (page.length > 0) await this.#apply(page);
        if (!(await stands)) {
          onTrouble('the log no longer holds what was read of it; reading it anew');
          await this.#startAnew();
          continue;
        }
        // What was announced meanwhile is met at the end of the log.
        if (page.length === PAGE) continue;
        for (const { model, memories } of await this.#announcements.read()) await this.vectorsFilled(model, memories);
        this.progress.caughtUp();
        await this.snapshot?.mend();
        if (this.degraded.size > 0) await this.#healAfterReplay();
        await log.waitForMore(this.progress.position, IDLE_MS, signal);
      } catch (error) {
        if (signal.aborted) return;
        onTrouble('the recall index cannot follow the log', error);
        await new Promise((resolve) => setTimeout(resolve, BACKOFF_MS));
      }
    }
  }

  /** Whether the log still holds the last event that was read: a store that was emptied or replaced must not leave ghosts. */
  async #stands(): Promise<boolean> {
    const { position } = this.progress;
    return position === ORIGIN || this.#lastEventId === undefined || this.#parts.log.holds(position, this.#lastEventId);
  }

  /** Forgets everything, and reads on from the beginning. */
  async #startAnew(): Promise<void> {
    for (const key of [...this.documents.keys()]) await this.#drop(key);
    this.projects.restore([]);
    this.degraded.clear();
    this.#suppressed = new SuppressedTopics();
    this.#modelInLog = undefined;
    this.#lastEventId = undefined;
    this.#pages.forget();
    await this.snapshot?.remove();
    this.progress.reached(ORIGIN);
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
    for await (const page of entriesOf(this.#parts.log, subjects, this.progress.position, PAGE)) await this.#apply(page);
  }

  async #apply(page: readonly LogEntry<DomainEvent>[]): Promise<void> {
    // The vectors come while the words are taken in.
    const begun = new Map(this.#spaces().map((space) => [space, space.read(subjectsWithText(page))]));
    for (const read of begun.values()) read.catch(() => undefined);
    const changed = new Set<string>();
    for (const entry of page) {
      if (entry.kind === 'fault' && entry.fault.subject) this.degraded.add(entry.fault.subject);
      // The file holds its words, whatever this index makes of the event.
      if (entry.kind === 'event' && erases(entry.event.type)) await this.#forgetSnapshot();
      if (entry.kind !== 'event' || this.degraded.has(entry.event.envelope.subject)) continue;
      this.#suppressed.apply(entry.event);
      const project = projectOf(entry.event.envelope.subject);
      if (project !== undefined) this.projects.apply(project, entry.event);
      if (isRecallable(entry.event.envelope.subject)) {
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
    await this.snapshot?.remove();
    this.#readSinceSnapshot = Math.max(this.#readSinceSnapshot, this.documents.size);
  }

  /** Once: what an earlier life of the process knew, when the log bears it out. */
  async #restore(): Promise<void> {
    if (this.#restored || !this.snapshot) return;
    const content = await this.snapshot.load();
    this.#restored = true;
    if (content) await this.#takeOver(content);
  }

  async #takeOver({ position, eventId, documents, topics, projects, model, missing, indexes }: IndexContent): Promise<void> {
    const { redis, keys, onVectorsRead = () => undefined } = this.#parts;
    const indexOf = (namespace: Namespace) => {
      const index = indexes.get(namespace);
      if (!index) throw new Error(`the snapshot lacks ${namespace}`);
      return index;
    };
    this.projects.restore(projects);
    for (const document of documents) {
      this.documents.set(document.key, document);
      this.projects.refile(undefined, document);
      this.graveyard.set(document.key, document.abandoned ?? []);
      this.hinted.set(document.key, hintsOf(document));
    }
    this.#lexical = new Map(NAMESPACES.map((namespace) => [namespace, indexOf(namespace).words]));
    this.#suppressed = new SuppressedTopics(topics);
    this.#modelInLog = model;
    const vectorsOf = (dimension: number, namespace: Namespace) =>
      indexOf(namespace).vectors ?? this.#parts.createVectors(dimension, namespace, model.id);
    this.#serving = new VectorSpace(model, redis, keys, vectorsOf, onVectorsRead);
    this.#lastEventId = eventId;
    this.#graphsLacked = waitingForGraphs(indexes);
    this.progress.reached(position);
    // Vectors that are not in the files are taken from the cache.
    const elsewhere = [...indexes.values()].some(({ vectors }) => vectors === undefined);
    await this.#serving.load(elsewhere ? [...this.documents.keys()] : missing, (key) => this.documents.get(key));
  }

  /** Only a whole and settled index is kept: nothing degraded, no move to another model under way. */
  async #save(): Promise<void> {
    const [space, eventId, model] = [this.#serving, this.#lastEventId, this.#modelInLog];
    if (!this.snapshot || this.degraded.size > 0 || !space || !eventId || this.#building || space.model.id !== model?.id) return;
    const indexes = new Map(NAMESPACES.map((namespace) => [namespace, { words: this.words(namespace), vectors: space.index(namespace) }]));
    const gained = this.#readSinceSnapshot + Math.max(0, this.#graphsLacked - waitingForGraphs(indexes));
    if (gained < (this.#parts.snapshot?.worth ?? WORTH_SAVING)) return;
    await this.snapshot.save({
      position: this.progress.position,
      eventId,
      documents: [...this.documents.values()],
      topics: this.#suppressed.held,
      projects: this.projects.records(),
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
    const text = searchableText(event, after);
    if (!after) {
      await this.#drop(key);
      return false;
    }
    if (before === after) return false;
    this.documents.set(key, after);
    this.projects.refile(before, after);
    this.graveyard.set(key, after.abandoned ?? []);
    this.hinted.set(key, hintsOf(after));
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
    this.projects.refile(document, undefined);
    this.graveyard.remove(key);
    this.hinted.remove(key);
    this.words(document.namespace).remove(key);
    for (const space of this.#spaces()) await space.drop(document);
  }

  #applyToRest(event: Recorded<DomainEvent>): void {
    if (event.type !== 'EmbeddingModelChanged') return;
    this.#modelInLog = { id: event.data.to, name: event.data.name, dimension: event.data.dimension };
    this.#switching = this.#switching
      .then(() => this.#serve())
      .catch((error) => this.#parts.onTrouble('a vector space could not be loaded', error));
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
    // While the log is still being read, what it left then may be what it came back to.
    if (old && this.progress.everCaughtUp) await this.#parts.retireVectors?.(old.model.id);
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
