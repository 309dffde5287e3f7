import { z } from 'zod';
import { RANGES } from '../../../domain/range.js';
import { NAMESPACES } from '../../../domain/vocabulary.js';
import { wholeUpTo } from '../bounds.js';
import type { Cut } from '../ceiling.js';
import { DATA_NOTICE } from '../recalled.js';
import { defineTool } from '../tool.js';
import { asOf } from './parameters.js';

/** A shorter page is still a page: the next one begins where this one ended. */
const CUT_PAGE: Cut = {
  list: 'entries',
  from: 'end',
  say: (answer, dropped) => {
    const returned = Number(answer.returned) - dropped.length;
    return {
      returned,
      has_more: true,
      cut: { offset: Number(answer.offset) + returned, note: 'The page was too long; go on with this offset.' },
    };
  },
};

export const memoryAudit = defineTool({
  name: 'memory_audit',
  title: 'Audit memories',
  description: `List what is stored, page by page, with the state of each memory and totals, all four namespaces unless one is named. Use it to review a project, not to search (use recall).
Pages are stable: go on with offset while has_more is true. days_stale marks an active episodic memory that was not changed for STALE_MEMORY_DAYS (30 unless set): check whether it still holds, then revise, archive or deprioritise it.`,
  effect: 'reads',
  parameters: {
    project: z.string().optional().describe('Only this project.'),
    namespace: z.enum(NAMESPACES).optional().describe('Only this namespace. Default: all four.'),
    include_archived: z.boolean().optional().describe('Archived memories too. Default false.'),
    limit: wholeUpTo(RANGES.auditLimit, 'Entries in a page, 1 to 500. Default 100.'),
    offset: z.number().int().min(0).optional().describe('Where the page begins. Default 0.'),
    as_of: asOf,
  },
  output: {
    notice: 'string',
    project_suggestion: 'object',
    summary: 'object',
    total: 'integer',
    matching_total: 'integer',
    offset: 'integer',
    returned: 'integer',
    has_more: 'boolean',
    entries: 'object[]',
    cut: 'object',
    as_of: 'object',
    message: 'string',
    stale: 'object',
  },
  cut: CUT_PAGE,
  run: async (input, { app, call }) => ({ notice: DATA_NOTICE, ...(await app.queries.memoryAudit(input, call)) }),
});
