import type { DomainEvent } from '../../domain/catalogue.js';
import { comparePositions, type LogEntry, ORIGIN, type Position, positionOf } from '../../domain/envelope.js';
import type { ProjectDirectory } from '../../domain/project/directory.js';
import type { Namespace } from '../../domain/vocabulary.js';
import { identify } from '../batch.js';
import { createPages, type Pages } from '../pages.js';
import type { LexicalIndex } from '../search/ports.js';
import { Announcements } from './announcements.js';
import type { Document } from './document.js';
import type { GraveyardIndex } from './graveyard-index.js';
import type { HintIndex } from './hint-index.js';
import { type IndexContent, IndexSnapshot, WORTH_SAVING, waitingForGraphs } from './index-snapshot.js';
import { entriesOf } from './log-pages.js';
import { Progress } from './progress.js';
import { RecallContents } from './recall-contents.js';
import { notToBeReplaced, type RecallIndexParts, SUCCESSION_MS } from './recall-index-parts.js';
import type { Model, VectorSpace } from './space.js';
import type { Suppressed } from './suppressed-topics.js';

const PAGE = 500;
const IDLE_MS = 1_000;
const BACKOFF_MS = 250;

/**
 * The in-process view that recall searches: documents, words and vectors, kept by following the log from its beginning.
 * Everything in it can be read again from the log and the vector cache; a snapshot only spares a start the reading.
 */
export class RecallIndex {
  readonly progress = new Progress();
  readonly snapshot: IndexSnapshot | undefined;
  #parts: RecallIndexParts;
  #contents: RecallContents;
  #announcements: Announcements;
  #pages: Pages;
  #stopping = new AbortController();
  #running: Promise<void> | undefined;
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
    this.#contents = new RecallContents(parts);
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
    const stopped = this.#contents.spaces.stop();
    await this.#running;
    await stopped;
    await this.#save().catch((error) => this.#parts.onTrouble('the recall index could not be kept for the next start', error));
    await this.#contents.spaces.close();
  }

  get documents(): ReadonlyMap<string, Document> {
    return this.#contents.documents;
  }

  /** Deprioritised memories that a hint may bring back, however little their text is like the query. */
  get hinted(): HintIndex {
    return this.#contents.hinted;
  }

  /** What was tried and given up. */
  get graveyard(): GraveyardIndex {
    return this.#contents.graveyard;
  }

  /** Which projects there are, and which names count as one. */
  get projects(): ProjectDirectory {
    return this.#contents.projects;
  }

  /** Subjects with an entry that could not be read; they stay as they were before it. */
  get degraded(): ReadonlySet<string> {
    return this.#contents.degraded;
  }

  /** The vector space that recall serves from: the one the log last named, once its vectors are loaded here. */
  get serving(): VectorSpace | undefined {
    return this.#contents.spaces.serving;
  }

  get building(): VectorSpace | undefined {
    return this.#contents.spaces.building;
  }

  /** The model the log names; it may still be loading here. */
  get modelInLog(): Model | undefined {
    return this.#contents.spaces.modelInLog;
  }

  get suppressed(): Suppressed {
    return this.#contents.suppressed;
  }

  /** The word index of one namespace. */
  words(namespace: Namespace): LexicalIndex {
    return this.#contents.words(namespace);
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
      lexical: this.#contents.wordStats(),
      vectors: this.serving && { model: this.serving.model.id, ...this.serving.stats() },
    };
  }

  /** Builds the space of another model beside the serving one, from the cache; it serves once the log names it. */
  prepare(model: Model): Promise<VectorSpace> {
    return this.#contents.spaces.prepare(model);
  }

  /**
   * Puts what `other` made of the same log, from its beginning, in the place of what is here, between two pages; `other` stops
   * following, and closing it closes what was here. Throws CONFLICT when it lacks the vectors that serve here, or a move to
   * another model is under way.
   */
  replaceWith(other: RecallIndex): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#succession = () => this.#inherit(other).then(resolve, reject);
    });
  }

  async #inherit(other: RecallIndex): Promise<void> {
    this.#succession = undefined;
    const old = this.#contents.spaces;
    await Promise.all([old.settled(), other.progress.waitFor(this.progress.position, SUCCESSION_MS)]);
    other.#stopping.abort();
    await other.#running;
    await other.settled();
    for (const { model, memories } of await other.#announcements.read()) await other.vectorsFilled(model, memories);
    const behind = comparePositions(other.progress.position, this.progress.position) < 0;
    if (behind || old.building || old.serving?.model.id !== other.serving?.model.id) throw notToBeReplaced();
    [this.#contents, other.#contents] = [other.#contents, this.#contents];
    this.#lastEventId = other.#lastEventId;
    this.#readSinceSnapshot += other.#readSinceSnapshot;
    this.progress.reached(other.progress.position);
  }

  /** Takes in vectors that were filled in for these memories after their events. */
  vectorsFilled(model: string, memories: readonly string[]): Promise<void> {
    return this.#contents.spaces.filled(model, memories);
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
        this.#contents.spaces.caughtUp();
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
    await this.#contents.clear();
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
      this.#contents.degraded.delete(subject);
      await this.#contents.drop(subject);
    }
    for await (const page of entriesOf(this.#parts.log, subjects, this.progress.position, PAGE)) await this.#apply(page);
  }

  async #apply(page: readonly LogEntry<DomainEvent>[]): Promise<void> {
    // The file holds the words of what is erased, whatever this index makes of the event.
    await this.#contents.apply(page, () => this.#forgetSnapshot());
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

  async #takeOver({ position, eventId, ...kept }: IndexContent): Promise<void> {
    const elsewhere = this.#contents.restore(kept);
    this.#lastEventId = eventId;
    this.#graphsLacked = waitingForGraphs(kept.indexes);
    this.progress.reached(position);
    await this.vectorsFilled(kept.model.id, elsewhere);
  }

  /** Only a whole and settled index is kept: nothing degraded, no move to another model under way. */
  async #save(): Promise<void> {
    const [kept, eventId] = [this.#contents.settledContent(), this.#lastEventId];
    if (!this.snapshot || !kept || !eventId) return;
    const gained = this.#readSinceSnapshot + Math.max(0, this.#graphsLacked - waitingForGraphs(kept.indexes));
    if (gained < (this.#parts.snapshot?.worth ?? WORTH_SAVING)) return;
    await this.snapshot.save({ ...kept, position: this.progress.position, eventId });
  }

  /** Resolves when a switch of models that the log has named is done here. */
  settled(): Promise<void> {
    return this.#contents.spaces.settled();
  }

  /** Position up to which everything is searchable here. */
  get position(): Position {
    return this.progress.position;
  }
}
