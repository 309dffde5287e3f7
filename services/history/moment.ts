import { positionOf } from '../../domain/envelope.js';
import { DomainError, isDomainError } from '../../domain/errors.js';
import { boundedLog, entriesOf } from '../../projections/history/bounded-log.js';
import type { Cut } from '../../projections/history/cut.js';
import { foldRow } from '../../projections/history/fold.js';
import { Ledger } from '../../projections/history/ledger.js';
import { SievedVectorIndex } from '../../projections/history/sieved-vectors.js';
import { type MemoryRow, toMemory } from '../../projections/memories.js';
import type { Projection } from '../../projections/projection.js';
import { RecallIndex } from '../../projections/recall/recall-index.js';
import type { Model, VectorSpace } from '../../projections/recall/space.js';
import { InMemoryLexicalIndex } from '../../projections/search/lexical.js';
import { type View, ViewInMemory } from '../../projections/view.js';
import type { Embedder } from '../embedding/port.js';
import type { QueryParts } from '../queries/parts.js';
import type { Searched } from '../queries/rank.js';
import { storedRows } from '../queries/rows.js';
import { fillOldVectors } from './fill.js';

/** Bytes a memory takes here beside its vectors: its words, facets and places. Measured, about. */
const BYTES_PER_MEMORY = 2_500;
/** A vector's number: in full, and once more as a byte. */
const BYTES_PER_NUMBER = Float32Array.BYTES_PER_ELEMENT + 1;
const PATIENCE_MS = 600_000;

export type MomentParts = Pick<QueryParts, 'log' | 'redis' | 'keys' | 'index' | 'embedderFor' | 'onTrouble'>;

/** The vectors a moment is searched by. `named` is the model that served then, by the log. */
type Sight = { readonly named: Model | undefined; readonly space: VectorSpace | undefined; readonly embedder: Embedder | undefined };

/**
 * The state of one moment, in this process: the recall index over a log that ends there, searched exactly. It keeps no text;
 * rows are read when they are shown.
 */
export class Moment {
  readonly cut: Cut;
  readonly ledger: Ledger;
  #parts: MomentParts;
  #index: RecallIndex;
  #sight: Sight;
  #views = new Map<string, View>();

  private constructor(parts: MomentParts, cut: Cut, ledger: Ledger, index: RecallIndex, sight: Sight) {
    this.#parts = parts;
    this.cut = cut;
    this.ledger = ledger;
    this.#index = index;
    this.#sight = sight;
  }

  /** Replays the log up to the moment. Throws UNAVAILABLE when it cannot be read. */
  static async build(parts: MomentParts, cut: Cut): Promise<Moment> {
    const { log, redis, keys, onTrouble } = parts;
    const ledger = new Ledger();
    let failed: (error: unknown) => void = () => undefined;
    const failure = new Promise<never>((_, reject) => {
      failed = reject;
    });
    const index = new RecallIndex({
      log: boundedLog(log, cut, ledger, (error) => failed(error)),
      redis,
      keys,
      createLexical: () => new InMemoryLexicalIndex(),
      createVectors: (dimension) => new SievedVectorIndex(dimension),
      generation: async () => undefined,
      onTrouble: (message, error) => {
        onTrouble(message, error);
        failed(error);
      },
    });
    index.start();
    try {
      if ((await Promise.race([index.progress.waitFor('end', PATIENCE_MS), failure])) === 'late') throw tooLong();
      await index.settled();
      const sight = await chooseSight(parts, index);
      if (sight.space && sight.embedder)
        await fillOldVectors({ ...parts, documents: index.documents, ledger }, sight.space, sight.embedder);
      return new Moment(parts, cut, ledger, index, sight);
    } catch (error) {
      await index.close();
      throw error;
    }
  }

  /** What a ranking looks at. */
  get searched(): Searched {
    const { documents, graveyard, hinted, projects, suppressed } = this.#index;
    return {
      documents,
      graveyard,
      hinted,
      projects,
      suppressed,
      serving: this.#sight.space,
      words: (namespace) => this.#index.words(namespace),
    };
  }

  get sight(): Sight {
    return this.#sight;
  }

  /** Memories found by their words only, for want of a vector of their text of that moment. */
  get withoutVector(): number {
    return this.#sight.space?.missing.size ?? 0;
  }

  /** Whether it is searched by the vectors that would be chosen for it now. */
  async suits(parts: MomentParts): Promise<boolean> {
    const { named, space } = this.#sight;
    return (await chooseModel(parts, named))?.model.id === space?.model.id;
  }

  /**
   * Memories as they were, whole, in the order asked for: the present row where nothing has happened to it since, else folded
   * from the log. Those that were not there, or whose text is gone, are left out.
   */
  async rows(wanted: readonly string[]): Promise<ReadonlyMap<string, MemoryRow>> {
    const keys = wanted.filter((key) => this.ledger.placesOf(key).length > 0);
    const present = await presentRows(this.#parts, keys);
    const isUnchanged = (key: string): boolean => present.get(key)?.version === this.ledger.placesOf(key).length;
    const folded = await this.#folded(keys.filter((key) => !isUnchanged(key)));
    return new Map(
      keys.flatMap((key) => {
        const row = isUnchanged(key) ? present.get(key) : folded.get(key);
        return row ? [[key, row] as const] : [];
      }),
    );
  }

  async #folded(keys: readonly string[]): Promise<ReadonlyMap<string, MemoryRow>> {
    if (keys.length === 0) return new Map();
    const places = keys.flatMap((key) => this.ledger.placesOf(key));
    const entries = new Map((await this.#parts.log.at(places)).map((entry) => [positionOf(entry), entry]));
    return new Map(
      keys.flatMap((key) => {
        const memory = toMemory(key, foldRow(this.ledger.placesOf(key).flatMap((place) => entries.get(place) ?? [])));
        return memory ? [[key, memory] as const] : [];
      }),
    );
  }

  /** Read models as they were, by name: those that are asked for the first time are made in one reading of the log. */
  async views(projections: readonly Projection[]): Promise<ReadonlyMap<string, View>> {
    const missing = projections.filter(({ name }) => !this.#views.has(name)).map((projection) => new ViewInMemory(projection));
    if (missing.length > 0) {
      for await (const entry of entriesOf(this.#parts.log, this.cut, new Ledger())) {
        if (entry.kind === 'event') for (const view of missing) view.apply(entry.event);
      }
      for (const view of missing) this.#views.set(view.name, view);
    }
    return this.#views;
  }

  /** About how much memory it takes. */
  get bytes(): number {
    const space = this.#sight.space;
    const indexes = Object.values(space?.stats() ?? {});
    const vectors = indexes.reduce((sum, index) => sum + index.vectors * index.dimension * BYTES_PER_NUMBER, 0);
    return this.#index.documents.size * BYTES_PER_MEMORY + vectors;
  }

  close(): Promise<void> {
    return this.#index.close();
  }
}

/** None while the view is being built: the log has them all. */
const presentRows = async (parts: MomentParts, keys: readonly string[]): Promise<ReadonlyMap<string, MemoryRow>> => {
  try {
    return await storedRows(parts, keys);
  } catch (error) {
    if (isDomainError(error, 'UNAVAILABLE')) return new Map();
    throw error;
  }
};

const tooLong = (): DomainError =>
  new DomainError('UNAVAILABLE', 'The log could not be read up to that moment in ten minutes', 'Try again when the machine has less to do');

const chooseSight = async (parts: MomentParts, index: RecallIndex): Promise<Sight> => {
  const named = index.modelInLog;
  const chosen = await chooseModel(parts, named);
  if (!chosen) return { named, space: undefined, embedder: undefined };
  return { named, space: await index.prepare(chosen.model), embedder: chosen.embedder };
};

/** The model that served then, if its embedder is ready here; else the one that serves now. None where none served then. */
const chooseModel = async ({ index, embedderFor }: MomentParts, named: Model | undefined) => {
  if (!named) return undefined;
  for (const model of [named, index.serving?.model]) {
    const embedder = model && (await embedderFor(model.id));
    if (model && embedder) return { model, embedder };
  }
  return undefined;
};
