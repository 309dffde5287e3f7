import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'iovalkey';
import { isDomainError } from '../../domain/errors.js';
import { namesItsTopic } from '../../domain/topic/topic.js';
import { withServing } from '../../projections/generation.js';
import type { Keys } from '../../projections/keys.js';
import { readRecordedTopics, readSuppressions, suppressions } from '../../projections/suppressions.js';
import type { EventLog } from '../eventlog/log.js';
import type { SubjectHistory } from '../eventlog/subject.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import { CONFIRMED, REFUSED, TEXTS_DROPPED } from './confirm.js';
import { createMatcher, type Matcher } from './matcher.js';
import { NAME_STAYS } from './name-stays.js';
import { type Needle, needlesOf, passesOver } from './needles.js';
import { scanFiles } from './scan-files.js';
import { scanKeys } from './scan-keys.js';
import type { Scanned } from './tally.js';
import { type Check, compare, type Verdict, verdictOf } from './verdict.js';

/** Proof of an erasure. It holds keys and numbers, and no text but the names of topics that stay. */
export type Receipt = {
  readonly receipt: 1;
  readonly at: string;
  readonly log_id: string;
  readonly verdict: Verdict;
  /** Memories, topics and contexts of projects that were erased. */
  readonly memories: number;
  readonly keys: readonly string[];
  /** The number of erasures, which every view and every writer has to have passed. */
  readonly erasures: number;
  readonly pieces: number;
  readonly checks: readonly Check[];
  /** Memories of which nothing, or not all, could be looked for. */
  readonly not_checked: readonly { readonly key: string; readonly why: string }[];
  /** Topics of these memories' dead ends that stay suppressed, since somebody else suppressed them as well. */
  readonly suppressions_kept: readonly string[];
  /** Topics that were suppressed by hand and are still in the log, let in again or not: they were not looked for. */
  readonly topics_left: { readonly count: number; readonly topics: readonly string[] };
  readonly cannot_see: readonly string[];
  readonly notes: readonly string[];
};

export type ReceiptParts = {
  readonly log: EventLog;
  readonly redis: Redis;
  readonly keys: Keys;
  /** Absolute or relative to the working directory. */
  readonly dataDir: string;
  /** Where backups go, below the data folder or elsewhere. */
  readonly backupDir?: string | undefined;
  /** Whether the server is ours, so that its files are below the data folder and are rewritten. */
  readonly managed: boolean;
  readonly now: () => number;
};

export type ReceiptOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((what: string) => void) | undefined;
  /** Milliseconds to wait for the rewrite of the append-only file. Default two minutes. */
  readonly patienceMs?: number | undefined;
};

const MOST_PIECES = 5_000;
const KEYS_NAMED = 500;
const TOPICS_NAMED = 20;
const LOOK_AGAIN_MS = 200;
const LOAD = 200;

/**
 * Looks for the text of these memories everywhere it can lie, has it erased, waits until the file of the log was rewritten,
 * and looks again. `forget` erases exactly these keys. Throws what it throws.
 */
export const takeReceipt = async (
  parts: ReceiptParts,
  memories: readonly string[],
  forget: () => Promise<unknown>,
  options: ReceiptOptions = {},
): Promise<Receipt> => {
  const say = options.onProgress ?? (() => undefined);
  const goes = new Set(memories);
  say('reading what will be erased');
  const { sample, pieces, said, partly } = await needlesFor(parts, memories);
  const suppressions_kept = await keptSuppressions(parts, goes);
  const notes: string[] = [];
  if (sample.length < pieces) notes.push(`${sample.length} of ${pieces} pieces were looked for, spread over the memories.`);
  say('looking for it while it is there');
  const before = await scanAll(parts, createMatcher(sample), goes, options);
  // What a memory that stays says as well proves nothing: it is found after the erasure with every right.
  const shared = new Set([...before.all.values()].flatMap(({ elsewhere }) => [...elsewhere]));
  const own = sample.filter((_, i) => !shared.has(i));

  say('erasing');
  await forget();
  const erasures = await parts.log.erasures();
  notes.push(...(await untilFinished(parts, erasures, options)));

  say('looking for it again');
  const after = await scanAll(parts, createMatcher(own), goes, options);
  const checks = compare(before.all, after.all, shared);
  const stays = memories.filter(namesItsTopic);
  if (stays.length > 0) notes.push(NAME_STAYS);
  for (const name of after.unread) notes.push(`${name} could not be read.`);
  return {
    receipt: 1,
    at: new Date(parts.now()).toISOString(),
    log_id: parts.log.logId,
    verdict: stays.length > 0 ? 'found' : verdictOf(checks, parts.managed),
    memories: memories.length,
    keys: memories.slice(0, KEYS_NAMED),
    erasures,
    pieces: own.length,
    checks,
    not_checked: notChecked(memories, said, partly, own, new Set([...shared].flatMap((i) => sample[i]?.memory ?? []))),
    suppressions_kept,
    topics_left: await topicsLeft(parts),
    cannot_see: blindSpots(parts),
    notes,
  };
};

const keptSuppressions = async ({ redis, keys }: ReceiptParts, goes: ReadonlySet<string>): Promise<readonly string[]> => {
  const found = await unavailableWhenDown(() =>
    withServing(redis, keys, suppressions.name, (generation) => readSuppressions(redis, keys, generation)),
  );
  return found
    .filter(({ byHand, holders }) => holders.some((key) => goes.has(key)) && (byHand || holders.some((key) => !goes.has(key))))
    .map(({ topic }) => topic)
    .slice(0, KEYS_NAMED);
};

const topicsLeft = async ({ redis, keys }: ReceiptParts): Promise<Receipt['topics_left']> => {
  const left = await unavailableWhenDown(() =>
    withServing(redis, keys, suppressions.name, (generation) => readRecordedTopics(redis, keys, generation)),
  );
  const topics = [...new Set(left.map(({ topic }) => topic))];
  return { count: topics.length, topics: topics.slice(0, TOPICS_NAMED) };
};

/** What is looked for: an even choice of all pieces, made as they are read. `said` are the memories that have any, `partly` those of them of which something could not be looked for. */
type Needles = {
  readonly sample: readonly Needle[];
  readonly pieces: number;
  readonly said: ReadonlySet<string>;
  readonly partly: ReadonlySet<string>;
};

const needlesFor = async ({ log }: ReceiptParts, memories: readonly string[]): Promise<Needles> => {
  const said = new Set<string>();
  const partly = new Set<string>();
  let sample: Needle[] = [];
  let pieces = 0;
  let step = 1;
  for (let from = 0; from < memories.length; from += LOAD) {
    for (const { subject, events } of await readable(log, memories.slice(from, from + LOAD))) {
      if (passesOver(events)) partly.add(subject);
      for (const needle of needlesOf(subject, events)) {
        said.add(subject);
        if (pieces % step === 0) sample.push(needle);
        pieces += 1;
        if (sample.length <= MOST_PIECES) continue;
        sample = sample.filter((_, i) => i % 2 === 0);
        step *= 2;
      }
    }
  }
  return { sample, pieces, said, partly };
};

/** Damaged memories are left out: nobody knows what they said. */
const readable = async (log: EventLog, memories: readonly string[]): Promise<readonly SubjectHistory[]> => {
  try {
    return await log.load(memories);
  } catch (error) {
    if (!isDomainError(error, 'INTERNAL')) throw error;
    if (memories.length === 1) return [];
    return (await Promise.all(memories.map((memory) => readable(log, [memory])))).flat();
  }
};

type Scan = { readonly all: ReadonlyMap<string, Scanned>; readonly unread: readonly string[] };

const scanAll = async (
  parts: ReceiptParts,
  matcher: Matcher,
  goes: ReadonlySet<string>,
  { signal, onProgress }: ReceiptOptions,
): Promise<Scan> => {
  const keys = await scanKeys(parts.redis, parts.keys, matcher, (memory) => goes.has(memory), {
    signal,
    onProgress: (seen) => onProgress?.(`looking through the keys: ${seen}`),
  });
  const all = new Map<string, Scanned>([...keys].map(([type, scan]) => [`keys of type ${type}`, scan]));
  const unread: string[] = [];
  const { dataDir, backupDir } = parts;
  const folders = [{ path: dataDir, skip: backupDir }, ...(backupDir === undefined ? [] : [{ path: backupDir, kind: 'backup' as const }])];
  for (const { path, ...how } of folders) {
    onProgress?.(`looking through the files in ${path}`);
    const files = await scanFiles(path, matcher, { signal, ...how });
    unread.push(...files.unread);
    for (const [name, scan] of files.scans) all.set(`${name}s`, joined(all.get(`${name}s`), scan));
  }
  return { all, unread };
};

const joined = (one: Scanned | undefined, two: Scanned): Scanned => {
  if (one === undefined) return two;
  return {
    places: one.places + two.places,
    bytes: one.bytes + two.bytes,
    found: new Set([...one.found, ...two.found]),
    where: [...one.where, ...two.where],
    elsewhere: new Set([...one.elsewhere, ...two.elsewhere]),
  };
};

const untilFinished = async (
  { redis, keys }: ReceiptParts,
  erasures: number,
  { signal, onProgress, patienceMs = 120_000 }: ReceiptOptions,
): Promise<readonly string[]> => {
  const begun = performance.now();
  for (;;) {
    const [dropped, confirmed, refused] = await unavailableWhenDown(() => redis.hmget(keys.meta, TEXTS_DROPPED, CONFIRMED, REFUSED));
    const passed = (number: string | null | undefined): boolean => Number(number ?? 0) >= erasures;
    if (passed(dropped) && passed(confirmed)) return [];
    if (passed(dropped) && refused)
      return [
        `The server does not rewrite its files when OmniMem asks (${refused}). Have it done there, then: omnimem forget --files-rewritten`,
      ];
    const waited = performance.now() - begun;
    if (waited > patienceMs) return ['The erasure on the disk had not ended when the files were read; take the time and look again.'];
    onProgress?.(`waiting for the file of the log to be rewritten (${Math.round(waited / 1_000)} s)`);
    await sleep(LOOK_AGAIN_MS, undefined, { signal });
  }
};

const notChecked = (
  memories: readonly string[],
  said: ReadonlySet<string>,
  partly: ReadonlySet<string>,
  own: readonly Needle[],
  shared: ReadonlySet<string>,
): Receipt['not_checked'] => {
  const kept = new Set(own.map(({ memory }) => memory));
  return memories
    .filter((key) => !kept.has(key) || partly.has(key))
    .slice(0, KEYS_NAMED)
    .map((key) => {
      if (kept.has(key)) return { key, why: 'some of it is too short to be looked for; the rest was' };
      if (shared.has(key)) return { key, why: 'another memory, which stays, says the same' };
      return {
        key,
        why: said.has(key) ? 'not among the pieces that were looked for' : 'its text is too short, cannot be read, or was gone before',
      };
    });
};

const blindSpots = ({ managed }: ReceiptParts): readonly string[] => [
  ...(managed ? [] : ['the files of the Valkey server, which is not run by OmniMem: that they were rewritten is what that server says']),
  'the memory of running processes, and swap',
  'blocks of the disk that are free but not overwritten yet, and snapshots of the file system',
  'replicas of the Valkey server',
  'copies made by others, and backups outside the folders that were read; encrypted backups show nothing either',
  'the transcripts and logs of the agents that wrote or recalled the text, and of this terminal',
];
