import { DomainError } from '../../domain/errors.js';
import { clip } from '../../domain/passage.js';
import { LIMITS } from '../../domain/vocabulary.js';
import type { MemoryRow } from '../../projections/memories.js';
import type { Call, MemoryDetail, RecallDetailInput, RecallDetailResult } from '../api.js';
import { experienceFields } from './experience/fields.js';
import { fitAnswer, type Truncated } from './fit.js';
import type { QueryParts } from './parts.js';
import { rowsOf } from './rows.js';

/** UTF-16 units of what may be a key; what is longer is none, and not said back as a whole. */
const SHOWN = 300;

/** Memories by key, whole, archived ones included; of more than 50 keys the rest is named in `cut`. Counts as no recall. */
export const recallDetail = async (parts: QueryParts, input: RecallDetailInput, _call: Call): Promise<RecallDetailResult> => {
  const named = [...new Set(input.keys.map((key) => clip(key.trim(), SHOWN)))];
  const [wanted, beyond] = [named.slice(0, LIMITS.detailKeys), named.slice(LIMITS.detailKeys)];
  const stale = await parts.fresh();
  const rows = await rowsOf(
    parts,
    wanted.filter((key) => key.startsWith('mem:')),
  );
  const offset = input.offset ?? 0;
  if (offset > 0 && wanted.length !== 1) {
    throw new DomainError('VALIDATION', 'offset reads on in one memory', 'Pass one key with it');
  }
  const results = wanted.map((key) => {
    const row = rows.get(key);
    return row ? readFrom(detailOf(row), offset) : { key, status: 'not_found' as const };
  });
  const budget = Math.min(parts.maxTokens, Math.max(200, input.max_tokens ?? parts.maxTokens));
  const { kept, cut } = fitAnswer<(typeof results)[number]>(results, budget, offset);
  const left = [...cut.map(({ key }) => key), ...beyond];
  return {
    results: kept,
    ...(stale && { stale }),
    ...(left.length > 0 && { cut: { keys: left, note: 'These did not fit; call recall_detail again with them.' } }),
  };
};

/** A memory whose text begins at `offset`, and then says which part it is. */
const readFrom = (memory: MemoryDetail, offset: number): MemoryDetail & { readonly content_truncated?: Truncated } => {
  if (offset === 0) return memory;
  const of = memory.content.length;
  const content = memory.content.slice(offset);
  return { ...memory, content, content_truncated: { from: of - content.length, to: of, of, next: 'This is its end.' } };
};

export const detailOf = (row: MemoryRow): MemoryDetail => ({
  key: row.key,
  content: row.content,
  namespace: row.namespace,
  state: row.state,
  ...(row.project !== undefined && { project: row.project }),
  ...(row.tags.length > 0 && { tags: row.tags }),
  ...(row.source_url !== undefined && { source_url: row.source_url }),
  created_at: row.created_at,
  updated_at: row.updated_at,
  ...(row.doc_id !== undefined && { doc_id: row.doc_id }),
  ...(row.chunk_index !== undefined && { chunk_index: row.chunk_index }),
  ...(row.event_date !== undefined && { event_date: row.event_date }),
  licence: row.licence,
  ...(row.licence_note !== undefined && { licence_note: row.licence_note }),
  provenance: row.provenance,
  ...experienceFields(row),
});
