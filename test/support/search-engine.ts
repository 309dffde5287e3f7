import type { Redis } from 'iovalkey';
import type { Reply } from './resp.js';
import { type Field, type Matches, parseFilter, type Schema, type TagRules } from './search-query.js';

export type EngineOptions = {
  /** As MODULE LIST gives it. Default 1.2.1. */
  readonly version?: number;
  readonly tagRules?: TagRules;
  /** Milliseconds for which even an index over nothing says that it is being filled; about 100 of a real one. Default 0. */
  readonly youngMs?: number;
};

type Index = {
  readonly createdAt: number;
  readonly prefixes: readonly string[];
  readonly schema: Schema;
  readonly vector: { readonly field: string; readonly dimension: number; readonly attributes: ReadonlyMap<string, string> } | undefined;
};
type Hash = { readonly key: string; readonly fields: ReadonlyMap<string, Buffer> };
type Knn = { readonly k: number; readonly field: string; readonly query: Buffer; readonly alias: string };

/** Raised by the emulation, answered as an error. */
class Refusal extends Error {}

/**
 * An emulation of valkey-search over the hashes of a real server: what `test/fixtures/valkey-search` records of FT.CREATE,
 * FT.DROPINDEX, FT.INFO, FT._LIST and FT.SEARCH, by exact search. `search-engine.test.ts` holds it against the recordings.
 */
export class SearchEngine {
  readonly indexes = new Map<string, Index>();
  readonly requests: string[][] = [];
  /** Answers a command instead of the engine; undefined lets it through. */
  intercept: ((args: readonly string[]) => Reply | undefined) | undefined;
  /** Entries whose hash is gone or overwritten: returned with their score and nothing else. */
  readonly ghosts: Hash[] = [];
  /** Below 1 an index is still being filled, and searches see only that share of the hashes. */
  backfilled = 1;
  /** It is not filled further, since the server is above its maxmemory. */
  paused = false;
  /** Writes of a vector of another size, as FT.INFO counts them. */
  failures = 0;
  /** As the settings of the module give them: the most neighbours, the most looked at for them, the longest query. */
  readonly limits = { k: 10_000, ef: 1_000_000, queryBytes: 10_240 };
  #redis: Redis;
  #version: number;
  #rules: TagRules;
  #youngMs: number;

  constructor(redis: Redis, { version = 0x010201, tagRules = 'new', youngMs = 0 }: EngineOptions = {}) {
    this.#redis = redis;
    this.#version = version;
    this.#rules = tagRules;
    this.#youngMs = youngMs;
  }

  /** Undefined for what is no matter of the module. */
  async answer(args: readonly Buffer[]): Promise<Reply | undefined> {
    const words = args.map(String);
    const command = words[0]?.toUpperCase() ?? '';
    if (!command.startsWith('FT.') && !(command === 'MODULE' && words[1]?.toUpperCase() === 'LIST')) return undefined;
    this.requests.push(words);
    const intercepted = this.intercept?.(words);
    if (intercepted !== undefined) return intercepted;
    try {
      return await this.#run(command, words, args);
    } catch (error) {
      return { error: (error as Error).message };
    }
  }

  async #run(command: string, words: readonly string[], args: readonly Buffer[]): Promise<Reply> {
    const name = words[1] ?? '';
    switch (command) {
      case 'MODULE':
        return [['name', 'search', 'ver', this.#version, 'path', '<module path>', 'args', []]];
      case 'FT._LIST':
        return [...this.indexes.keys()].map((simple) => ({ simple }));
      case 'FT.CREATE':
        if (this.indexes.has(name)) throw new Refusal(`Index ${name} in database 0 already exists.`);
        this.indexes.set(name, parseCreate(words));
        return { simple: 'OK' };
      case 'FT.DROPINDEX':
        if (words.length !== 2) throw new Refusal("ERR wrong number of arguments for 'FT.DROPINDEX' command");
        this.#index(name);
        this.indexes.delete(name);
        return { simple: 'OK' };
      case 'FT.INFO':
        return this.#info(name, this.#index(name));
      case 'FT.SEARCH':
        return this.#search(this.#index(name), words, args);
      default:
        throw new Refusal(`ERR unknown command '${command}', with args beginning with: `);
    }
  }

  #index(name: string): Index {
    const index = this.indexes.get(name);
    if (!index) throw new Refusal(`Index with name '${name}' not found in database 0`);
    return index;
  }

  async #search(index: Index, words: readonly string[], args: readonly Buffer[]): Promise<Reply> {
    const options = parseOptions(words, args);
    const text = words[2] ?? '';
    const { queryBytes } = this.limits;
    if (Buffer.byteLength(text) > queryBytes) throw new Refusal(`Query string is too long, max length is ${queryBytes} bytes.`);
    const arrow = text.lastIndexOf('=>');
    const knn = arrow < 0 ? undefined : parseKnn(text.slice(arrow + 2), index, options.params, this.limits);
    if (!knn && /^\s*\(?\*?\)?\s*$/.test(text)) throw new Refusal('Invalid query string syntax');
    const matches = parseFilter(arrow < 0 ? text : text.slice(0, arrow), index.schema, this.#rules);
    const hashes = await this.#hashes(index);
    const found = knn ? this.#near(index, hashes, matches, knn) : hashes.filter(({ fields }) => matches(fields));
    const { offset, count } = options;
    const rows = found.slice(offset, offset + count);
    return [found.length, ...rows.flatMap((hash) => (options.nothing ? [hash.key] : [hash.key, contentOf(hash, options.fields)]))];
  }

  #near(index: Index, hashes: readonly Hash[], matches: Matches, { k, field, query, alias }: Knn): Hash[] {
    const size = 4 * (index.vector?.dimension ?? 0);
    if (query.length !== size)
      throw new Refusal(
        `Error parsing vector similarity query: query vector blob size (${query.length}) does not match index's expected size (${size}).`,
      );
    const near = [...hashes, ...this.ghosts]
      .filter(({ fields }) => fields.get(field)?.length === size && matches(fields))
      .map((hash) => ({ hash, score: distance(hash.fields.get(field) as Buffer, query) }))
      // Equal ones in an order that nobody expects.
      .sort((a, b) => a.score - b.score || (a.hash.key < b.hash.key ? 1 : -1))
      .slice(0, k);
    return near.map(({ hash, score }) => ({
      key: hash.key,
      fields: new Map([[alias, Buffer.from(spelt(score))], ...(this.ghosts.includes(hash) ? [] : hash.fields)]),
    }));
  }

  async #hashes({ prefixes }: Index): Promise<Hash[]> {
    const keys = (await this.#redis.keys('*')).filter((key) => prefixes.some((prefix) => key.startsWith(prefix))).sort();
    const seen = keys.slice(0, Math.floor(this.backfilled * keys.length));
    const replies = await Promise.allSettled(seen.map((key) => this.#redis.callBuffer('HGETALL', key) as Promise<Buffer[]>));
    return replies.flatMap((reply, i) => (reply.status === 'fulfilled' ? [{ key: seen[i] as string, fields: pairs(reply.value) }] : []));
  }

  async #info(name: string, index: Index): Promise<Reply> {
    const hashes = await this.#hashes(index);
    const attributes = [...index.schema].map(([field, { type, separator, caseSensitive }]): Reply => {
      const head = [...words('identifier'), ...words(field), ...words('attribute'), ...words(field), ...words('user_indexed_memory'), 0];
      if (type === 'NUMERIC') return [...head, ...words('type NUMERIC size'), '0'];
      if (type === 'TAG')
        return [
          ...head,
          ...words('type TAG SEPARATOR'),
          { simple: separator },
          ...words('CASESENSITIVE'),
          { simple: caseSensitive ? '1' : '0' },
          ...words('size'),
          '0',
        ];
      const { dimension = 0, attributes } = index.vector ?? {};
      const algorithm = [...words('name HNSW m'), Number(attributes?.get('M') ?? 16), ...words('ef_construction')];
      algorithm.push(
        Number(attributes?.get('EF_CONSTRUCTION') ?? 200),
        ...words('ef_runtime'),
        Number(attributes?.get('EF_RUNTIME') ?? 10),
      );
      const metric = words(`distance_metric ${attributes?.get('DISTANCE_METRIC')} size`);
      const graph = [
        ...words('capacity'),
        10240,
        ...words('dimensions'),
        dimension,
        ...metric,
        '0',
        ...words('data_type FLOAT32 algorithm'),
        algorithm,
      ];
      return [...head, ...words('type VECTOR index'), graph];
    });
    const ready = this.backfilled >= 1 && performance.now() >= index.createdAt + this.#youngMs;
    return [
      ...words('index_name'),
      { simple: name },
      ...words('index_definition'),
      [...words('key_type HASH prefixes'), index.prefixes.map((simple) => ({ simple })), ...words('default_score'), '1'],
      ...words('attributes'),
      attributes.reverse(),
      ...words('num_docs'),
      hashes.length,
      ...words('hash_indexing_failures'),
      String(this.failures),
      ...words('backfill_in_progress'),
      ready ? '0' : '1',
      ...words('backfill_complete_percent'),
      this.backfilled.toFixed(6),
      ...words(`mutation_queue_size`),
      '0',
      ...words(`state ${ready ? 'ready' : this.paused ? 'backfill_paused_by_oom' : 'backfill_in_progress'}`),
    ];
  }
}

const words = (text: string): Reply[] => text.split(' ').map((simple) => ({ simple }));

const pairs = (items: readonly Buffer[]): ReadonlyMap<string, Buffer> =>
  new Map(items.flatMap((name, i) => (i % 2 === 0 ? [[String(name), items[i + 1] as Buffer] as const] : [])));

const parseCreate = (words: readonly string[]): Index => {
  const text = words.slice(2).map((word) => word.toUpperCase());
  if (text[0] !== 'ON' || text[1] !== 'HASH' || text[2] !== 'PREFIX') throw new Refusal('this emulation wants ON HASH PREFIX');
  const count = Number(words[5]);
  if (text[4 + count] !== 'SCHEMA') throw new Refusal(`Invalid field: ${words[6 + count]}`);
  const schema = new Map<string, Field>();
  let vector: Index['vector'];
  for (let i = 7 + count; i < words.length; ) {
    const name = words[i] ?? '';
    const type = words[i + 1]?.toUpperCase();
    i += 2;
    if (type === 'VECTOR') {
      const size = Number(words[i + 1]);
      const attributes = new Map<string, string>();
      for (let j = i + 2; j < i + 2 + size; j += 2) attributes.set((words[j] ?? '').toUpperCase(), words[j + 1] ?? '');
      for (const needed of ['TYPE', 'DIM', 'DISTANCE_METRIC'])
        if (!attributes.has(needed)) throw new Refusal(`Invalid field type for field \`${name}\`: Missing ${needed} parameter.`);
      vector = { field: name, dimension: Number(attributes.get('DIM')), attributes };
      schema.set(name, { type: 'VECTOR', separator: '', caseSensitive: false });
      i += 2 + size;
      continue;
    }
    if (type !== 'TAG' && type !== 'NUMERIC') throw new Refusal(`Invalid field type for field \`${name}\`: Unknown argument \`${type}\``);
    let [separator, caseSensitive] = [',', false];
    for (let option = words[i]?.toUpperCase(); option === 'SEPARATOR' || option === 'CASESENSITIVE'; option = words[i]?.toUpperCase()) {
      if (option === 'CASESENSITIVE') caseSensitive = true;
      else separator = words[++i] ?? ',';
      i++;
    }
    schema.set(name, { type, separator, caseSensitive });
  }
  return { createdAt: performance.now(), prefixes: words.slice(6, 6 + count), schema, vector };
};

type Options = {
  nothing: boolean;
  /** Undefined: all. */
  fields: readonly (readonly [field: string, as: string])[] | undefined;
  offset: number;
  count: number;
  readonly params: Map<string, Buffer>;
};

const parseOptions = (words: readonly string[], args: readonly Buffer[]): Options => {
  const options: Options = { nothing: false, fields: undefined, offset: 0, count: 10, params: new Map() };
  for (let i = 3; i < words.length; i++) {
    const option = words[i]?.toUpperCase();
    const size = Number(words[i + 1]);
    switch (option) {
      case 'NOCONTENT':
        options.nothing = true;
        break;
      case 'ALLSHARDS':
      case 'VERBATIM':
        break;
      case 'RETURN':
        options.fields = parseReturn(words.slice(i + 2, i + 2 + size));
        if (i + 1 + size >= words.length) throw new Refusal('Error parsing value for the parameter `RETURN` - Missing argument');
        options.nothing ||= size === 0;
        i += 1 + size;
        break;
      case 'LIMIT':
        [options.offset, options.count] = [size, Number(words[i + 2])];
        if (options.count < 0)
          throw new Refusal(`Error parsing value for the parameter \`LIMIT\` - \`${words[i + 2]}\` is outside acceptable bounds`);
        i += 2;
        break;
      case 'PARAMS':
        for (let j = i + 2; j < i + 2 + size; j += 2) options.params.set(words[j] ?? '', args[j + 1] as Buffer);
        i += 1 + size;
        break;
      case 'TIMEOUT':
        if (size > 60_000) throw new Refusal('TIMEOUT must be a positive integer greater than 0 and cannot exceed 60000.');
        if (!(size >= 0)) throw new Refusal(`Error parsing value for the parameter \`TIMEOUT\``);
        i++;
        break;
      case 'DIALECT':
        if (size < 2 || size > 4) throw new Refusal('DIALECT requires a non negative integer >=2 and <= 4');
        i++;
        break;
      default:
        throw new Refusal(`Unexpected argument \`${words[i]}\``);
    }
  }
  return options;
};

const parseReturn = (words: readonly string[]): (readonly [string, string])[] => {
  const fields: [string, string][] = [];
  for (let i = 0; i < words.length; i++) {
    const as = words[i + 1]?.toUpperCase() === 'AS';
    fields.push([words[i] ?? '', (as ? words[i + 2] : words[i]) ?? '']);
    if (as) i += 2;
  }
  return fields;
};

const parseKnn = (text: string, index: Index, params: ReadonlyMap<string, Buffer>, limits: SearchEngine['limits']): Knn => {
  const clause = /^\s*\[\s*KNN\s+(\S+)\s+@(\S+)\s+\$(\w+)(.*?)\]\s*$/is.exec(text);
  if (!clause) throw new Refusal(`Error parsing vector similarity parameters: \`${text}\``);
  const [, size = '', field = '', blob = '', rest = ''] = clause;
  const used = new Set([blob]);
  const value = (word: string): number => {
    if (word.startsWith('$')) used.add(word.slice(1));
    return Number(word.startsWith('$') ? params.get(word.slice(1))?.toString() : word);
  };
  const [k, ef] = [value(size), value(/EF_RUNTIME\s+(\S+)/i.exec(rest)?.[1] ?? '10')];
  checkRange(ef, limits.ef, '`EF_RUNTIME`');
  checkRange(k, limits.k, 'KNN parameter');
  for (const name of params.keys()) if (!used.has(name)) throw new Refusal(`Parameter \`${name}\` not used.`);
  if (index.schema.get(field)?.type !== 'VECTOR') throw new Refusal(`Index field \`${field}\` is not a Vector index`);
  return { k, field, query: params.get(blob) ?? Buffer.alloc(0), alias: /\bAS\s+(\S+)/i.exec(rest)?.[1] ?? `__${field}_score` };
};

const checkRange = (value: number, most: number, what: string): void => {
  if (value >= 1 && value <= most) return;
  const side = value > most ? 'Value above maximum' : 'Value below minimum';
  throw new Refusal(`Invalid range: ${side}; ${what} must be a positive integer greater than 0 and cannot exceed ${most}.`);
};

const contentOf = ({ fields }: Hash, wanted: Options['fields']): Reply =>
  wanted ? wanted.flatMap(([field, as]) => (fields.has(field) ? [as, fields.get(field) as Buffer] : [])) : [...fields].flat();

/** 1 - cosine; 1 for a zero vector. */
const distance = (stored: Buffer, query: Buffer): number => {
  let [dot, a, b] = [0, 0, 0];
  for (let i = 0; i < query.length; i += 4) {
    const [x, y] = [stored.readFloatLE(i), query.readFloatLE(i)];
    dot += x * y;
    a += x * x;
    b += y * y;
  }
  return a === 0 || b === 0 ? 1 : 1 - dot / Math.sqrt(a * b);
};

const spelt = (score: number): string => (Number.isNaN(score) ? 'nan' : String(Number(score.toPrecision(12))));
