import { z } from 'zod';
import { defineTool } from '../tool.js';
import { force, licenceNote, stampKeys } from './parameters.js';

export const setLicence = defineTool({
  name: 'set_licence',
  title: 'Set the licence',
  description: `Say what rights memories carry: own, open, restricted or unknown. Use it when recall reports a licence_notice and you know the source.
A document is stamped as a whole, and facts drawn from a memory follow it (cascaded). A new licence without a note removes the old note. Never changes ranking.`,
  effect: 'writes',
  idempotent: true,
  parameters: {
    keys: stampKeys,
    licence: z.string().describe('own, open, restricted, unknown, or an identifier such as MIT, Apache-2.0, CC-BY-4.0, proprietary.'),
    licence_note: licenceNote,
    force,
  },
  output: {
    licence: 'string',
    licence_note: 'string',
    classified: 'integer',
    cascaded: 'integer',
    not_found: 'string[]',
    visible: 'boolean',
  },
  run: (input, { app, call }) => app.commands.setLicence(input, call),
});
