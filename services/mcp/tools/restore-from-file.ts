import { z } from 'zod';
import { defineTool } from '../tool.js';

export const restoreFromFile = defineTool({
  name: 'restore_from_file',
  title: 'Restore a backup',
  description: `Check a backup and say what restoring it would do; with dry_run: false, do it. Ask the human first.
It goes into an empty memory, or adds what is missing at the end of the same history. It never makes history shorter, never brings back what was forgotten, and refuses a damaged backup whole. To bring two different memories together there is omnimem merge.`,
  effect: 'writes',
  idempotent: true,
  parameters: {
    filename: z.string().describe('A filename that list_backups names.'),
    dry_run: z.boolean().optional().describe('Default true: check only, change nothing.'),
    until: z.string().optional().describe('Only up to this ISO time, age such as 2h, place in the log, or event id.'),
  },
  output: {
    status: 'string',
    would: 'string',
    filename: 'string',
    log_id: 'string',
    events_in_backup: 'integer',
    events_restored: 'integer',
    kept_forgotten: 'integer',
    unreadable: 'integer',
    complete: 'boolean',
    cut_off_at: 'string',
    side_unproven: 'boolean',
    digests: 'object',
    note: 'string',
  },
  run: (input, { app, call }) => app.backups.restore(input, call),
});
