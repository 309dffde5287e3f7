import type { Redis } from 'iovalkey';
import { createArguments, type IndexDefinition, VECTOR_FIELD } from './definition.js';
import { type IndexInfo, parseInfo } from './info.js';

/** The name under which a search gives the distance. It is left out unless RETURN names it. */
export const SCORE = 'score';

/** A document as a search returns it: its key and those of the asked fields that the hash has. */
export type Row = { readonly key: string; readonly fields: ReadonlyMap<string, Buffer> };

/** `total` is the number of candidates (at most k), or of matches when nothing is near anything. */
export type Found = { readonly total: number; readonly rows: readonly Row[] };

export type Nearest = {
  readonly index: string;
  /** `*` or a filter expression. */
  readonly filter: string;
  readonly vector: Float32Array;
  /** 1 to 10,000. */
  readonly k: number;
  readonly efRuntime?: number;
  readonly fields: readonly string[];
  /** Without one the server gives ten, whatever k is. */
  readonly limit: number | undefined;
  readonly timeoutMs?: number;
};

/** Names of all indexes of this database. */
export const listIndexes = async (redis: Redis): Promise<string[]> => ((await redis.call('FT._LIST')) as unknown[]).map(String);

export const readIndexInfo = async (redis: Redis, index: string): Promise<IndexInfo> => parseInfo(await redis.call('FT.INFO', index));

export const createIndex = async (redis: Redis, definition: IndexDefinition): Promise<void> => {
  const [command = '', ...args] = createArguments(definition);
  await redis.call(command, args);
};

/** The hashes stay. The command takes one argument and refuses any other. */
export const dropIndex = async (redis: Redis, index: string): Promise<void> => {
  await redis.call('FT.DROPINDEX', index);
};

/** The k nearest under the filter, nearest first; equal ones in any order. A time-out is an error, never a shorter answer. */
export const nearest = async (redis: Redis, { index, filter, vector, k, efRuntime, fields, limit, timeoutMs }: Nearest): Promise<Found> => {
  const ef = efRuntime === undefined ? '' : ` EF_RUNTIME ${efRuntime}`;
  const reply = await redis.callBuffer('FT.SEARCH', [
    index,
    `${filter}=>[KNN ${k} @${VECTOR_FIELD} $B${ef} AS ${SCORE}]`,
    ...whole(timeoutMs),
    ...['PARAMS', '2', 'B', bytesOf(vector)],
    ...['RETURN', String(fields.length), ...fields],
    ...(limit === undefined ? [] : ['LIMIT', '0', String(limit)]),
    ...['DIALECT', '2'],
  ]);
  return parseFound(reply);
};

/** Documents that pass a filter expression, in no order. */
export const matching = async (
  redis: Redis,
  { index, filter, fields, limit, timeoutMs }: Pick<Nearest, 'index' | 'filter' | 'fields' | 'timeoutMs'> & { readonly limit: number },
): Promise<Found> =>
  parseFound(
    await redis.callBuffer('FT.SEARCH', [
      ...[index, filter, ...whole(timeoutMs), 'RETURN', String(fields.length), ...fields],
      ...['LIMIT', '0', String(limit), 'DIALECT', '2'],
    ]),
  );

/** How many documents pass a filter expression, up to 100,000. */
export const countMatching = async (
  redis: Redis,
  { index, filter, timeoutMs }: Pick<Nearest, 'index' | 'filter' | 'timeoutMs'>,
): Promise<number> =>
  parseFound(await redis.callBuffer('FT.SEARCH', [index, filter, ...whole(timeoutMs), 'NOCONTENT', 'LIMIT', '0', '0'])).total;

/** With ALLSHARDS running out of time is an error; else it is a shorter answer that looks like any other. */
const whole = (timeoutMs: number | undefined): string[] => (timeoutMs === undefined ? [] : ['ALLSHARDS', 'TIMEOUT', String(timeoutMs)]);

/** Little-endian float32. The client would turn a typed array into text. */
export const bytesOf = (vector: Float32Array): Buffer => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);

const parseFound = (reply: unknown): Found => {
  const [total, ...items] = reply as [number, ...unknown[]];
  const rows: Row[] = [];
  for (let i = 0; i < items.length; i++) {
    const fields = items[i + 1];
    rows.push({ key: String(items[i]), fields: Array.isArray(fields) ? fieldsOf(fields as Buffer[]) : new Map() });
    if (Array.isArray(fields)) i++;
  }
  return { total: Number(total), rows };
};

const fieldsOf = (items: readonly Buffer[]): ReadonlyMap<string, Buffer> => {
  const fields = new Map<string, Buffer>();
  for (let i = 0; i + 1 < items.length; i += 2) fields.set(String(items[i]), items[i + 1] as Buffer);
  return fields;
};
