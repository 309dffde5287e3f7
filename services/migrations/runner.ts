import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'iovalkey';
import { type LogEntry, ORIGIN, positionOf } from '../../domain/envelope.js';
import { DomainError } from '../../domain/errors.js';
import type { Migration } from '../../domain/migration.js';
import { systemSubject } from '../../domain/system/events.js';
import type { Keys } from '../../projections/keys.js';
import { createLeases, type Leases } from '../../projections/lease.js';
import type { SubjectWrite } from '../eventlog/append.js';
import type { EventLog } from '../eventlog/log.js';
import type { Random } from '../eventlog/random.js';
import { dropCheckpoint, lastApplied, noteApplied, openCheckpoint, saveCheckpoint } from './record.js';

export type MigrationParts = {
  readonly log: EventLog;
  readonly redis: Redis;
  readonly keys: Keys;
  readonly random: Random;
  readonly now: () => number;
};

export type MigrateOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Reads everything and decides everything, and writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Entries of the log seen and in all. */
  readonly onProgress?: ((migration: Migration, done: number, total: number) => void) | undefined;
  /** Called while another process holds the lock. */
  readonly onWait?: (() => void) | undefined;
};

/** What one migration did, or in a dry run would do. */
export type Migrated = { readonly number: number; readonly name: string; readonly subjects: number; readonly events: number };

const LEASE = 'migrations';
const LEASE_MS = 10_000;
const LOOK_AGAIN_MS = 250;
/** Entries of the log looked at together; what they need is one append. */
const PAGE = 200;
const ATTEMPTS = 5;

/**
 * Runs what the log does not record yet, in order. One process at a time: others wait. Each subject is looked at once, at
 * its first event, and what it needs is appended at the version that was read; one that was cut off goes on behind the last
 * page. Answers what was done. Throws UNAVAILABLE, CONFLICT, or what a migration throws, which then is not recorded.
 */
export const migrate = async (
  parts: MigrationParts,
  migrations: readonly Migration[],
  options: MigrateOptions = {},
): Promise<readonly Migrated[]> => {
  if (migrations.length === 0) return [];
  if (options.dryRun) return runAll(parts, migrations, options);
  const leases = createLeases(parts.redis, parts.keys, LEASE_MS);
  // Nothing to do is the usual case, and needs no lock.
  if ((await lastApplied(parts)) >= migrations.length) return [];
  return locked(leases, options, (signal) => runAll(parts, migrations, { ...options, signal }));
};

const locked = async <T>(leases: Leases, { signal, onWait }: MigrateOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  let held = await leases.acquire([LEASE]);
  while (held.size === 0) {
    onWait?.();
    await sleep(LOOK_AGAIN_MS, undefined, { signal });
    held = await leases.acquire([LEASE]);
  }
  const lost = new AbortController();
  const renewal = setInterval(() => {
    leases.renew(held).then(
      (kept) => kept.size === 0 && lost.abort(new DomainError('CONFLICT', 'Another process took over the migrations', 'It goes on there')),
      () => undefined,
    );
  }, LEASE_MS / 3);
  try {
    return await work(signal ? AbortSignal.any([signal, lost.signal]) : lost.signal);
  } finally {
    clearInterval(renewal);
    await leases.release(held).catch(() => undefined);
  }
};

const runAll = async (parts: MigrationParts, migrations: readonly Migration[], options: MigrateOptions): Promise<readonly Migrated[]> => {
  const done = await lastApplied(parts, { note: !options.dryRun });
  const migrated: Migrated[] = [];
  for (const migration of migrations.filter(({ number }) => number > done)) {
    migrated.push(options.dryRun ? await rehearse(parts, migration, options) : await run(parts, migration, options));
  }
  return migrated;
};

const run = async (parts: MigrationParts, migration: Migration, { signal, onProgress }: MigrateOptions): Promise<Migrated> => {
  const { log, redis, keys, random, now } = parts;
  const { number, name } = migration;
  let checkpoint = await openCheckpoint(redis, keys, number, random.ulid(now()));
  for await (const { entries, done, total } of pages(parts, checkpoint.position, signal)) {
    const last = entries.at(-1);
    if (!last) break;
    const position = positionOf(last);
    const made = await migratePage(
      parts,
      migration,
      checkpoint.correlation,
      `${checkpoint.position}:${position}`,
      born(entries, migration),
    );
    checkpoint = { ...checkpoint, position, events: checkpoint.events + made.events, subjects: checkpoint.subjects + made.subjects };
    await saveCheckpoint(redis, keys, number, checkpoint);
    onProgress?.(migration, done, total);
  }
  const { correlation, events, subjects } = checkpoint;
  const at = new Date(now()).toISOString();
  await log.append({
    commandId: `migration:${number}:${correlation}`,
    correlation,
    actor: `migration:${number}`,
    at,
    writes: [{ subject: systemSubject(at), expected: 'any', events: [{ type: 'MigrationApplied', data: { number, name, events } }] }],
    result: { number },
  });
  await noteApplied(parts, number);
  await dropCheckpoint(redis, keys, number);
  return { number, name, subjects, events };
};

const rehearse = async (parts: MigrationParts, migration: Migration, { signal, onProgress }: MigrateOptions): Promise<Migrated> => {
  const { number, name } = migration;
  let [events, subjects] = [0, 0];
  for await (const { entries, done, total } of pages(parts, ORIGIN, signal)) {
    for (const write of await decided(parts, migration, born(entries, migration))) {
      subjects += 1;
      events += write.events.length;
    }
    onProgress?.(migration, done, total);
  }
  return { number, name, subjects, events };
};

/** What the log holds when it is reached; a subject that is born meanwhile has today's shape, and is looked at all the same. */
async function* pages({ log }: MigrationParts, after: string, signal: AbortSignal | undefined) {
  let done = 0;
  for (let from = after; ; ) {
    signal?.throwIfAborted();
    const entries = await log.read(from, PAGE);
    const last = entries.at(-1);
    if (!last) return;
    done += entries.length;
    yield { entries, done, total: Math.max(done, await log.size()) };
    from = positionOf(last);
  }
}

/** The subjects whose first event is among these entries. */
const born = (entries: readonly LogEntry[], { concerns }: Migration): readonly string[] => {
  const subjects = entries.flatMap((entry) => {
    if (entry.kind === 'fault') return [];
    const { subject, n } = entry.kind === 'event' ? entry.event.envelope : entry.husk.envelope;
    return n === 1 && concerns(subject) ? [subject] : [];
  });
  return [...new Set(subjects)];
};

const decided = async ({ log }: MigrationParts, { decide }: Migration, subjects: readonly string[]): Promise<readonly SubjectWrite[]> =>
  subjects.length === 0
    ? []
    : (await log.load(subjects))
        .map(({ subject, version, events }) => ({ subject, expected: version, events: decide(subject, events) }))
        .filter(({ events }) => events.length > 0);

const migratePage = async (
  parts: MigrationParts,
  migration: Migration,
  correlation: string,
  page: string,
  subjects: readonly string[],
): Promise<{ readonly events: number; readonly subjects: number }> => {
  const { number, name } = migration;
  const commandId = `migration:${number}:${correlation}:${page}`;
  // Cut off between the append and the checkpoint, the page has its answer already.
  const first = await parts.log.firstAnswer(commandId);
  if (first) return { events: first.events.length, subjects: Number(first.result.subjects) };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const writes = await decided(parts, migration, subjects);
    if (writes.length === 0) return { events: 0, subjects: 0 };
    const result = { subjects: writes.length };
    const at = new Date(parts.now()).toISOString();
    const answer = await parts.log.append({ commandId, correlation, actor: `migration:${number}`, at, writes, result });
    if ('events' in answer) return { events: answer.events.length, subjects: writes.length };
  }
  throw new DomainError(
    'CONFLICT',
    `Migration ${number} (${name}) could not write: the same memories kept changing`,
    'Run omnimem migrate',
  );
};
