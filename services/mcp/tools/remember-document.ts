import { z } from 'zod';
import { CHUNK_STRATEGIES } from '../../../domain/vocabulary.js';
import type { Cut } from '../ceiling.js';
import { defineTool } from '../tool.js';
import { content, licence, licenceNote, mode, namespace, project, provenance, tags } from './parameters.js';

const CUT_KEYS: Cut = {
  list: 'keys',
  from: 'end',
  say: (_answer, dropped) => ({
    cut: { note: `${dropped.length} more keys did not fit; all chunks are stored. memory_audit lists them.` },
  }),
};

export const rememberDocument = defineTool({
  name: 'remember_document',
  title: 'Remember a document',
  description: `Store a long text in chunks that can be recalled one by one: notes, a transcript, a design page.
All chunks share one doc_id and are stored together or not at all. Chunks that are already known are skipped and counted in duplicates_skipped.
chunk_strategy: paragraphs (default; headings stay with their text), turn_pairs (a conversation, question with answer), sentences, fixed_tokens (chunk_size words each).`,
  effect: 'writes',
  parameters: {
    content,
    chunk_strategy: z.enum(CHUNK_STRATEGIES).optional().describe('How the text is divided. Default paragraphs.'),
    project,
    tags,
    namespace,
    mode,
    chunk_size: z.number().int().min(1).optional().describe('Words in a chunk, for fixed_tokens only. Default 200.'),
    licence,
    licence_note: licenceNote,
    provenance,
    force: z.boolean().optional().describe('Store it though it looks like it holds a live credential. Default false.'),
  },
  output: {
    doc_id: 'string',
    keys: 'string[]',
    chunks_stored: 'integer',
    chunks_total: 'integer',
    duplicates_skipped: 'integer',
    enrichment: 'string',
    project: 'string',
    project_suggestion: 'object',
  },
  cut: CUT_KEYS,
  run: async (input, { app, call }) => {
    const { doc_id, ...stored } = await app.commands.rememberDocument(input, call);
    // No chunk at all: the field is left out, since a schema that also allows null has alternatives.
    return doc_id === null ? stored : { doc_id, ...stored };
  },
});
