import { z } from 'zod';
import { defineTool } from '../tool.js';

export const dumpToFile = defineTool({
  name: 'dump_to_file',
  title: 'Back up',
  description: `Write a backup of the whole memory, or bring the newest one up to date: only what is new is written. Use it before something risky, or when the human asks for a backup.
Everything goes on meanwhile. What was forgotten is not in what is written; older parts of a backup are freed of it by omnimem backup purge.`,
  effect: 'writes',
  parameters: {
    filename: z.string().optional().describe('Name of the backup: letters, digits, dots, _ and -. Default: the newest one of this memory.'),
    full: z.boolean().optional().describe('True for a new backup with everything in it. Default false.'),
    with_embeddings: z.boolean().optional().describe('Also the vectors, so that a restore need not make them. Default: BACKUP_EMBEDDINGS.'),
  },
  output: {
    filename: 'string',
    path: 'string',
    total_events: 'integer',
    events_added: 'integer',
    segments_added: 'integer',
    size_kb: 'number',
    encrypted: 'boolean',
    log_digest: 'string',
    expired: 'string[]',
    warning: 'string',
  },
  run: (input, { app, call }) => app.backups.dump(input, call),
});
