import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'iovalkey';
import { type DomainEvent, catalogue as everyEvent } from '../../domain/catalogue.js';
import { type LogEntry, type Position, positionOf } from '../../domain/envelope.js';
import { DomainError } from '../../domain/errors.js';
import { type Catalogue, EventFault } from '../../domain/event.js';
import type { Keys } from '../../projections/keys.js';
import type { LogReader } from '../../projections/log-reader.js';
import { fromValkey, isOutcomeUnknown, unavailableWhenDown } from '../valkey/errors.js';
import { type Append, type Appended, createAppender, type Refused, repeated } from './append.js';
import { type Forget, forgetSubjects } from './forget.js';
import { type Random, systemRandom } from './random.js';
import { readEntries, readPositions } from './read.js';
import { loadSubjects, type SubjectHistory } from './subject.js';
import { createTail } from './tail.js';

export type EventLog = LogReader & {
  /** Secret of this log, for salted hashes of claimed texts. */
  readonly salt: string;
  readonly keys: Keys;
  readonly append: (append: Append) => Promise<Appended | Refused>;
  readonly forget: (forget: Forget) => Promise<Appended | Refused>;
  /** Histories in the order asked for, in one round trip. */
  readonly load: (subjects: readonly string[]) => Promise<readonly SubjectHistory[]>;
  /** What a command answered the first time, if it was met within a day. */
  readonly firstAnswer: (commandId: string) => Promise<Appended | undefined>;
  /** Who holds each claim, in order. */
  readonly claimHolders: (claims: readonly string[]) => Promise<readonly (string | undefined)[]>;
  /** The entries at these places. */
  readonly at: (positions: readonly Position[]) => Promise<readonly LogEntry<DomainEvent>[]>;
  /** Number of entries. */
  readonly size: () => Promise<number>;
  /** Entries after a place, for ever, until aborted. */
  readonly follow: (after: Position, signal: AbortSignal) => AsyncGenerator<LogEntry<DomainEvent>>;
  readonly close: () => void;
};

/** Three connections of their own kinds; see services/valkey/client.ts. */
export type LogConnections = { readonly append: Redis; readonly read: Redis; readonly blocking: Redis };

const ATTEMPTS = 4;
const PAGE = 500;
const IDLE_MS = 5_000;

/** Opens the log of a tenant, and gives it an identity when it is new. Throws UNAVAILABLE when Valkey cannot be reached. */
export const openEventLog = async (
  connections: LogConnections,
  keys: Keys,
  options: { readonly catalogue?: Catalogue<DomainEvent>; readonly random?: Random; readonly now?: () => number } = {},
): Promise<EventLog> => {
  const { catalogue = everyEvent, random = systemRandom(), now = Date.now } = options;
  const { append: appendRedis, read: redis, blocking } = connections;
  const { logId, salt } = await unavailableWhenDown(() => identify(redis, keys, random, now()));
  const appendOnce = createAppender(appendRedis, keys, catalogue, random);
  const tail = createTail(blocking, keys);

  const announce = <Answer extends Appended | Refused>(answer: Answer): Answer => {
    if ('events' in answer) {
      const last = answer.events.at(-1);
      if (last) tail.saw(last.position);
    }
    return answer;
  };

  const reader: LogReader = {
    logId,
    read: (after, count) => unavailableWhenDown(() => readEntries(redis, keys, catalogue, after, count)),
    head: () =>
      unavailableWhenDown(async () => {
        const [entry] = await redis.xrevrange(keys.log, '+', '-', 'COUNT', 1);
        return entry && { position: entry[0], eventId: fieldOf(entry[1], 'id') };
      }),
    erasures: () => unavailableWhenDown(async () => Number((await redis.get(keys.erasures)) ?? 0)),
    holds: (position, eventId) =>
      unavailableWhenDown(async () => {
        const [entry] = await redis.xrange(keys.log, position, position);
        return entry !== undefined && fieldOf(entry[1], 'id') === eventId;
      }),
    waitForMore: tail.waitForMore,
  };

  return {
    ...reader,
    salt,
    keys,
    append: async (append) => announce(await askAgain(appendRedis, () => appendOnce(append))),
    forget: async (forget) => announce(await askAgain(appendRedis, () => forgetSubjects(appendRedis, keys, catalogue, random, forget))),
    load: (subjects) => unavailableWhenDown(() => loadSubjects(redis, keys, catalogue, subjects)),
    firstAnswer: (commandId) =>
      unavailableWhenDown(async () => {
        const stored = await redis.get(keys.commandResult(commandId));
        return stored === null ? undefined : repeated(stored);
      }),
    claimHolders: (claims) =>
      unavailableWhenDown(async () =>
        claims.length === 0 ? [] : (await redis.hmget(keys.claims, ...claims)).map((holder) => holder ?? undefined),
      ),
    at: (positions) => unavailableWhenDown(() => readPositions(redis, keys, catalogue, positions)),
    size: () => unavailableWhenDown(() => redis.xlen(keys.log)),
    follow: async function* (after, signal) {
      let from = after;
      while (!signal.aborted) {
        const entries = await reader.read(from, PAGE);
        for (const entry of entries) {
          if (signal.aborted) return;
          yield entry;
          from = positionOf(entry);
        }
        if (entries.length < PAGE) await reader.waitForMore(from, IDLE_MS, signal);
      }
    },
    close: tail.close,
  };
};

const fieldOf = (fields: readonly string[], name: string): string | undefined => {
  const at = fields.indexOf(name);
  return at < 0 || at % 2 === 1 ? undefined : fields[at + 1];
};

const identify = async (redis: Redis, keys: Keys, random: Random, now: number): Promise<{ logId: string; salt: string }> => {
  const known = await redis.hmget(keys.meta, 'log_id', 'salt');
  if (!known[0] || !known[1]) {
    await redis.hsetnx(keys.meta, 'salt', random.bytes(16).toString('hex'));
    await redis.hsetnx(keys.meta, 'created_at', new Date(now).toISOString());
    await redis.hsetnx(keys.meta, 'log_id', random.ulid(now));
  }
  const [logId, salt] = await redis.hmget(keys.meta, 'log_id', 'salt');
  if (!logId || !salt) throw new DomainError('UNAVAILABLE', 'The log could not be given an identity', 'Check that Valkey accepts writes');
  return { logId, salt };
};

/**
 * A write whose connection broke may have been done. The command id makes asking again safe: the script answers the first
 * result when it was. A connection that stayed silent may be dead at the other end, so it is left for a new one.
 * Throws UNAVAILABLE when the outcome stays unknown.
 */
const askAgain = async <T>(redis: Redis, write: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    const { stream } = redis;
    try {
      return await write();
    } catch (error) {
      if (error instanceof EventFault)
        throw new DomainError(
          'INTERNAL',
          `An event was not appended: ${error.message}`,
          'This is a fault of the program; please report it',
        );
      if (!isOutcomeUnknown(error) || attempt === ATTEMPTS) throw fromValkey(error);
      stream?.destroy();
      await delay(50 * 2 ** attempt);
    }
  }
};
