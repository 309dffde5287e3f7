import type { DomainEvent } from '../../domain/catalogue.js';
import type { LogEntry, Recorded } from '../../domain/envelope.js';
import { erases } from '../../domain/erasure.js';
import { ProjectDirectory } from '../../domain/project/directory.js';
import { isRecallable, projectOf } from '../../domain/project/key.js';
import { NAMESPACES, type Namespace } from '../../domain/vocabulary.js';
import type { LexicalIndex } from '../search/ports.js';
import { type Document, evolveDocument, hintsOf, searchableText } from './document.js';
import { GraveyardIndex } from './graveyard-index.js';
import { HintIndex } from './hint-index.js';
import type { KeptContents } from './index-snapshot.js';
import { subjectsWithText } from './log-pages.js';
import { ModelSpaces } from './model-spaces.js';
import type { RecallIndexParts } from './recall-index-parts.js';
import { VectorSpace } from './space.js';
import { SuppressedTopics } from './suppressed-topics.js';

type Parts = Omit<RecallIndexParts, 'log' | 'generation' | 'snapshot'>;

/** What recall searches, as the events of the log made it: documents, words, vectors, hints, dead ends, projects and topics. */
export class RecallContents {
  readonly documents = new Map<string, Document>();
  readonly hinted = new HintIndex();
  readonly graveyard = new GraveyardIndex();
  readonly projects = new ProjectDirectory();
  readonly degraded = new Set<string>();
  readonly spaces: ModelSpaces;
  readonly #parts: Parts;
  #lexical: ReadonlyMap<Namespace, LexicalIndex>;
  #suppressed = new SuppressedTopics();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#lexical = new Map(NAMESPACES.map((namespace) => [namespace, parts.createLexical()]));
    this.spaces = new ModelSpaces(parts, this.documents);
  }

  get suppressed(): SuppressedTopics {
    return this.#suppressed;
  }

  /** The word index of one namespace. */
  words(namespace: Namespace): LexicalIndex {
    const index = this.#lexical.get(namespace);
    if (!index) throw new Error(`no word index for ${namespace}`);
    return index;
  }

  /** Statistics of the word indexes, by namespace. */
  wordStats(): Readonly<Record<string, ReturnType<LexicalIndex['stats']>>> {
    return Object.fromEntries([...this.#lexical].map(([namespace, index]) => [namespace, index.stats()]));
  }

  /** Takes in a page of the log. `erasing` is called before an event that erases, even one that cannot be applied here. */
  async apply(page: readonly LogEntry<DomainEvent>[], erasing: () => Promise<void>): Promise<void> {
    // The vectors come while the words are taken in.
    const begun = new Map(this.spaces.all().map((space) => [space, space.read(subjectsWithText(page))]));
    for (const read of begun.values()) read.catch(() => undefined);
    const changed = new Set<string>();
    for (const entry of page) {
      if (entry.kind === 'fault' && entry.fault.subject) this.degraded.add(entry.fault.subject);
      if (entry.kind !== 'event') continue;
      if (erases(entry.event.type)) await erasing();
      if (this.degraded.has(entry.event.envelope.subject)) continue;
      this.#suppressed.apply(entry.event);
      const project = projectOf(entry.event.envelope.subject);
      if (project !== undefined) this.projects.apply(project, entry.event);
      if (isRecallable(entry.event.envelope.subject)) {
        if (await this.#applyToMemory(entry.event)) changed.add(entry.event.envelope.subject);
      } else if (entry.event.type === 'EmbeddingModelChanged') {
        const { to, name, dimension } = entry.event.data;
        this.spaces.turnTo({ id: to, name, dimension });
      }
    }
    for (const space of this.spaces.all())
      await space.load(
        [...changed].filter((key) => this.documents.has(key)),
        (key) => this.documents.get(key),
        begun.get(space),
      );
  }

  /** Returns whether the memory's text is new. */
  async #applyToMemory(event: Recorded<DomainEvent>): Promise<boolean> {
    const key = event.envelope.subject;
    const before = this.documents.get(key);
    const after = evolveDocument(before, event);
    const text = searchableText(event, after);
    if (!after) {
      await this.drop(key);
      return false;
    }
    if (before === after) return false;
    this.#file(before, after);
    if (text !== undefined) {
      this.words(after.namespace).upsert(key, text, after);
      if (before) for (const space of this.spaces.all()) await space.drop(before);
      return true;
    }
    this.words(after.namespace).setFacets(key, after);
    for (const space of this.spaces.all()) await space.setFacets(key, after);
    return false;
  }

  #file(before: Document | undefined, after: Document): void {
    this.documents.set(after.key, after);
    this.projects.refile(before, after);
    this.graveyard.set(after.key, after.abandoned ?? []);
    this.hinted.set(after.key, hintsOf(after));
  }

  /** Takes a memory out of everything. */
  async drop(key: string): Promise<void> {
    const document = this.documents.get(key);
    if (!document) return;
    this.documents.delete(key);
    this.projects.refile(document, undefined);
    this.graveyard.remove(key);
    this.hinted.remove(key);
    this.words(document.namespace).remove(key);
    for (const space of this.spaces.all()) await space.drop(document);
  }

  /** Empties everything, for a log that is to be read from its beginning. */
  async clear(): Promise<void> {
    for (const key of [...this.documents.keys()]) await this.drop(key);
    this.projects.restore([]);
    this.degraded.clear();
    this.#suppressed = new SuppressedTopics();
    this.spaces.forgetModel();
  }

  /** Takes what an earlier life of the process kept. Answers the memories whose vectors are not among it, for the cache to give. */
  restore({ documents, topics, projects, model, missing, indexes }: KeptContents): readonly string[] {
    const { redis, keys, createVectors, onVectorsRead = () => undefined } = this.#parts;
    const indexOf = (namespace: Namespace) => {
      const index = indexes.get(namespace);
      if (!index) throw new Error(`the snapshot lacks ${namespace}`);
      return index;
    };
    this.projects.restore(projects);
    for (const document of documents) this.#file(undefined, document);
    this.#lexical = new Map(NAMESPACES.map((namespace) => [namespace, indexOf(namespace).words]));
    this.#suppressed = new SuppressedTopics(topics);
    const vectorsOf = (dimension: number, namespace: Namespace) =>
      indexOf(namespace).vectors ?? createVectors(dimension, namespace, model.id);
    const elsewhere = [...indexes.values()].some(({ vectors }) => vectors === undefined);
    this.spaces.restore(new VectorSpace(model, redis, keys, vectorsOf, onVectorsRead));
    return elsewhere ? [...this.documents.keys()] : missing;
  }

  /** What is kept for the next life of the process; undefined unless whole and settled. */
  settledContent(): KeptContents | undefined {
    const { serving: space, building, modelInLog } = this.spaces;
    if (this.degraded.size > 0 || !space || building || space.model.id !== modelInLog?.id) return undefined;
    return {
      documents: [...this.documents.values()],
      topics: this.#suppressed.held,
      projects: this.projects.records(),
      model: space.model,
      missing: [...space.missing],
      indexes: new Map(NAMESPACES.map((namespace) => [namespace, { words: this.words(namespace), vectors: space.index(namespace) }])),
    };
  }
}
