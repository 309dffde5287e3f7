import { clip } from '../../domain/passage.js';
import { counters, countSets, membersOf, sets } from '../../projections/counters.js';
import { withServing } from '../../projections/generation.js';
import type { MemoryRow } from '../../projections/memories.js';
import type { Lineage, Relative } from '../api.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import type { QueryParts } from './parts.js';
import { rowsOf } from './rows.js';

const HEAD = 80;
/** Of a long document the chunks around this one are shown. */
const CHUNKS_SHOWN = 21;
const FACTS_SHOWN = 20;
/** A document is read whole up to so many chunks, to be put in the order of its text. */
const CHUNKS_READ = 1_000;

/**
 * Where a memory stands among others now: the document it is a chunk of with its neighbours in order, what it was drawn
 * from, and the facts drawn from it. Undefined when it stands alone. Texts are heads of 80 characters.
 */
export const lineageOf = async (parts: QueryParts, key: string, row: MemoryRow | undefined): Promise<Lineage | undefined> => {
  const { redis, keys } = parts;
  const doc_id = row?.doc_id;
  const { chunks, facts, total } = await unavailableWhenDown(() =>
    withServing(redis, keys, counters.name, async (generation) => {
      const [chunks, facts, sizes] = await Promise.all([
        doc_id === undefined ? [] : membersOf(redis, keys, generation, sets.document(doc_id), { limit: CHUNKS_READ }),
        membersOf(redis, keys, generation, sets.facts(key), { limit: FACTS_SHOWN }),
        countSets(redis, keys, generation, [sets.facts(key)]),
      ]);
      return { chunks, facts, total: sizes[0] ?? 0 };
    }),
  );
  const source = row?.enriched_from;
  const rows = await rowsOf(parts, [...new Set([...chunks, ...facts, ...(source === undefined ? [] : [source])])]);
  const lineage: Lineage = {
    ...(doc_id !== undefined && documentOf(doc_id, key, chunks, rows)),
    ...(source !== undefined && {
      extracted_from: {
        ...relativeOf(source, rows.get(source)),
        ...(row?.source_doc_id !== undefined && row.source_doc_id !== source && { doc_id: row.source_doc_id }),
      },
    }),
    ...(facts.length > 0 && {
      facts: facts.flatMap((fact) => {
        const found = rows.get(fact);
        return found ? [{ ...relativeOf(fact, found), namespace: found.namespace }] : [];
      }),
    }),
    ...(total > facts.length && { facts_total: total }),
  };
  return Object.keys(lineage).length > 0 ? lineage : undefined;
};

const relativeOf = (key: string, row: MemoryRow | undefined): Relative =>
  row ? { key, state: row.state, content: clip(row.content, HEAD) } : { key, state: 'forgotten' };

const documentOf = (
  doc_id: string,
  key: string,
  members: readonly string[],
  rows: ReadonlyMap<string, MemoryRow>,
): Pick<Lineage, 'document' | 'chunks'> => {
  const chunks = members
    .flatMap((member) => rows.get(member) ?? [])
    .sort((a, b) => (a.chunk_index ?? 0) - (b.chunk_index ?? 0) || (a.key < b.key ? -1 : 1));
  const at = chunks.findIndex((chunk) => chunk.key === key);
  const from = Math.max(0, Math.min(at - Math.floor(CHUNKS_SHOWN / 2), chunks.length - CHUNKS_SHOWN));
  return {
    document: { doc_id, chunks: chunks.length, ...(at >= 0 && { place: at + 1 }) },
    chunks: chunks.slice(from, from + CHUNKS_SHOWN).map((chunk) => ({
      ...relativeOf(chunk.key, chunk),
      ...(chunk.chunk_index !== undefined && { chunk_index: chunk.chunk_index }),
    })),
  };
};
