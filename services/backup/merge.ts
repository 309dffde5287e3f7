import { isMemoryKey } from '../../domain/memory/key.js';
import { isLive, type Memory, memoryDecider } from '../../domain/memory/memory.js';
import { isSystemSubject, systemSubject } from '../../domain/system/events.js';
import { loadScript, runScript } from '../../projections/scripts.js';
import { unlinkRows, withoutRows } from '../../projections/search/valkey/rows.js';
import { textClaim } from '../commands/claims.js';
import { SETS_CONTENT } from '../eventlog/encode.js';
import { RECALL_COUNTERS } from '../eventlog/forget.js';
import { type Random, systemRandom } from '../eventlog/random.js';
import { openStore, type Store } from '../ops/store.js';
import type { ValkeyTarget } from '../valkey/client.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import { eventOf } from './claims.js';
import type { Secrets } from './crypt.js';
import { type EnvelopeFacts, factsOf, fromWire, type RawEntry } from './entry.js';
import { erasedBelow } from './fate.js';
import { completeness } from './layout.js';
import { type OpenedBackup, openBackup } from './opened.js';
import { forgetAgain } from './reforget.js';
import { keysHoldingAny, storeCursor } from './target.js';
import { readVectorFile, storeVectors } from './vectors.js';

const MERGE = loadScript('services/backup/merge.lua');
const BATCH = 200;

export type MergeOptions = {
  readonly path: string;
  readonly target: ValkeyTarget;
  readonly tenant: string;
  readonly secrets: Secrets;
  readonly dryRun?: boolean | undefined;
  readonly roots?: readonly string[] | undefined;
  readonly actor: string;
  readonly random?: Random | undefined;
  readonly now?: (() => number) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((what: 'checking' | 'merging', done: number, total: number) => void) | undefined;
};

export type MergeReport = {
  readonly status: 'merged' | 'unchanged' | 'dry_run';
  readonly backup: string;
  readonly log_id: string;
  /** False when the first run of the set was cut off, or goes on: what happened there later is missing. */
  readonly complete: boolean;
  /** ISO, UTC: until when such a set was written. */
  readonly cut_off_at?: string;
  /** Subjects that are new here, that got the tail they lacked, and that were equal or further on here. */
  readonly new: number;
  readonly continued: number;
  readonly equal: number;
  readonly events: number;
  /** Subjects whose histories went different ways, or hold what this program cannot read: untouched. */
  readonly differing: readonly string[];
  readonly unreadable: readonly string[];
  /** Memories that this store lost because the other one had forgotten them. */
  readonly forgotten: readonly string[];
  /** Entries by which the other store told of itself (models, backups): not brought over. */
  readonly about_the_other_store: number;
  readonly vectors: number;
};

type Tail = { readonly subject: string; readonly from: number; readonly entries: readonly Numbered[] };
type Numbered = RawEntry & { readonly facts: EnvelopeFacts & { readonly subject: string; readonly n: number } };

/**
 * Brings the memories of another store's backup together with those here, subject by subject: a history that is a beginning
 * of the other gets the events it lacks, under new places that name the old ones in `orig`. A subject whose histories went
 * different ways is named, and not touched. What either side forgot stays forgotten. Doing it again changes nothing.
 */
export const mergeBackup = async (options: MergeOptions): Promise<MergeReport> => {
  const { path, secrets, roots, signal, target, tenant, actor } = options;
  const random = options.random ?? systemRandom();
  const now = options.now ?? Date.now;
  const backup = await openBackup({
    path,
    secrets,
    roots,
    signal,
    onProgress: (done, total) => options.onProgress?.('checking', done, total),
  });
  const store = await openStore({ target, tenant });
  try {
    const plan = await planMerge(store, backup);
    const summary = {
      backup: backup.set.name,
      log_id: backup.set.manifest.log_id,
      ...completeness(backup.set.manifest),
      new: plan.tails.filter(({ from }) => from === 0).length,
      continued: plan.tails.filter(({ from }) => from > 0).length,
      equal: plan.equal,
      events: plan.tails.reduce((sum, { entries }) => sum + entries.length, 0),
      differing: plan.differing,
      unreadable: plan.unreadable,
      about_the_other_store: plan.aboutItself,
    };
    if (options.dryRun) return { status: 'dry_run', ...summary, forgotten: [], vectors: 0 };
    const moved = await append(store, backup, plan.tails, options);
    const forgotten = await forgetAgain(store, backup.forgotten, { actor, random, now });
    const { vectors: file } = backup.set.manifest;
    const vectors =
      file === undefined || plan.tails.length === 0
        ? 0
        : await storeVectors(store.redis, store.keys, wanted(await readVectorFile(backup.set.dir, file, backup.open), plan.tails));
    const merged = plan.tails.length - moved.length;
    if (merged > 0) {
      const at = new Date(now()).toISOString();
      const data = { backup: backup.set.name, mode: 'merged' as const, log_id: summary.log_id, events: summary.events, head: backup.head };
      await store.log.append({
        commandId: random.ulid(now()),
        actor,
        at,
        writes: [{ subject: systemSubject(at), expected: 'any', events: [{ type: 'LogRestored', data }] }],
        result: data,
      });
    }
    const differing = [...summary.differing, ...moved].sort();
    return { status: merged > 0 || forgotten.length > 0 ? 'merged' : 'unchanged', ...summary, differing, forgotten, vectors };
  } finally {
    store.close();
  }
};

const wanted = <T extends { readonly subject: string }>(vectors: readonly T[], tails: readonly Tail[]): readonly T[] => {
  const subjects = new Set(tails.map(({ subject }) => subject));
  return vectors.filter(({ subject }) => subjects.has(subject));
};

const isAddressed = (entry: RawEntry & { readonly facts: EnvelopeFacts }): entry is Numbered =>
  entry.facts.subject !== undefined && entry.facts.n !== undefined && entry.state !== 'b';

const planMerge = async (store: Store, backup: OpenedBackup) => {
  const here = await historiesHere(store);
  const there = new Map<string, Numbered[]>();
  let aboutItself = 0;
  for await (const entries of backup.entries()) {
    for (const entry of entries) {
      const found = { ...entry, facts: factsOf(entry) };
      if (!isAddressed(found)) continue;
      if (isSystemSubject(found.facts.subject)) aboutItself += 1;
      else there.set(found.facts.subject, [...(there.get(found.facts.subject) ?? []), found]);
    }
  }

  // What is forgotten there is forgotten here by an event of our own; a memory that never was here needs none, only its husk.
  const isForgottenHere = (subject: string, ours: number): boolean =>
    backup.forgotten.has(subject) && (ours > 0 || backup.fates.get(subject)?.erasedBy === undefined);
  const tails: Tail[] = [];
  const differing: string[] = [];
  const unreadable: string[] = [];
  let equal = 0;
  for (const [subject, theirs] of there) {
    const ours = here.get(subject) ?? [];
    const common = Math.min(ours.length, theirs.length);
    const same = theirs.slice(0, common).every(({ facts }, i) => facts.digest === ours[i]);
    const whole = theirs.every(({ facts, state }, i) => facts.n === i + 1 && (state === 'p' || state === 'h'));
    if (!whole) unreadable.push(subject);
    else if (same && theirs.length <= ours.length) equal += 1;
    else if (!same && !backup.forgotten.has(subject)) differing.push(subject);
    else if (!same || isForgottenHere(subject, ours.length)) equal += 1;
    else tails.push({ subject, from: ours.length, entries: theirs.slice(ours.length) });
  }
  return { tails, differing: differing.sort(), unreadable: unreadable.sort(), equal, aboutItself };
};

/** The digest of each event, by subject and version. */
const historiesHere = async ({ redis, keys }: Store): Promise<ReadonlyMap<string, readonly string[]>> => {
  const histories = new Map<string, string[]>();
  const next = storeCursor(redis, keys);
  for (let entry = await next(); entry; entry = await next()) {
    const { subject, n, digest } = factsOf(entry);
    if (subject === undefined || n === undefined) continue;
    const history = histories.get(subject) ?? [];
    history[n - 1] ??= digest ?? '';
    histories.set(subject, history);
  }
  return histories;
};

/** Answers the subjects that somebody changed meanwhile. */
const append = async (store: Store, backup: OpenedBackup, tails: readonly Tail[], options: MergeOptions): Promise<readonly string[]> => {
  const { redis, keys, log } = store;
  const moved: string[] = [];
  for (let from = 0; from < tails.length; from += BATCH) {
    options.signal?.throwIfAborted();
    const batch = tails.slice(from, from + BATCH);
    const before = await log.load(batch.map(({ subject }) => subject));
    const erased = batch.filter(({ subject, from }) => from > 0 && erasedBelow(backup, subject) !== undefined);
    const deletes = await keysHoldingAny(
      redis,
      keys,
      erased.map(({ subject }) => subject),
    );
    const scriptKeys = [
      keys.restoring,
      keys.log,
      keys.claims,
      keys.erasures,
      keys.counter(RECALL_COUNTERS.count),
      keys.counter(RECALL_COUNTERS.last),
    ];
    const args: (string | Buffer)[] = [''];
    const arg = (...values: readonly (string | Buffer)[]): number => args.push(...values) - values.length + 1;
    const plan = batch.map((tail, i) => {
      const below = erasedBelow(backup, tail.subject);
      const claim = claimAfter(log.salt, before[i]?.events ?? [], tail, below);
      return {
        k: scriptKeys.push(keys.payloads(tail.subject)),
        s: arg(tail.subject),
        x: tail.from,
        ...(below !== undefined && { o: below }),
        d: withoutRows(keys, deletes.get(tail.subject) ?? []).map((name) => scriptKeys.push(name)),
        ...(claim !== undefined && { cl: arg(claim) }),
        e: tail.entries.map((entry) => {
          const fields = [...entry.fields.map(fromWire), ...(hasOrigin(entry) ? [] : ['orig', entry.position])];
          const payload = below !== undefined && entry.facts.n < below ? undefined : entry.payload;
          return {
            n: entry.facts.n,
            f: arg(...fields),
            c: fields.length,
            ...(payload && { y: arg(payload) }),
            ...(SETS_CONTENT.has(entry.facts.type ?? '') && { s: 1 }),
          };
        }),
      };
    });
    args[0] = JSON.stringify(plan);
    const answers = (await unavailableWhenDown(() => runScript(redis, MERGE, scriptKeys, args))) as number[];
    const merged = batch.filter((_, i) => answers[i] !== -1);
    await unlinkRows(
      redis,
      keys,
      merged.flatMap(({ subject }) => deletes.get(subject) ?? []),
    );
    moved.push(...batch.filter((_, i) => answers[i] === -1).map(({ subject }) => subject));
    options.onProgress?.('merging', from + batch.length, tails.length);
  }
  return moved;
};

/** An event that came by another merge keeps the place it had first. */
const hasOrigin = ({ fields }: RawEntry): boolean => fields.some((field, i) => i % 2 === 0 && field === 'orig');

/** The text a memory claims after its tail, under the salt of this store. */
const claimAfter = (
  salt: string,
  before: readonly { readonly type: string }[],
  { subject, entries }: Tail,
  below: number | undefined,
): string | undefined => {
  if (!isMemoryKey(subject) || below !== undefined) return undefined;
  const events = [...before, ...entries.flatMap(({ payload }) => (payload && eventOf(payload)) ?? [])];
  const state = (events as Parameters<typeof memoryDecider.evolve>[1][]).reduce<Memory>(memoryDecider.evolve, memoryDecider.initialState());
  return isLive(state) && state.status !== 'archived' ? textClaim(salt, state.namespace, state.project, state.content) : undefined;
};
