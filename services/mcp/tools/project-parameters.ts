import { z } from 'zod';
import { LONG_TEXT } from '../bounds.js';

/** Parameters that the tools for whole projects share. */

export const projectName = z.string().describe('Name of the project, such as billing-api: letters, digits, blanks, dots, _ and -.');
export const currentState = z.string().max(LONG_TEXT).describe('Where the work stands now and what comes next, at most 10,000 characters.');
export const notes = z.string().max(LONG_TEXT).optional().describe('Anything else worth knowing. Left out: the notes stay as they are.');
export const readVersion = z
  .number()
  .int()
  .min(1)
  .optional()
  .describe(
    'The version that briefing or get_project_context answered. If the state has changed since, nothing is written and you get the newer text.',
  );
export const force = z.boolean().optional().describe('True to skip the check for credentials. Default false.');
export const confirm = z.boolean().optional().describe('True to do it. Default false: only tell what would happen.');
export const includeContext = z.boolean().optional().describe('The context of the project too, and not only its memories. Default false.');
