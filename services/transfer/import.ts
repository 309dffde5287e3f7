import { ORIGIN } from '../../domain/envelope.js';
import { projectionsReached } from '../../projections/checkpoint.js';
import { correlations } from '../../projections/correlations.js';
import { memories } from '../../projections/memories.js';
import { suppressions } from '../../projections/suppressions.js';
import { timeline } from '../../projections/timeline.js';
import { type ImportFate, importMemories, importTopics } from '../commands/import.js';
import { importProjects } from '../commands/import-projects.js';
import { assertRoom } from '../disk.js';
import { systemRandom } from '../eventlog/random.js';
import type { Store } from '../ops/store.js';
import { openSource } from './detect.js';
import { type Plan, planImport } from './plan.js';
import { type ImportReport, reportOf } from './report.js';
import { refusedBefore, sideFileOf, sideFileText, writeSideFile } from './side-file.js';
import type { Source, SourceFormat } from './source.js';

export type TransferOptions = {
  /** The folder whose disk must have room, and the bytes it must have; absent for a server of somebody else's. */
  readonly room?: { readonly dataDir: string; readonly minFreeBytes: number } | undefined;
  readonly path: string;
  readonly from?: SourceFormat | undefined;
  readonly split?: 'headings' | 'files' | undefined;
  /** For memories that name no project. */
  readonly project?: string | undefined;
  /** Also imports texts that look like live credentials. */
  readonly force?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  /** Where to write what has no place here; default beside the source. */
  readonly setAside?: string | undefined;
  readonly now?: (() => number) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((what: string, done: number, total: number) => void) | undefined;
};

const VIEWS = [memories.name, timeline.name, suppressions.name, correlations.name];
const PATIENCE_MS = 10_000;

/** A source that was read and checked; the store has not been asked yet. */
export type PreparedImport = { readonly source: Source; readonly plan: Plan; readonly options: TransferOptions };

/** Reads and checks a file or folder. Throws VALIDATION or TOO_LARGE for what cannot be read at all. */
export const prepareImport = async (options: TransferOptions): Promise<PreparedImport> => {
  const { path, from, split = 'headings', project, force = false, now = Date.now } = options;
  const source = await openSource(path, { from, split, project, now: now() });
  return { source, plan: planImport(source, { now: now(), force }), options };
};

/**
 * Writes the side file, then stores what was prepared. Run again, it goes on where it was cut short, and at last changes
 * nothing. Throws CONFLICT or VALIDATION when the side file cannot be written, UNAVAILABLE when the store cannot.
 */
export const runImport = async (
  { log, redis, keys }: Pick<Store, 'log' | 'redis' | 'keys'>,
  { source, plan, options }: PreparedImport,
): Promise<ImportReport> => {
  const { path, signal, onProgress, room, dryRun = false, now = Date.now } = options;
  const random = systemRandom();
  const sideFile = options.setAside ?? sideFileOf(path);
  const before = await refusedBefore(sideFile, plan.refused);
  const writing = !dryRun && plan.setAside.length + plan.refused.length > 0;
  // Marks of refusals alone are no reason to import nothing where they cannot be kept.
  if (writing)
    await writeSideFile(sideFile, sideFileText(path, plan.setAside, plan.refused)).catch((error) => {
      if (plan.setAside.length > 0) throw error;
    });

  const correlation = random.ulid(now());
  const parts = { log, random, now };
  const fates = new Map<string, ImportFate>();
  const call = {
    actor: `import:${source.format}`,
    correlation,
    dryRun,
    signal,
    mayWrite: async () => {
      if (room && !dryRun) await assertRoom(room.dataDir, room.minFreeBytes);
    },
    onBatch: (done: number, total: number) => onProgress?.('importing', done, total),
    onFate: (key: string, fate: ImportFate) => void fates.set(key, fate),
  };
  const topics = new Map<string, 'imported' | 'existing'>();
  const projects = new Map<string, 'imported' | 'existing'>();
  try {
    for (const [name, fate] of await importProjects(parts, plan.projects, call)) projects.set(name, fate);
    for (const [topic, fate] of await importTopics(parts, plan.topics, call)) topics.set(topic, fate);
    await importMemories(parts, plan.items, call);
  } catch (error) {
    // Ctrl-C may take the server away in the middle of a batch. Which of its memories are there, the next run sees.
    if (!signal?.aborted) throw error;
  }
  const head = dryRun || fates.size + topics.size + projects.size === 0 || signal?.aborted ? undefined : await log.head();
  const visible = (await projectionsReached(redis, keys, head ? VIEWS : [], head?.position ?? ORIGIN, PATIENCE_MS, signal)) === 'reached';
  return reportOf({ path, source, plan, fates, topics, projects, sideFile, correlation, dryRun, visible, refusedBefore: before });
};
