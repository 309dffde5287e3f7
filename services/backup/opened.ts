import { comparePositions, ORIGIN, type Position } from '../../domain/envelope.js';
import { erases, erasesForGood } from '../../domain/erasure.js';
import { DomainError } from '../../domain/errors.js';
import { type Open, openFor, type Secrets } from './crypt.js';
import { BackupDamaged } from './damage.js';
import { chainStart, factsOf, type RawEntry } from './entry.js';
import { type Fate, goesUnsaid } from './fate.js';
import { inFolder } from './folder-fault.js';
import { erasuresOf, forgottenAround } from './forgotten.js';
import { type BackupSet, bytesOf, findSet, holdsNothing, type Manifest, nothingIn, payloadsFile, readSet } from './layout.js';
import { readSegment } from './segment.js';
import { readSide, type Side } from './side.js';
import { isWithin, type Until } from './until.js';

export type OpenedBackup = {
  readonly set: BackupSet;
  readonly open: Open;
  readonly side: Side;
  /** Entries before the cut, and the last of them. */
  readonly events: number;
  readonly head: Position;
  /** Whether the cut is the end of the backup. */
  readonly whole: boolean;
  readonly fates: ReadonlyMap<string, Fate>;
  /** Memories that were forgotten: in this log at any time, or listed beside the backups. */
  readonly forgotten: ReadonlySet<string>;
  /** Projects that were deleted at the end, of which no event before the cut says so. */
  readonly deleted: readonly string[];
  /** Entries that nobody could read in the source either; they are restored as they are. */
  readonly faults: number;
  /** The entries before the cut, a segment at a time, each held against its chain again. */
  readonly entries: () => AsyncGenerator<readonly RawEntry[]>;
};

export type OpenOptions = {
  /** A set, or a folder of sets, of which the newest is taken. */
  readonly path: string;
  readonly secrets: Secrets;
  readonly until?: Until | undefined;
  /** More folders whose FORGOTTEN binds. */
  readonly roots?: readonly string[] | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** A backup of at most so many bytes is read once and kept; a larger one is read again, a segment at a time. */
const KEPT_BYTES = 64 * 2 ** 20;
const ATTEMPTS = 5;

/**
 * Opens a backup and checks all of it: every segment's chain and order, the digest of every payload, and that a payload is
 * missing only where its memory was forgotten. Throws BackupDamaged, which names the part; CONFLICT for a set that holds nothing;
 * NOT_FOUND; VALIDATION for a key that does not open it; UNAVAILABLE for a folder that cannot be read.
 */
export const openBackup = (options: OpenOptions): Promise<OpenedBackup> => inFolder(options.path, () => openWhole(options));

const openWhole = async (options: OpenOptions): Promise<OpenedBackup> => {
  for (let attempt = 1; ; attempt++) {
    const set = await findSet(options.path);
    if (holdsNothing(set)) throw nothingIn(set.name);
    try {
      return await openSet(set, options);
    } catch (error) {
      if (!(error instanceof BackupDamaged) || attempt === ATTEMPTS || !(await wasWrittenTo(set))) throw error;
    }
  }
};

/** Whether a backup that runs meanwhile has put other files in the place of those that were read. */
const wasWrittenTo = async ({ dir, manifest }: BackupSet): Promise<boolean> => {
  const now = await readSet(dir).catch(() => undefined);
  return now !== undefined && JSON.stringify(now.manifest) !== JSON.stringify(manifest);
};

const openSet = async (set: BackupSet, { secrets, until, roots = [], onProgress, signal }: OpenOptions): Promise<OpenedBackup> => {
  const { dir, manifest } = set;
  const open = await openFor(dir, manifest.encryption, secrets);
  checkOrder(manifest);
  const { forgotten, deleted } = erasuresOf(await forgottenAround(dir, manifest.log_id, roots));
  const fates = new Map<string, Fate>();
  const gaps: { readonly subject: string; readonly n: number; readonly position: Position; readonly part: string }[] = [];
  const cut = { events: 0, head: ORIGIN, passed: false };
  const seals = new Map<number, string>();
  const kept = new Map<number, readonly RawEntry[]>();
  let read = 0;
  let before = ORIGIN;
  let faults = 0;

  for (const segment of manifest.segments) {
    signal?.throwIfAborted();
    const part = payloadsFile(manifest, segment.number);
    const { entries, seal } = await readSegment(dir, manifest, segment, open);
    seals.set(segment.number, seal);
    if (bytesOf(manifest) <= KEPT_BYTES) kept.set(segment.number, entries);
    for (const entry of entries) {
      if (comparePositions(entry.position, before) <= 0) throw new BackupDamaged('reordered', part, `entry ${entry.position}`);
      before = entry.position;
      read += 1;
      const { subject, n, type, id } = factsOf(entry);
      if (entry.state !== 'p' && entry.state !== 'h') faults += 1;
      const within = isWithin(until, entry.position, cut.passed);
      if (within) {
        cut.events += 1;
        cut.head = entry.position;
        if (until?.kind === 'event' && id === until.id) cut.passed = true;
      }
      if (subject === undefined || n === undefined) continue;
      const fate: Fate = fates.get(subject) ?? { last: 0, erasedBy: undefined };
      if (within) fate.last = Math.max(fate.last, n);
      if (erases(type) && entry.payload) {
        fate.erasedBy = n;
        // A deleted project may have a new context after it; a forgotten memory or topic never comes back.
        if (erasesForGood(type)) forgotten.add(subject);
      }
      const deletedAt = deleted.get(subject);
      if (deletedAt !== undefined && comparePositions(entry.position, deletedAt) < 0) fate.deletedBelow = n + 1;
      fates.set(subject, fate);
      if (!entry.payload && (entry.state === 'p' || entry.state === 'h')) gaps.push({ subject, n, position: entry.position, part });
    }
    onProgress?.(read, manifest.events);
  }
  if (until?.kind === 'event' && !cut.passed) {
    throw new DomainError('NOT_FOUND', `The backup holds no event ${until.id}`, 'omnimem log shows the ids of events.');
  }
  for (const { subject, n, position, part } of gaps) {
    const { erasedBy, deletedBelow = 0 } = fates.get(subject) ?? {};
    if (n < deletedBelow || (erasedBy === undefined ? forgotten.has(subject) : n < erasedBy)) continue;
    throw new BackupDamaged('missing', part, `the payload of ${position}, which nobody forgot`);
  }
  if (manifest.side === undefined) throw new BackupDamaged('torn', 'manifest.json', 'the first run did not get far enough');
  const side = await readSide(dir, manifest, open);
  if (side.meta.log_id !== manifest.log_id) throw new BackupDamaged('foreign', manifest.side);

  return {
    set,
    open,
    side,
    events: cut.events,
    head: cut.head,
    whole: cut.events === manifest.events,
    fates,
    forgotten,
    deleted: [...fates.keys()].filter((subject) => !forgotten.has(subject) && goesUnsaid({ fates, forgotten }, subject)),
    faults,
    entries: async function* () {
      let left = cut.events;
      for (const segment of manifest.segments) {
        if (left <= 0) return;
        const entries = kept.get(segment.number) ?? (await readSegment(dir, manifest, segment, open, seals.get(segment.number))).entries;
        yield entries.slice(0, left);
        left -= entries.length;
      }
    },
  };
};

/** Whether the manifest's list is one unbroken chain of this log. */
const checkOrder = ({ segments, log_id, chain, events }: Manifest): void => {
  let previous = chainStart(log_id);
  let total = 0;
  for (const [i, segment] of segments.entries()) {
    const part = `segment ${segment.number}`;
    if (segment.number !== i + 1) throw new BackupDamaged('reordered', part, `it stands at ${i + 1}`);
    if (segment.previous !== previous) throw new BackupDamaged(i === 0 ? 'foreign' : 'reordered', part, 'its chain does not follow');
    previous = segment.chain;
    total += segment.events;
  }
  if (previous !== chain || total !== events) throw new BackupDamaged('torn', 'manifest.json', 'a segment is missing at its end');
};
