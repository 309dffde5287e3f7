import { readName, readQuery, speaksOf } from '../../domain/graveyard/match.js';
import type { Abandoned } from '../../domain/memory/events.js';

/** A dead end and the memory that carries it. */
export type DeadEnd = { readonly key: string; readonly approach: Abandoned };

/**
 * What was given up, by what it is called: a part of the recall index, so it follows the log in every process and answers
 * without asking the server. Names are looked up by stretches of the question's words; none is gone through.
 */
export class GraveyardIndex {
  readonly #deadEnds = new Map<string, readonly Abandoned[]>();
  /** What a name, or a part of it, is found under, to the memories whose dead ends have it. */
  readonly #carriers = new Map<string, Set<string>>();

  /** Memories that carry a dead end. */
  get size(): number {
    return this.#deadEnds.size;
  }

  /** Replaces what a memory carries; an empty list takes it out. */
  set(key: string, approaches: readonly Abandoned[]): void {
    const before = this.#deadEnds.get(key);
    if (before === approaches || (before === undefined && approaches.length === 0)) return;
    for (const found of placesOf(before ?? [])) this.#leave(found, key);
    this.#deadEnds.delete(key);
    if (approaches.length === 0) return;
    this.#deadEnds.set(key, approaches);
    for (const found of placesOf(approaches)) this.#carriers.set(found, (this.#carriers.get(found) ?? new Set()).add(key));
  }

  remove(key: string): void {
    this.set(key, []);
  }

  /** The dead ends that a question speaks of, newest first. */
  find(question: string): readonly DeadEnd[] {
    if (this.#deadEnds.size === 0) return [];
    const query = readQuery(question);
    const carriers = new Set<string>();
    for (const place of [...query.stretches.keys(), ...query.about.map(partPlace)])
      for (const key of this.#carriers.get(place) ?? []) carriers.add(key);
    return [...carriers]
      .flatMap((key) => (this.#deadEnds.get(key) ?? []).map((approach) => ({ key, approach })))
      .filter(({ approach }) => speaksOf(query, readName(approach.name, approach.type)))
      .sort(newestFirst);
  }

  #leave(place: string, key: string): void {
    const carriers = this.#carriers.get(place);
    carriers?.delete(key);
    if (carriers?.size === 0) this.#carriers.delete(place);
  }
}

const placesOf = (approaches: readonly Abandoned[]): ReadonlySet<string> =>
  new Set(
    approaches
      .map(({ name, type }) => readName(name, type))
      .flatMap(({ keys, inside, beginnings }) => [...keys, ...[...inside, ...beginnings].map(partPlace)]),
  );

/** Parts of names are kept apart, since most words of a question are part of some name. */
const partPlace = (key: string): string => `>${key}`;

/** Ties go by key and name, so that one question has one answer. */
const newestFirst = (a: DeadEnd, b: DeadEnd): number =>
  compare(b.approach.attempted_at, a.approach.attempted_at) || compare(a.key, b.key) || compare(a.approach.name, b.approach.name);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
