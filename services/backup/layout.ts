import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { DomainError } from '../../domain/errors.js';
import { BackupDamaged } from './damage.js';
import { namesIn, writeWhole } from './files.js';
import { inFolder } from './folder-fault.js';

const MANIFEST = 'manifest.json';
/** What this program writes, and reads. */
export const FORMAT = 1;
const Hex = z.string().regex(/^[0-9a-f]{64}$/);
const Place = z.string().regex(/^\d+-\d+$/);

const Segment = z.object({
  number: z.number().int().positive(),
  first: Place,
  last: Place,
  events: z.number().int().positive(),
  /** The chain before its first entry, and after its last. */
  previous: Hex,
  chain: Hex,
  bytes: z.number().int().nonnegative(),
});
export type Segment = z.infer<typeof Segment>;

const Manifest = z.object({
  format: z.literal(FORMAT),
  log_id: z.string().min(1),
  tenant: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  program: z.string(),
  encryption: z.object({ recipient: z.string().min(1), key: z.enum(['passphrase', 'file']) }).optional(),
  segments: z.array(Segment),
  events: z.number().int().nonnegative(),
  head: z.object({ position: Place, event_id: z.string().optional() }).optional(),
  chain: Hex,
  /** The file beside the segments that holds what is not in the log. */
  side: z.string().optional(),
  /** SHA-256 of that file as it lies there; sets of earlier programs have none. */
  side_sha256: Hex.optional(),
  /** False until the first run ended: the set holds a beginning of the log. */
  complete: z.boolean(),
  vectors: z.string().optional(),
  bytes: z.number().int().nonnegative(),
  /** Lines of FORGOTTEN that the payload files have been freed of. */
  purged: z.number().int().nonnegative(),
});
export type Manifest = z.infer<typeof Manifest>;

/** A set: one log, in numbered segments, in one folder. */
export type BackupSet = { readonly dir: string; readonly name: string; readonly manifest: Manifest };

const SET_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}$/;
/** What the folder itself and the sets in it call their files, in any spelling: some disks make no difference. */
const OF_THE_FOLDER =
  /^(FORGOTTEN|manifest\.json|key\.age|\d{6}\.(envelopes|payloads)(\.age)?|(side|vectors)-.*\.(json|bin)(\.age)?|.*\.tmp)$/i;
/** No folder can have these names on Windows, with any ending, nor one that ends with a dot. */
const OF_WINDOWS = /^(CON|PRN|AUX|NUL|COM\d|LPT\d)(\.|$)|\.$/i;

/** Names of sets: what a person or a tool may pass. */
export const isSetName = (name: string): boolean => SET_NAME.test(name) && !OF_THE_FOLDER.test(name) && !OF_WINDOWS.test(name);

/** Whether a set was taken from this tenant while it held this log. */
export const isOf = ({ manifest }: BackupSet, logId: string, tenant: string): boolean =>
  manifest.log_id === logId && manifest.tenant === tenant;

/** Bytes that a set has: what its last run counted, or what its segments have, where a run was cut off before it counted. */
export const bytesOf = ({ bytes, segments }: Manifest): number =>
  Math.max(
    bytes,
    segments.reduce((sum, segment) => sum + segment.bytes, 0),
  );

/** Whether a set lacks its end, and until when it was written: fields of what is said of it. */
export const completeness = ({ complete, updated_at }: Manifest): { readonly complete: boolean; readonly cut_off_at?: string } =>
  complete ? { complete } : { complete, cut_off_at: updated_at };

/** Whether a set is no more than a folder: its first run was cut off before it wrote a segment. Nobody may take it for a backup. */
export const holdsNothing = ({ manifest }: Pick<BackupSet, 'manifest'>): boolean => !manifest.complete && manifest.segments.length === 0;

/** Why such a set is not restored. */
export const nothingIn = (name: string): DomainError =>
  new DomainError(
    'CONFLICT',
    `The backup ${name} holds nothing: its first run was cut off, or has only begun`,
    'Nothing was changed. Take another backup, or run omnimem backup, which goes on with this one.',
  );

const numbered = (number: number): string => String(number).padStart(6, '0');
const suffix = ({ encryption }: Pick<Manifest, 'encryption'>): string => (encryption ? '.age' : '');

export const envelopesFile = (manifest: Pick<Manifest, 'encryption'>, number: number): string =>
  `${numbered(number)}.envelopes${suffix(manifest)}`;
export const payloadsFile = (manifest: Pick<Manifest, 'encryption'>, number: number): string =>
  `${numbered(number)}.payloads${suffix(manifest)}`;
export const sideFile = (manifest: Pick<Manifest, 'encryption'>, run: string): string => `side-${run}.json${suffix(manifest)}`;
export const vectorsFile = (manifest: Pick<Manifest, 'encryption'>, run: string): string => `vectors-${run}.bin${suffix(manifest)}`;

/**
 * Throws NOT_FOUND when there is no backup in the folder, BackupDamaged when its manifest cannot be read, CONFLICT when a newer
 * program wrote it, UNAVAILABLE for the disk.
 */
export const readSet = (dir: string): Promise<BackupSet> => inFolder(dir, () => readManifest(dir));

/** A set that a newer program wrote is not damaged. */
const newerFormat = (manifest: unknown, dir: string): DomainError | undefined => {
  const { format, program } = (manifest ?? {}) as { readonly format?: unknown; readonly program?: unknown };
  if (typeof format !== 'number' || format <= FORMAT) return undefined;
  const by = typeof program === 'string' ? ` (OmniMem ${program.slice(0, 40)})` : '';
  return new DomainError(
    'CONFLICT',
    `The backup ${basename(dir)} was written by a newer program${by}: its format is ${format}, and this program reads ${FORMAT}`,
    'Nothing was changed. Restore it with that version of OmniMem, or a later one.',
  );
};

const readManifest = async (dir: string): Promise<BackupSet> => {
  const text = await readFile(join(dir, MANIFEST), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    throw new DomainError('NOT_FOUND', `There is no backup in ${dir}`, 'omnimem backups lists what there is.');
  });
  let written: unknown;
  try {
    written = JSON.parse(text);
  } catch {
    throw new BackupDamaged('torn', MANIFEST);
  }
  const newer = newerFormat(written, dir);
  if (newer) throw newer;
  const manifest = Manifest.safeParse(written);
  if (!manifest.success) {
    throw new BackupDamaged('altered', MANIFEST, manifest.error.issues.map(({ path }) => path.join('.')).join(', '));
  }
  return { dir, name: basename(dir), manifest: manifest.data };
};

export const writeManifest = (dir: string, manifest: Manifest): Promise<void> =>
  writeWhole(join(dir, MANIFEST), `${JSON.stringify(manifest, undefined, 1)}\n`);

/** Sets below a folder, the one that was written to last first. What cannot be read is named in `unreadable`. Throws UNAVAILABLE. */
export const listSets = async (root: string): Promise<{ readonly sets: readonly BackupSet[]; readonly unreadable: readonly string[] }> => {
  const sets: BackupSet[] = [];
  const unreadable: string[] = [];
  for (const name of await inFolder(root, () => namesIn(root))) {
    const dir = join(root, name);
    const isSet = isSetName(name) && (await stat(join(dir, MANIFEST)).catch(() => undefined)) !== undefined;
    if (!isSet) continue;
    try {
      sets.push(await readSet(dir));
    } catch {
      unreadable.push(name);
    }
  }
  sets.sort((a, b) => (a.manifest.updated_at < b.manifest.updated_at ? 1 : a.manifest.updated_at > b.manifest.updated_at ? -1 : 0));
  return { sets, unreadable };
};

/**
 * The set in a folder, or the newest of the sets below it, a complete one if there is any. Throws NOT_FOUND when there is none,
 * CONFLICT when there are only such that hold nothing.
 */
export const findSet = async (path: string): Promise<BackupSet> => {
  const here = await readSet(path).catch((error: unknown) => {
    if (error instanceof DomainError && error.code === 'NOT_FOUND') return error;
    throw error;
  });
  if (!(here instanceof DomainError)) return here;
  const { sets, unreadable } = await listSets(path);
  const newest = sets.find(({ manifest }) => manifest.complete) ?? sets.find((set) => !holdsNothing(set));
  if (newest) return newest;
  if (unreadable[0] !== undefined) await readSet(join(path, unreadable[0])); // which says what is wrong with it
  if (sets[0]) throw nothingIn(sets[0].name);
  throw here;
};
