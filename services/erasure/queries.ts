import type { Redis } from 'iovalkey';
import type { Keys } from '../../projections/keys.js';
import { textsOf } from '../queries/recall-notes.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import { createMatcher, type Matcher } from './matcher.js';
import type { Needle } from './needles.js';

/** Days for which the texts of queries are kept. */
export const QUERY_TEXT_DAYS = 30;

const DAY_MS = 86_400_000;
const PAGE = 1_000;
/** Pieces that are looked for at once, in about 8 MB: those of some thousand memories. */
const MOST_PIECES = 20_000;

export type QueryTextsParts = { readonly redis: Redis; readonly keys: Keys; readonly now: () => number };

/**
 * The texts of recalls' queries, during one forgetting of any number of steps. Those that hold a piece of what is erased are
 * dropped, whatever the recall showed: one that was asked before the memory was there, or of another namespace, showed it to
 * nobody. Before the erasure, since whoever goes on after a crash knows of no piece; and after each step, when somebody asked
 * meanwhile. All texts are read once for as many memories as there is room for their pieces; from then on only new ones are.
 */
export class QueryTexts {
  readonly #parts: QueryTextsParts;
  readonly #room: number;
  /** What is looked for, by its bytes, and the memories it is all of. */
  #pieces = new Map<string, Needle>();
  #memories = new Set<string>();
  #matcher: Matcher | undefined;
  /** The newest recall whose text was looked at. */
  #seen: string | undefined;

  /** `room`: pieces looked for at once. `now` in epoch milliseconds. */
  constructor(parts: QueryTextsParts, room = MOST_PIECES) {
    this.#parts = parts;
    this.#room = room;
  }

  /**
   * Prepares for steps to come, each given by its memories: drops what holds a piece of them, as far as there is room; nothing
   * where that was done already. Throws UNAVAILABLE, and what `piecesOf` throws.
   */
  async ahead(steps: readonly (readonly string[])[], piecesOf: (memories: readonly string[]) => Promise<readonly Needle[]>): Promise<void> {
    // One step is as well looked for when it is taken.
    if (steps.length < 2 || steps[0]?.every((memory) => this.#memories.has(memory))) return;
    this.#forget();
    const isAnyKept = (await this.#days()).length > 0;
    for (const step of steps) {
      if (this.#pieces.size >= this.#room) break;
      if (isAnyKept) this.#add((await piecesOf(step)).map(folded));
      for (const memory of step) this.#memories.add(memory);
    }
    if (this.#pieces.size > 0) await this.#dropAll([...this.#pieces.values()]);
  }

  /** Takes one step, which erases what these are pieces of. Throws UNAVAILABLE, and what `erase` throws. */
  async erasing<Answer>(needles: readonly Needle[], erase: () => Promise<Answer>): Promise<Answer> {
    if (needles.length === 0) return erase();
    const sought = needles.map(folded);
    const isNew = (needle: Needle): boolean => !this.#pieces.has(nameOf(needle));
    if (this.#pieces.size >= this.#room && sought.some(isNew)) this.#forget();
    const added = this.#add(sought);
    if (added.length > 0) await this.#dropAll(added);
    if (added.length < this.#pieces.size) await this.#dropNew();
    const answer = await erase();
    await this.#dropNew();
    return answer;
  }

  #forget(): void {
    this.#pieces.clear();
    this.#memories.clear();
    this.#matcher = undefined;
  }

  /** Gives those that are new. */
  #add(needles: readonly Needle[]): readonly Needle[] {
    const added: Needle[] = [];
    for (const needle of needles) {
      if (this.#pieces.has(nameOf(needle))) continue;
      this.#pieces.set(nameOf(needle), needle);
      added.push(needle);
    }
    if (added.length > 0) this.#matcher = undefined;
    return added;
  }

  /** The days of which texts are kept. From tomorrow: the clock of another process may be ahead. */
  async #days(): Promise<readonly string[]> {
    const { redis, keys, now } = this.#parts;
    const days = Array.from({ length: QUERY_TEXT_DAYS + 2 }, (_, i) => new Date(now() + (1 - i) * DAY_MS).toISOString().slice(0, 10));
    const kept = await unavailableWhenDown(() => Promise.all(days.map((day) => redis.exists(keys.recallTexts(day)))));
    return days.filter((_, i) => kept[i] === 1);
  }

  async #dropAll(needles: readonly Needle[]): Promise<void> {
    const { redis, keys } = this.#parts;
    const newest = (await unavailableWhenDown(() => redis.xrevrange(keys.recalls, '+', '-', 'COUNT', 1)))[0]?.[0];
    const days = await this.#days();
    if (days.length > 0) {
      const matcher = createMatcher(needles);
      for (const day of days) await dropOf(redis, keys.recallTexts(day), matcher);
    }
    // Of pieces that came later only the texts before them were read: what is seen is seen for all pieces.
    if (needles.length === this.#pieces.size) this.#seen = newest;
  }

  async #dropNew(): Promise<void> {
    const { redis, keys } = this.#parts;
    const recalls = await unavailableWhenDown(() =>
      redis.xrange(keys.recalls, this.#seen === undefined ? '-' : `(${this.#seen}`, '+', 'COUNT', PAGE),
    );
    const last = recalls.at(-1)?.[0];
    if (last === undefined) return;
    // So many that some may have left the stream again, while their texts are kept.
    if (recalls.length === PAGE) return this.#dropAll([...this.#pieces.values()]);
    const asked = recalls.map(([id, fields]) => ({ id, at: fields[fields.indexOf('at') + 1] ?? '' }));
    const texts = await unavailableWhenDown(() => textsOf(redis, keys, asked));
    this.#matcher ??= createMatcher([...this.#pieces.values()]);
    for (const [i, { id, at }] of asked.entries())
      if (holds(this.#matcher, texts[i])) await unavailableWhenDown(() => redis.hdel(keys.recallTexts(at.slice(0, 10)), id));
    this.#seen = last;
  }
}

/** Text is compared without regard to capital letters: who asks for something seldom writes it as it was said. */
const folded = ({ memory, bytes }: Needle): Needle => ({ memory, bytes: Buffer.from(bytes.toString('utf8').toLowerCase(), 'utf8') });

const nameOf = ({ bytes }: Needle): string => bytes.toString('latin1');

const holds = (matcher: Matcher, text = ''): boolean => matcher.in(Buffer.from(text.toLowerCase(), 'utf8')).size > 0;

const dropOf = async (redis: Redis, key: string, matcher: Matcher): Promise<void> => {
  let cursor = '0';
  do {
    const [next, page] = await unavailableWhenDown(() => redis.hscan(key, cursor, 'COUNT', PAGE));
    cursor = next;
    // Nearly always no text of a page holds anything: one look at all of them tells.
    if (!holds(matcher, page.filter((_, i) => i % 2 === 1).join('\0'))) continue;
    const holding = page.filter((_, i) => i % 2 === 0 && holds(matcher, page[i + 1]));
    if (holding.length > 0) await unavailableWhenDown(() => redis.hdel(key, ...holding));
  } while (cursor !== '0');
};
