import { DATA_NOTICE } from '../recalled.js';
import { defineTool } from '../tool.js';
import { asOf, project } from './parameters.js';

export const experienceSummary = defineTool({
  name: 'experience_summary',
  title: 'Experience, summed up',
  description: `Sum up what work was like, in one project or in all: average effort, outcomes, the hardest memories, what was given up and why, and the best breakthroughs.
Archived memories do not count. The graveyard lists each name once, newest first.`,
  effect: 'reads',
  parameters: { project, as_of: asOf },
  output: {
    notice: 'string',
    project: 'string',
    memories_with_experience: 'integer',
    average_effort_score: 'number',
    outcome_breakdown: 'object',
    top_5_most_effortful: 'object[]',
    graveyard: 'object[]',
    graveyard_cut: 'object',
    top_3_breakthroughs: 'object[]',
    project_suggestion: 'object',
    stale: 'object',
    as_of: 'object',
    message: 'string',
  },
  cut: {
    list: 'graveyard',
    from: 'end',
    say: (answer) => ({
      graveyard_cut: {
        shown: (answer.graveyard as readonly unknown[]).length,
        note: 'The rest did not fit; warn_if_abandoned looks through all of them.',
      },
    }),
  },
  run: async (input, { app, call }) => ({ notice: DATA_NOTICE, ...(await app.queries.experienceSummary(input, call)) }),
});
