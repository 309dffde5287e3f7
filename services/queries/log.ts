import { catalogue } from '../../domain/catalogue.js';
import { type LogEntry, type Position, positionOf } from '../../domain/envelope.js';
import { DomainError } from '../../domain/errors.js';
import { refuseReversed } from '../../domain/range.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import type { QueryParts } from './parts.js';

/** What of the log is wanted. Times are epoch milliseconds by the server's clock, which gives events their order. */
export type LogFilter = {
  /** A subject, or the beginning of one followed by `*`. */
  readonly subject?: string | undefined;
  readonly types?: readonly string[] | undefined;
  /** An actor, or the beginning of one followed by `*`. */
  readonly actor?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** The newest so many. Undefined: all. */
  readonly limit?: number | undefined;
};

/** One entry of the log. `data` is absent when it was erased, `fault` says why it cannot be read. */
export type LogLine = {
  readonly position: Position;
  readonly id?: string;
  readonly at?: string;
  readonly type?: string;
  readonly v?: number;
  readonly subject?: string;
  readonly n?: number;
  readonly actor?: string;
  readonly correlation?: string;
  readonly causation?: string;
  readonly data?: unknown;
  readonly erased?: true;
  readonly fault?: string;
};

type Parts = Pick<QueryParts, 'log' | 'redis' | 'keys'>;

const SCANNED = 1_000;
const READ = 200;

/** The newest entries that match, oldest of them first, none beyond `upTo`. VALIDATION for a type that does not exist, or a range that ends before it begins. */
export async function* readLog(parts: Parts, filter: LogFilter, signal: AbortSignal, upTo?: Position): AsyncGenerator<LogLine> {
  refuseUnknownTypes(filter);
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = filter;
  refuseReversed(since, until, 'since', 'until');
  const positions = await newestPositions(parts, filter, signal, upTo);
  for (let first = 0; first < positions.length && !signal.aborted; first += READ) {
    for (const entry of await parts.log.at(positions.slice(first, first + READ))) yield lineOf(entry);
  }
}

/** Entries after a place that match, as they are written, until aborted. */
export async function* followLog(parts: Parts, after: Position, filter: LogFilter, signal: AbortSignal): AsyncGenerator<LogLine> {
  refuseUnknownTypes(filter);
  for await (const entry of parts.log.follow(after, signal)) {
    const line = lineOf(entry);
    if (matches(filter, line)) yield line;
  }
}

/** Backwards over the envelopes alone: filters need no payload, and the end of a long log is near. */
const newestPositions = async (
  { redis, keys }: Parts,
  filter: LogFilter,
  signal: AbortSignal,
  upTo: Position | undefined,
): Promise<Position[]> => {
  const { since, until, limit = Number.POSITIVE_INFINITY } = filter;
  const found: Position[] = [];
  let end = upTo ?? (until === undefined ? '+' : String(Math.floor(until)));
  while (found.length < limit) {
    signal.throwIfAborted();
    const start = since === undefined ? '-' : String(Math.ceil(since));
    const page = await unavailableWhenDown(() => redis.xrevrange(keys.log, end, start, 'COUNT', SCANNED));
    for (const [position, fields] of page) {
      if (found.length < limit && matches(filter, Object.fromEntries(pairs(fields)))) found.push(position);
    }
    const last = page.at(-1);
    if (page.length < SCANNED || !last) break;
    end = `(${last[0]}`;
  }
  return found.reverse();
};

const pairs = (fields: readonly string[]): [string, string][] =>
  fields.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, fields[at + 1] ?? '']] : []));

type Filtered = { readonly subject?: string; readonly type?: string; readonly actor?: string };

const matches = ({ subject, types, actor }: LogFilter, line: Filtered): boolean =>
  fits(subject, line.subject) && fits(actor, line.actor) && (types === undefined || types.includes(line.type ?? ''));

const fits = (wanted: string | undefined, found = ''): boolean => {
  if (wanted === undefined) return true;
  return wanted.endsWith('*') ? found.startsWith(wanted.slice(0, -1)) : found === wanted;
};

const refuseUnknownTypes = ({ types = [] }: LogFilter): void => {
  const unknown = types.find((type) => !catalogue.types.includes(type));
  if (unknown === undefined) return;
  throw new DomainError('VALIDATION', `There is no event type ${unknown}`, `Types: ${[...catalogue.types].sort().join(', ')}.`);
};

const lineOf = (entry: LogEntry): LogLine => {
  const position = positionOf(entry);
  if (entry.kind === 'fault') {
    const { eventId, subject, code } = entry.fault;
    return { position, ...(eventId !== undefined && { id: eventId }), ...(subject !== undefined && { subject }), fault: code };
  }
  const { envelope } = entry.kind === 'event' ? entry.event : entry.husk;
  const { id, at, type, v, subject, n, actor, correlation, causation } = envelope;
  return {
    position,
    id,
    at,
    type,
    v,
    subject,
    n,
    actor,
    correlation,
    ...(causation !== undefined && { causation }),
    ...(entry.kind === 'event' ? { data: entry.event.data } : { erased: true }),
  };
};
