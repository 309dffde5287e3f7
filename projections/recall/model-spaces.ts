import type { Document } from './document.js';
import type { RecallIndexParts } from './recall-index-parts.js';
import { type Model, VectorSpace } from './space.js';

type Parts = Pick<RecallIndexParts, 'redis' | 'keys' | 'createVectors' | 'retireVectors' | 'onVectorsRead' | 'onTrouble'>;

/** The vector spaces of one index: the one that serves, and that of another model while it is made beside it. */
export class ModelSpaces {
  readonly #parts: Parts;
  readonly #documents: ReadonlyMap<string, Document>;
  #serving: VectorSpace | undefined;
  #building: VectorSpace | undefined;
  #modelInLog: Model | undefined;
  #switching: Promise<void> = Promise.resolve();
  #caughtUp = false;
  #closing = false;

  constructor(parts: Parts, documents: ReadonlyMap<string, Document>) {
    this.#parts = parts;
    this.#documents = documents;
  }

  /** The space that recall serves from: the one the log last named, once its vectors are loaded here. */
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

  all(): readonly VectorSpace[] {
    return [this.#serving, this.#building].filter((space) => space !== undefined);
  }

  /** Builds the space of another model beside the serving one, from the cache; it serves once the log names it. */
  async prepare(model: Model): Promise<VectorSpace> {
    if (this.#serving?.model.id === model.id) return this.#serving;
    if (this.#building?.model.id === model.id) return this.#building;
    await this.#building?.close();
    const { redis, keys, createVectors, onVectorsRead = () => undefined } = this.#parts;
    const space = new VectorSpace(model, redis, keys, createVectors, onVectorsRead);
    this.#building = space;
    await space.load([...this.#documents.keys()], (key) => this.#documents.get(key));
    return space;
  }

  /** The log names another model: its space serves once it is loaded, and the old one until then. */
  turnTo(model: Model): void {
    this.#modelInLog = model;
    this.#switching = this.#switching
      .then(() => this.#serve(model))
      .catch((error) => this.#parts.onTrouble('a vector space could not be loaded', error));
  }

  async #serve(model: Model): Promise<void> {
    const named = (): boolean => this.#modelInLog?.id === model.id;
    if (!named() || this.#serving?.model.id === model.id || this.#closing) return;
    const space = await this.prepare(model);
    if (!named()) return;
    const old = this.#serving;
    this.#serving = space;
    if (this.#building === space) this.#building = undefined;
    await old?.close();
    // While the log is still being read, what it left then may be what it came back to.
    if (old && this.#caughtUp) await this.#parts.retireVectors?.(old.model.id);
  }

  /** The log was read to its end: a model that it leaves from here on is left for good. */
  caughtUp(): void {
    this.#caughtUp = true;
  }

  /** Serves from a space that an earlier life of the process kept; its vectors are loaded by `filled`. */
  restore(space: VectorSpace): void {
    this.#modelInLog = space.model;
    this.#serving = space;
  }

  /** The log that named a model is gone; what serves does so until another names one. */
  forgetModel(): void {
    this.#modelInLog = undefined;
  }

  /** Takes in the vectors that the cache has by now of these memories. */
  async filled(model: string, memories: readonly string[]): Promise<void> {
    for (const space of this.all()) if (space.model.id === model) await space.load(memories, (key) => this.#documents.get(key));
  }

  /** Resolves when a switch of models that the log has named is done. */
  settled(): Promise<void> {
    return this.#switching;
  }

  async close(): Promise<void> {
    for (const space of this.all()) await space.close();
  }

  /** No switch begins any more; one that goes on ends first. */
  async stop(): Promise<void> {
    this.#closing = true;
    await this.#switching;
  }
}
