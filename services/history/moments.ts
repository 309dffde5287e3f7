import { DomainError } from '../../domain/errors.js';
import { type Cut, nameOf } from '../../projections/history/cut.js';
import { MergedEvents } from '../../projections/history/merged.js';
import type { QueryParts } from '../queries/parts.js';
import { Moment } from './moment.js';
import type { Resolved } from './when.js';

export type MomentsOptions = {
  /** Moments kept at once. Default 4. */
  readonly most?: number;
  /** Bytes they may take together, about; a moment larger than that is not kept. Default 512 MiB. */
  readonly mostBytes?: number;
  /** Milliseconds without a question after which a moment is dropped. Default five minutes. */
  readonly idleMs?: number;
};

type Kept = { readonly erasures: number; readonly moment: Moment; idle: NodeJS.Timeout | undefined };

const ATTEMPTS = 5;

/** The moments that were asked for lately, least recently used first. They are built one at a time, so that memory is bounded. */
export class Moments {
  readonly merged: MergedEvents;
  #parts: QueryParts;
  #options: Required<MomentsOptions>;
  #kept = new Map<string, Kept>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: QueryParts, options: MomentsOptions = {}) {
    this.#parts = parts;
    this.#options = { most: 4, mostBytes: 512 * 1024 * 1024, idleMs: 5 * 60_000, ...options };
    this.merged = new MergedEvents(parts.redis, parts.keys);
  }

  /** How many are kept. */
  get size(): number {
    return this.#kept.size;
  }

  /**
   * Asks the state of a moment. Where something was erased meanwhile it is asked again, so no answer shows what is gone;
   * throws UNAVAILABLE when that goes on.
   */
  async ask<T>({ cut, erasures: first }: Resolved, question: (moment: Moment) => Promise<T>): Promise<T> {
    let erasures = first;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const number = erasures;
      const moment = (await this.#known(cut, number)) ?? (await this.#inTurn(() => this.#built(cut, number)));
      const answer = await question(moment);
      erasures = await this.#parts.log.erasures();
      if (erasures === number) return answer;
    }
    throw new DomainError('UNAVAILABLE', 'Memories kept being forgotten meanwhile', 'Try again when that is done');
  }

  /** Drops everything. */
  clear(): void {
    for (const name of [...this.#kept.keys()]) this.#drop(name);
  }

  async #known(cut: Cut, erasures: number): Promise<Moment | undefined> {
    const name = nameOf(cut);
    const kept = this.#kept.get(name);
    if (!kept) return undefined;
    if (kept.erasures === erasures && (await kept.moment.suits(this.#parts))) {
      this.#keep(name, kept);
      return kept.moment;
    }
    this.#drop(name);
    return undefined;
  }

  async #built(cut: Cut, erasures: number): Promise<Moment> {
    const known = await this.#known(cut, erasures);
    if (known) return known;
    const moment = await Moment.build(this.#parts, cut);
    this.#keep(nameOf(cut), { erasures, moment, idle: undefined });
    return moment;
  }

  #keep(name: string, kept: Kept): void {
    clearTimeout(kept.idle);
    kept.idle = setTimeout(() => this.#drop(name), this.#options.idleMs).unref();
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    const tooMuch = (): boolean => {
      const bytes = [...this.#kept.values()].reduce((sum, { moment }) => sum + moment.bytes, 0);
      return this.#kept.size > this.#options.most || bytes > this.#options.mostBytes;
    };
    for (const eldest of [...this.#kept.keys()]) if (tooMuch()) this.#drop(eldest);
  }

  #drop(name: string): void {
    const kept = this.#kept.get(name);
    if (!kept) return;
    clearTimeout(kept.idle);
    this.#kept.delete(name);
    void kept.moment.close();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.catch(() => undefined).then(work);
    this.#turn = done;
    return done;
  }
}

const momentsOfParts = new WeakMap<QueryParts, Moments>();

/** The moments of an app, which live as long as it does. */
export const momentsOf = (parts: QueryParts): Moments => {
  const known = momentsOfParts.get(parts) ?? new Moments(parts);
  momentsOfParts.set(parts, known);
  return known;
};
