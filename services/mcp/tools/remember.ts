import { z } from 'zod';
import { noticedWhere } from '../recalled.js';
import { defineTool } from '../tool.js';
import { content, licence, licenceNote, mode, namespace, project, provenance, tags } from './parameters.js';

export const remember = defineTool({
  name: 'remember',
  title: 'Remember',
  description: `Store one fact, decision, fix or preference for later sessions. Returns its key.
Write it so that it can be understood alone: what, why, and the names that someone would search for. One matter for each call; for a long text use remember_document.
A text that is already known is not stored twice: the answer is then duplicate_found with the existing key. To correct that memory use revise; to store it all the same, pass force. A contradiction_warning names a memory that seems to say the opposite: ask the human which one holds.
A project_suggestion says that the project is new and its name close to another: ask the human whether they are one (then merge_projects).
The write is safe once this answers; visible: false means that recall may miss it for a moment. Never store passwords, tokens or other secrets.`,
  effect: 'writes',
  essential: true,
  parameters: {
    content,
    project,
    tags,
    namespace,
    force: z.boolean().optional().describe('Skip the checks for duplicates, contradictions and secrets, and enrichment. Default false.'),
    mode,
    licence,
    licence_note: licenceNote,
    provenance,
    event_date: z.string().optional().describe('ISO date or time that the text speaks of, when that is not now.'),
    expires_at: z.string().optional().describe('Of knowledge: ISO date or time in the future from which recall leaves it out.'),
  },
  output: {
    notice: 'string',
    status: 'string',
    key: 'string',
    namespace: 'string',
    embedding: 'string',
    project: 'string',
    project_suggestion: 'object',
    existing_key: 'string',
    existing_content: 'string',
    contradiction_warning: 'object',
    hint: 'string',
    note: 'string',
    similarity: 'number',
    visible: 'boolean',
  },
  run: async (input, { app, call }) =>
    noticedWhere(await app.commands.remember(input, call), ['existing_content', 'contradiction_warning']),
});
