import { beginningsOf, meetsHint, type ReadHint, readHint } from '../../domain/graveyard/hint.js';
import { readQuery } from '../../domain/graveyard/match.js';

/**
 * The hints that bring put-aside memories back, by what they are called: a part of the recall index, like the dead ends. A
 * question looks up its own stretches of words; the hints of other memories are not gone through.
 */
export class HintIndex {
  readonly #hints = new Map<string, { readonly given: readonly string[]; readonly read: readonly ReadHint[] }>();
  readonly #carriers = new Map<string, Set<string>>();

  /** Memories that a hint may bring back. */
  get size(): number {
    return this.#hints.size;
  }

  /** Replaces the hints of a memory; an empty list takes it out. */
  set(key: string, hints: readonly string[]): void {
    const before = this.#hints.get(key);
    if (before?.given === hints || (before === undefined && hints.length === 0)) return;
    for (const place of placesOf(before?.read ?? [])) this.#leave(place, key);
    this.#hints.delete(key);
    if (hints.length === 0) return;
    const read = hints.map(readHint);
    this.#hints.set(key, { given: hints, read });
    for (const place of placesOf(read)) this.#carriers.set(place, (this.#carriers.get(place) ?? new Set()).add(key));
  }

  remove(key: string): void {
    this.set(key, []);
  }

  /** Memories of which a hint is met by a question, in the order of their keys. */
  met(question: string): ReadonlySet<string> {
    if (this.#hints.size === 0) return NONE;
    const query = readQuery(question);
    const carriers = new Set<string>();
    for (const place of [...query.stretches.keys(), ...beginningsOf(query).map(partPlace)])
      for (const key of this.#carriers.get(place) ?? []) carriers.add(key);
    return new Set([...carriers].filter((key) => this.#hints.get(key)?.read.some((hint) => meetsHint(query, hint))).sort());
  }

  #leave(place: string, key: string): void {
    const carriers = this.#carriers.get(place);
    carriers?.delete(key);
    if (carriers?.size === 0) this.#carriers.delete(place);
  }
}

const NONE: ReadonlySet<string> = new Set();

const placesOf = (hints: readonly ReadHint[]): ReadonlySet<string> =>
  new Set(hints.flatMap(({ keys, inside }) => [...keys, ...inside.map(partPlace)]));

/** Parts of hints are kept apart, since most words of a question are part of some hint. */
const partPlace = (key: string): string => `>${key}`;
