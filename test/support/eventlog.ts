import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from 'iovalkey';
import { encodeTime } from 'ulid';
import type { DomainEvent } from '../../domain/catalogue.js';
import { type LogEntry, ORIGIN, positionOf, type Recorded } from '../../domain/envelope.js';
import type { Catalogue } from '../../domain/event.js';
import type { Remembered } from '../../domain/memory/events.js';
import { memoryKey } from '../../domain/memory/key.js';
import { createKeys, type Keys } from '../../projections/keys.js';
import type { Append, SubjectWrite } from '../../services/eventlog/append.js';
import { type EventLog, openEventLog } from '../../services/eventlog/log.js';
import { type Random, systemRandom } from '../../services/eventlog/random.js';
import { connect, type ValkeyTarget } from '../../services/valkey/client.js';
import { startValkey, type TestValkey, type TestValkeyOptions } from './valkey.js';

export type TestLogOptions = {
  /** A running server to use. Default: one of its own, started with `server` and stopped by `close()`. */
  readonly valkey?: TestValkey;
  readonly server?: TestValkeyOptions;
  /** Default: a fresh one for each call. */
  readonly tenant?: string;
  readonly cluster?: boolean;
  readonly catalogue?: Catalogue<DomainEvent>;
  /** Ids, nonces and the salt follow from this number, and the clock stands at `TEST_TIME`. */
  readonly seed?: number;
  /** Where appends go, such as a proxy. Default: the server itself. */
  readonly appendTo?: ValkeyTarget;
  readonly commandTimeoutMs?: number;
};

export type TestLog = AsyncDisposable & {
  readonly valkey: TestValkey;
  readonly log: EventLog;
  readonly keys: Keys;
  /** A connection for looking at, and meddling with, what is stored. */
  readonly redis: Redis;
  /** The connection that appends. */
  readonly appending: Redis;
  readonly close: () => Promise<void>;
};

export const TEST_TIME = '2026-05-03T12:00:00.000Z';

/** A real log on a real server, in a tenant of its own. `await using test = await openTestLog()` closes it by itself. */
export const openTestLog = async (options: TestLogOptions = {}): Promise<TestLog> => {
  const { catalogue, seed, commandTimeoutMs } = options;
  const valkey = options.valkey ?? (await startValkey(options.server));
  const keys = createKeys(options.tenant ?? `t-${randomBytes(6).toString('hex')}`, options.cluster);
  const appending = connect(
    options.appendTo ?? { path: valkey.socket },
    'append',
    commandTimeoutMs === undefined ? {} : { commandTimeoutMs },
  );
  const read = valkey.client('general');
  const connections = { append: appending, read, blocking: valkey.client('blocking') };
  const log = await openEventLog(connections, keys, {
    ...(catalogue && { catalogue }),
    ...(seed !== undefined && { random: seededRandom(seed), now: () => Date.parse(TEST_TIME) }),
  });
  const close = async (): Promise<void> => {
    log.close();
    appending.disconnect();
    read.disconnect();
    if (!options.valkey) await valkey.stop();
  };
  return { valkey, log, keys, redis: read, appending, close, [Symbol.asyncDispose]: close };
};

/** The same ids and bytes for the same seed. */
export const seededRandom = (seed: number): Random => {
  let count = 0;
  const bytes = (length: number): Buffer => createHash('sha512').update(`${seed}/${count++}`).digest().subarray(0, length);
  return { bytes, ulid: (at) => encodeTime(at, 10) + (count++).toString().padStart(16, '0') };
};

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export const seededNumbers = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** The fields of a memory that a test does not care about. */
export const rememberedWith = (content: string, fields: Partial<Remembered> = {}): Remembered => ({
  namespace: 'episodic',
  content,
  tags: [],
  mode: 'raw',
  licence: 'own',
  provenance: 'concluded',
  ...fields,
});

export const remembered = (content: string, fields: Partial<Remembered> = {}): DomainEvent => ({
  type: 'MemoryRemembered',
  data: rememberedWith(content, fields),
});

export const revised = (content: string): DomainEvent => ({ type: 'MemoryRevised', data: { content } });

const random = systemRandom();

/** A new ULID. */
export const newId = (): string => random.ulid(Date.now());

export const newKey = (): string => memoryKey('episodic', newId());

/** A new memory as a write. */
export const newMemory = (content: string, fields: Partial<SubjectWrite> = {}): SubjectWrite => ({
  subject: newKey(),
  expected: 0,
  events: [remembered(content)],
  ...fields,
});

/** A command as the log takes it, with a new id unless one is given. */
export const appendOf = (writes: readonly SubjectWrite[], fields: Partial<Append> = {}): Append => ({
  commandId: newId(),
  actor: 'test',
  at: TEST_TIME,
  writes,
  result: {},
  ...fields,
});

/** Every entry of the log. */
export const readAll = async (log: EventLog): Promise<LogEntry<DomainEvent>[]> => {
  const entries: LogEntry<DomainEvent>[] = [];
  for (;;) {
    const last = entries.at(-1);
    const page = await log.read(last ? positionOf(last) : ORIGIN, 1_000);
    if (page.length === 0) return entries;
    entries.push(...page);
  }
};

/** The events of the log; fails when an entry is anything else. */
export const readEvents = async (log: EventLog): Promise<Recorded<DomainEvent>[]> =>
  (await readAll(log)).map((entry) => {
    if (entry.kind !== 'event') throw new Error(`not an event: ${JSON.stringify(entry)}`);
    return entry.event;
  });

/** What a key holds, as bytes that are the same whenever the content is: Valkey keeps the fields of a hash in no order. */
export const bytesOf = async (redis: Redis, name: string): Promise<Buffer | undefined> => {
  if ((await redis.type(name)) !== 'hash') return ((await redis.callBuffer('DUMP', [name])) as Buffer | null) ?? undefined;
  const fields = Object.entries(await redis.hgetallBuffer(name)).sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.concat(fields.flatMap(([field, value]) => [Buffer.from(`\0${field}\0`), value]));
};

/** Every key of a tenant with what it holds, as a latin1 string. */
export const snapshot = async (redis: Redis, { prefix }: Keys): Promise<Map<string, string>> => {
  const found = new Map<string, string>();
  let cursor = '0';
  do {
    const [next, names] = await redis.scan(cursor, 'MATCH', `${prefix.replace(/[[\]*?\\]/g, '\\$&')}*`, 'COUNT', 1_000);
    cursor = next;
    const dumps = await Promise.all(names.map((name) => bytesOf(redis, name)));
    names.forEach((name, i) => {
      const bytes = dumps[i];
      if (bytes) found.set(name, bytes.toString('latin1'));
    });
  } while (cursor !== '0');
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
};

/**
 * The keys of a tenant whose name or stored bytes hold the text. The server must run with `rdbcompression no`, or the
 * bytes of a long value would not show it.
 */
export const keysHolding = async (redis: Redis, keys: Keys, text: string): Promise<string[]> => {
  const bytesOfText = Buffer.from(text).toString('latin1');
  const stored = [...(await snapshot(redis, keys))];
  return stored.filter(([name, bytes]) => name.includes(text) || bytes.includes(bytesOfText)).map(([name]) => name);
};

/** What background jobs append when they like: a test that counts would meet it in any place. */
const HOUSEKEEPING: ReadonlySet<string> = new Set(['EmbeddingModelChanged', 'ErasureConfirmed']);

/** Number of entries of a log without the housekeeping of background jobs. */
export const eventsTold = async (log: EventLog): Promise<number> =>
  (await readAll(log)).filter((entry) => entry.kind !== 'event' || !HOUSEKEEPING.has(entry.event.envelope.type)).length;
