import type { Cut } from '../ceiling.js';
import { DATA_NOTICE } from '../recalled.js';
import { defineTool } from '../tool.js';
import { asOf } from './parameters.js';

const CUT_PROJECTS: Cut = {
  list: 'projects',
  from: 'end',
  say: (_answer, dropped) => ({
    cut: {
      projects: dropped.map((project) => (project as { readonly project_name: string }).project_name),
      note: 'These did not fit; get_project_context tells of each.',
    },
  }),
};

export const listProjects = defineTool({
  name: 'list_projects',
  title: 'List projects',
  description: `List every project that has a context or memories, with what it is, its domains, how many memories it has and when it last changed. Use it to find the name of a project.`,
  effect: 'reads',
  parameters: { as_of: asOf },
  output: { notice: 'string', projects: 'object[]', total: 'integer', cut: 'object', as_of: 'object', message: 'string', stale: 'object' },
  cut: CUT_PROJECTS,
  run: async (input, { app, call }) => ({ notice: DATA_NOTICE, ...(await app.queries.listProjects(input, call)) }),
});
