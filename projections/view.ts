import type { Redis } from 'iovalkey';
import { withServing } from './generation.js';
import type { Keys } from './keys.js';
import { type Applied, type Projection, type Row, type Write, withFields } from './projection.js';

/** Which members of an ordered set. Bounds are inclusive and compare as bytes; `reverse` begins at the end. */
export type Range = {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly reverse?: boolean | undefined;
};

/** The rows of one read model by logical name, wherever they are kept: what queries are written against. */
export type View = {
  /** Hashes, in the order asked for; `{}` for one that is not there. One round trip. */
  readonly rows: (names: readonly string[]) => Promise<readonly Row[]>;
  /** Members of one set, by name. */
  readonly members: (name: string, range?: Range) => Promise<readonly string[]>;
  /** Sizes of sets, in the order asked for. One round trip. */
  readonly counts: (names: readonly string[]) => Promise<readonly number[]>;
};

/** Runs a read over the generation of a projection that serves, and once more when it was replaced meanwhile. */
export const readView = <T>(redis: Redis, keys: Keys, projection: Projection, read: (view: View) => Promise<T>): Promise<T> =>
  withServing(redis, keys, projection.name, (generation) => read(storedView(redis, keys, projection, generation)));

/** The rows of one generation in Valkey. */
export const storedView = (redis: Redis, keys: Keys, { name }: Projection, generation: number): View => {
  const key = (row: string): string => keys.row(name, generation, row);
  return {
    rows: (names) => Promise.all(names.map((row) => redis.hgetall(key(row)))),
    members: (row, { from, to, offset = 0, limit = -1, reverse = false } = {}) => {
      const [low, high] = [from === undefined ? '-' : `[${from}`, to === undefined ? '+' : `[${to}`];
      return reverse
        ? redis.zrevrangebylex(key(row), high, low, 'LIMIT', offset, limit)
        : redis.zrangebylex(key(row), low, high, 'LIMIT', offset, limit);
    },
    counts: (names) => Promise.all(names.map((row) => redis.zcard(key(row)))),
  };
};

/** A read model kept in the process, by the same `apply`: the view of an earlier moment, or of a test. */
export class ViewInMemory implements View {
  readonly #projection: Projection;
  readonly #rows = new Map<string, Row>();
  readonly #sets = new Map<string, Set<string>>();

  constructor(projection: Projection) {
    this.#projection = projection;
  }

  get name(): string {
    return this.#projection.name;
  }

  /** Takes in one more event; those that the projection does not handle leave it as it is. */
  apply(event: Applied): void {
    const { handles, reads } = this.#projection;
    if (handles !== 'all' && !handles.includes(event.type)) return;
    const rows = new Map((reads?.(event) ?? []).flatMap((name) => (this.#rows.has(name) ? [[name, this.#rows.get(name) ?? {}]] : [])));
    for (const write of this.#projection.apply(event, rows)) this.#write(write);
  }

  async rows(names: readonly string[]): Promise<readonly Row[]> {
    return names.map((name) => this.#rows.get(name) ?? {});
  }

  async members(name: string, { from, to, offset = 0, limit = -1, reverse = false }: Range = {}): Promise<readonly string[]> {
    const within = [...(this.#sets.get(name) ?? [])]
      .filter((member) => (from === undefined || compareBytes(member, from) >= 0) && (to === undefined || compareBytes(member, to) <= 0))
      .sort(compareBytes);
    const ordered = reverse ? within.reverse() : within;
    return ordered.slice(offset, limit < 0 ? undefined : offset + limit);
  }

  async counts(names: readonly string[]): Promise<readonly number[]> {
    return names.map((name) => this.#sets.get(name)?.size ?? 0);
  }

  #write(write: Write): void {
    switch (write.op) {
      case 'set': {
        const fields = withFields(this.#rows.get(write.row) ?? {}, write.fields);
        if (Object.keys(fields).length === 0) this.#rows.delete(write.row);
        else this.#rows.set(write.row, fields);
        break;
      }
      case 'del':
        this.#rows.delete(write.row);
        this.#sets.delete(write.row);
        break;
      case 'add':
        this.#sets.set(write.row, (this.#sets.get(write.row) ?? new Set()).add(write.member));
        break;
      case 'remove':
        this.#sets.get(write.row)?.delete(write.member);
        break;
    }
  }
}

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
