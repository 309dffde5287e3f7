import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Open } from './crypt.js';
import { BackupDamaged } from './damage.js';
import { chained, factsOf, markOf, type PayloadState, payloadDigest, type RawEntry, type WireField } from './entry.js';
import { envelopesFile, type Manifest, payloadsFile, type Segment } from './layout.js';

const END = 0xffff_ffff;

type Head = { readonly kind: 'envelopes' | 'payloads'; readonly log_id: string; readonly segment: number; readonly previous?: string };

/** A segment's envelopes as text: a head, a line an entry with a mark that names damage, a foot. Answers the chain after it. */
export const encodeEnvelopes = (
  logId: string,
  number: number,
  previous: string,
  entries: readonly RawEntry[],
): { readonly bytes: Buffer; readonly chain: string } => {
  const head: Head = { kind: 'envelopes', log_id: logId, segment: number, previous };
  const lines = [JSON.stringify(head)];
  let chain = previous;
  for (const entry of entries) {
    chain = chained(chain, entry);
    lines.push(JSON.stringify([entry.position, entry.state, markOf(chain, entry.state), entry.fields]));
  }
  lines.push(JSON.stringify({ entries: entries.length, chain }), '');
  return { bytes: Buffer.from(lines.join('\n')), chain };
};

/** A segment's payloads: a head line, then index, length and bytes of each that is there, then the count. */
export const encodePayloads = (logId: string, number: number, payloads: readonly (Buffer | undefined)[]): Buffer => {
  const head: Head = { kind: 'payloads', log_id: logId, segment: number };
  const parts: Buffer[] = [Buffer.from(`${JSON.stringify(head)}\n`)];
  let count = 0;
  for (const [index, payload] of payloads.entries()) {
    if (!payload) continue;
    parts.push(pair(index, payload.length), payload);
    count += 1;
  }
  parts.push(pair(END, count));
  return Buffer.concat(parts);
};

const pair = (a: number, b: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(a, 0);
  bytes.writeUInt32BE(b, 4);
  return bytes;
};

export type ReadSegment = {
  readonly entries: readonly RawEntry[];
  /** SHA-256 over both files: whoever has read them once can tell that they are the same. */
  readonly seal: string;
};

/**
 * Reads a segment back and holds every byte against its chain; files that have the seal of an earlier reading need no
 * second look. Throws BackupDamaged.
 */
export const readSegment = async (dir: string, manifest: Manifest, segment: Segment, open: Open, known?: string): Promise<ReadSegment> => {
  const [envelopes, payloads] = [envelopesFile(manifest, segment.number), payloadsFile(manifest, segment.number)];
  const [lines, records] = [await load(dir, envelopes, open), await load(dir, payloads, open)];
  const seal = createHash('sha256').update(lines).update(records).digest('hex');
  const checked = seal !== known;
  const entries = decodeEnvelopes(lines, envelopes, manifest, segment, checked);
  const found = decodePayloads(records, payloads, manifest, segment);
  const whole = entries.map((entry, index) => {
    const payload = found.get(index);
    if (checked && payload && entry.state === 'p' && payloadDigest(payload) !== factsOf(entry).digest) {
      throw new BackupDamaged('altered', payloads, `the payload of ${entry.position}`);
    }
    return { ...entry, payload };
  });
  return { entries: whole, seal };
};

/** The payloads alone, by index, for a rewrite that leaves some out. */
export const readPayloads = async (dir: string, manifest: Manifest, segment: Segment, open: Open): Promise<ReadonlyMap<number, Buffer>> => {
  const name = payloadsFile(manifest, segment.number);
  return decodePayloads(await load(dir, name, open), name, manifest, segment);
};

export const readEnvelopes = async (dir: string, manifest: Manifest, segment: Segment, open: Open): Promise<readonly RawEntry[]> => {
  const name = envelopesFile(manifest, segment.number);
  return decodeEnvelopes(await load(dir, name, open), name, manifest, segment);
};

const load = async (dir: string, name: string, open: Open): Promise<Buffer> => {
  const bytes = await readFile(join(dir, name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new BackupDamaged('missing', name);
  });
  return open(bytes, name);
};

const checkHead = (text: string, kind: Head['kind'], part: string, manifest: Manifest, segment: Segment): Head => {
  let head: Partial<Head>;
  try {
    head = JSON.parse(text) as Partial<Head>;
  } catch {
    throw new BackupDamaged(text === '' ? 'torn' : 'altered', part, 'its head cannot be read');
  }
  if (head.kind !== kind) throw new BackupDamaged('altered', part, 'its head cannot be read');
  if (head.log_id !== manifest.log_id) throw new BackupDamaged('foreign', part, `log ${String(head.log_id).slice(0, 40)}`);
  if (head.segment !== segment.number) throw new BackupDamaged('reordered', part, `it is segment ${String(head.segment).slice(0, 12)}`);
  return head as Head;
};

const decodeEnvelopes = (bytes: Buffer, part: string, manifest: Manifest, segment: Segment, checked = true): RawEntry[] => {
  const lines = bytes.toString('utf8').split('\n');
  const head = checkHead(lines[0] ?? '', 'envelopes', part, manifest, segment);
  if (head.previous !== segment.previous) throw new BackupDamaged('altered', part, 'it does not follow the segment before it');
  if (lines.at(-1) !== '' || lines.length < 3) throw new BackupDamaged('torn', part);
  let chain = segment.previous;
  const entries = lines.slice(1, -2).map((line, index) => {
    const at = `line ${index + 2}`;
    const entry = entryOf(line);
    if (!entry) throw new BackupDamaged('altered', part, at);
    if (checked) chain = chained(chain, entry);
    if (checked && markOf(chain, entry.state) !== entry.mark)
      throw new BackupDamaged('altered', part, `${at}, entry ${entry.position.slice(0, 40)}`);
    return { position: entry.position, fields: entry.fields, state: entry.state, payload: undefined };
  });
  if (!checked) return entries;
  const foot = lines.at(-2) ?? '';
  if (entries.length < segment.events) throw new BackupDamaged('torn', part, `${entries.length} of ${segment.events} entries`);
  if (foot !== JSON.stringify({ entries: entries.length, chain }) || chain !== segment.chain) {
    throw new BackupDamaged('altered', part, 'the chain does not end as it should');
  }
  return entries;
};

const STATES: ReadonlySet<string> = new Set(['p', 'h', 'm', 'd', 'b']);

const entryOf = (line: string): { position: string; state: PayloadState; mark: string; fields: WireField[] } | undefined => {
  try {
    const [position, state, mark, fields] = JSON.parse(line) as [unknown, unknown, unknown, unknown];
    const readable = typeof position === 'string' && typeof state === 'string' && STATES.has(state) && Array.isArray(fields);
    return readable ? { position, state: state as PayloadState, mark: String(mark), fields: fields as WireField[] } : undefined;
  } catch {
    return undefined;
  }
};

const decodePayloads = (bytes: Buffer, part: string, manifest: Manifest, segment: Segment): Map<number, Buffer> => {
  const firstLine = bytes.indexOf(0x0a);
  checkHead(bytes.subarray(0, Math.max(0, firstLine)).toString('utf8'), 'payloads', part, manifest, segment);
  const found = new Map<number, Buffer>();
  let last = -1;
  for (let at = firstLine + 1; ; ) {
    if (at + 8 > bytes.length) throw new BackupDamaged('torn', part);
    const [index, length] = [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
    at += 8;
    if (index === END) {
      if (at !== bytes.length || length !== found.size) throw new BackupDamaged('altered', part, 'it does not end as it should');
      return found;
    }
    if (index <= last || index >= segment.events) throw new BackupDamaged('altered', part, `a record for entry ${index}`);
    if (at + length > bytes.length) throw new BackupDamaged('torn', part);
    found.set(index, bytes.subarray(at, at + length));
    last = index;
    at += length;
  }
};
