import { z } from 'zod';
import { ABANDONED_TYPES, OUTCOMES } from '../../../domain/vocabulary.js';
import { defineTool } from '../tool.js';
import { force, key } from './parameters.js';

export const recordExperience = defineTool({
  name: 'record_experience',
  title: 'Record experience',
  description: `Record how hard the work behind a memory was and how it ended, after work that was not trivial. Recall then ranks what succeeded after much effort higher, and warns of what was given up.
effort_score: 1 worked at the first try, 3 took several tries, 5 was near abandonment. outcome: succeeded, pivoted (another way was taken) or abandoned. breakthrough is what made it work; gotchas are traps for the next one.
abandoned_approaches are dead ends met on the way. They are added to those known already. With effort 4 or 5 and outcome abandoned their names become suppressed topics (auto_suppressed): recall leaves out memories that speak of them, and warnings still come. A common word is not suppressed (not_suppressed says why). undo takes all of it back.
For one dead end as it happens use log_abandoned.`,
  effect: 'writes',
  essential: true,
  idempotent: true,
  parameters: {
    key,
    effort_score: z.number().int().min(1).max(5).describe('1 (first try) to 5 (near abandonment).'),
    outcome: z.enum(OUTCOMES).describe('How it ended.'),
    iterations: z.number().int().min(1).optional().describe('How many attempts it took. Default 1.'),
    abandoned_approaches: z
      .array(z.object({ name: z.string(), type: z.enum(ABANDONED_TYPES), reason: z.string() }))
      .optional()
      .describe(
        `Dead ends, each {"name": "pg-boss", "type": "library", "reason": "why it was given up"}; type is ${[...ABANDONED_TYPES].sort().join(', ')}.`,
      ),
    breakthrough: z.string().optional().describe('What made it work in the end. A new one replaces the old.'),
    gotchas: z.string().optional().describe('What to watch out for. New ones replace the old.'),
    force,
  },
  output: {
    key: 'string',
    effort_score: 'integer',
    outcome: 'string',
    experience_weight: 'number',
    auto_suppressed: 'string[]',
    not_suppressed: 'object[]',
    note: 'string',
    visible: 'boolean',
  },
  run: (input, { app, call }) => app.commands.recordExperience(input, call),
});
