import { z } from 'zod';
import type { Cut } from '../ceiling.js';
import { noticedWhere } from '../recalled.js';
import { defineTool } from '../tool.js';
import { keyOrQuery } from './parameters.js';

const CUT_TARGETS: Cut = {
  list: 'targets',
  from: 'end',
  say: (_answer, dropped) => ({
    cut: { keys: dropped.map((target) => (target as { readonly key: string }).key), note: 'These are meant as well.' },
  }),
};

export const forget = defineTool({
  name: 'forget',
  title: 'Forget for good',
  description: `Erase memories for good: text, vectors and history, and the facts drawn from them. Only for "delete it permanently" or "wipe it"; otherwise use deprioritise.
Two steps. First without confirm, saying what: key_or_query, or keys, or topic, or any of doc_id, project, created_after and created_before together. The answer previews what would go, with counts, a preview_id and what stays (topics_left, note). Show it to the human. Then again with confirm: true and that preview_id, or exactly the keys of the preview. Nothing else is erased, and a query is never run again to find more; what was revised since is left by preview_id (changed_since_preview). A key given with confirm names exactly what goes and needs no preview.
The text leaves memory at once and the files on disk shortly after (disk: pending). An interrupted call goes on when it is repeated with the same preview_id.`,
  effect: 'destroys',
  idempotent: true,
  essential: true,
  parameters: {
    key_or_query: keyOrQuery.optional(),
    confirm: z.boolean().optional().describe('True to erase what the preview listed. Default false: preview only.'),
    preview_id: z.string().optional().describe('With confirm: the preview_id of the preview, good for half an hour.'),
    keys: z.array(z.string()).max(500).optional().describe('With confirm: exactly the keys of the preview. Without: previews these.'),
    doc_id: z.string().optional().describe('Every chunk of this document.'),
    project: z.string().optional().describe('Every memory of this project.'),
    created_after: z.string().optional().describe('ISO date or time: what was remembered from then on.'),
    created_before: z.string().optional().describe('ISO date or time: what was remembered before then.'),
    topic: z.string().optional().describe('A topic that was suppressed by hand: its text and reasons go.'),
  },
  output: {
    notice: 'string',
    status: 'string',
    preview_id: 'string',
    expires_at: 'string',
    total: 'integer',
    by_namespace: 'object',
    project_names: 'string[]',
    project_suggestion: 'object',
    facts: 'integer',
    suppressed_topics: 'integer',
    suppressions_kept: 'string[]',
    topics_left: 'string[]',
    targets: 'object[]',
    next: 'string',
    note: 'string',
    receipt: 'string',
    deleted: 'integer',
    deleted_keys: 'string[]',
    changed_since_preview: 'string[]',
    erased: 'boolean',
    disk: 'string',
    backups_note: 'string',
    visible: 'boolean',
  },
  cut: CUT_TARGETS,
  run: async (input, { app, call }) => noticedWhere(await app.commands.forget(input, call), ['targets', 'topics_left']),
});
