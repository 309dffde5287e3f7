import { estimateTokens, fitWithin } from '../../domain/budget.js';
import { LIMITS } from '../../domain/vocabulary.js';
import { rowsOf } from './rows.js';
/** Memories by key, whole, archived ones included; the first 50 keys. Counts as no recall. */
export const recallDetail = async (parts, input, _call) => {
    const wanted = [...new Set(input.keys.map((key) => key.trim()))].filter((key) => key.startsWith('mem:')).slice(0, LIMITS.detailKeys);
    await parts.fresh();
    const rows = await rowsOf(parts, wanted);
    const results = wanted.map((key) => {
        const row = rows.get(key);
        return row ? detailOf(row) : { key, status: 'not_found' };
    });
    const budget = Math.min(parts.maxTokens, Math.max(200, input.max_tokens ?? parts.maxTokens));
    const { kept, cut } = fitWithin(results, budget, (item) => estimateTokens(JSON.stringify(item)));
    return {
        results: kept,
        ...(cut.length > 0 && { cut: { keys: cut.map(({ key }) => key), note: 'These did not fit; call recall_detail again with them.' } }),
    };
};
export const detailOf = (row) => ({
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
    licence: row.licence,
    ...(row.licence_note !== undefined && { licence_note: row.licence_note }),
    provenance: row.provenance,
});
//# sourceMappingURL=detail.js.map