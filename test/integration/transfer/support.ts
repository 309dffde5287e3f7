import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { withServing } from '../../../projections/generation.js';
import { type MemoryRow, memories, readServingMemories } from '../../../projections/memories.js';
import { scanRows } from '../../../projections/rows.js';
import { prepareImport, runImport, type TransferOptions } from '../../../services/transfer/import.js';
import type { ImportReport } from '../../../services/transfer/report.js';
import type { TestApp } from '../../support/app.js';
import { readAll } from '../../support/eventlog.js';

export const fixture = (name: string): string => resolve('test/fixtures/transfer', name);

/** A folder of its own, removed at the end of the block. */
export const folder = (): Disposable & { readonly path: string; readonly in: (name: string) => string } => {
  const path = mkdtempSync(join(tmpdir(), 'omt-transfer-'));
  return { path, in: (name) => join(path, name), [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
};

export const bring = async (test: TestApp, path: string, options: Partial<TransferOptions> = {}): Promise<ImportReport> =>
  runImport(test, await prepareImport({ path, ...options }));

export const allRows = async ({ redis, keys }: TestApp): Promise<ReadonlyMap<string, MemoryRow>> => {
  const names = await withServing(redis, keys, memories.name, async (generation) => {
    const found: string[] = [];
    for await (const rows of scanRows(redis, keys, memories.name, generation)) found.push(...rows);
    return [...new Set(found)].sort();
  });
  return readServingMemories(redis, keys, names);
};

/** What an export carries: the fields of a row without the numbers of its events. */
export const portable = (rows: ReadonlyMap<string, MemoryRow>): Readonly<Record<string, object>> =>
  Object.fromEntries([...rows].map(([key, { version: _v, content_version: _c, ...row }]) => [key, row]));

/** What imports appended; the model of the vectors is noted beside it, by others. */
export const importedEvents = async ({ log }: TestApp) =>
  (await readAll(log))
    .map((entry) => (entry.kind === 'event' ? entry.event : entry.kind === 'husk' ? entry.husk : undefined))
    .filter((entry) => entry !== undefined)
    .filter(({ envelope }) => envelope.actor.startsWith('import:'));
