import { z } from 'zod';
import { defineTool } from '../tool.js';
import { force } from './project-parameters.js';

export const mergeProjects = defineTool({
  name: 'merge_projects',
  title: 'Merge projects',
  description: `Make two project names one, after a rename, a move or a second spelling: what is filed under from counts as into, in every search and list, from now on.
Only with the human's agreement: names that look alike may be two projects. Memories keep the name they were written with, so undo with the answer's correlation takes it back. What from declares as domains, into declares too.
Refused are names of which nothing is known, a circle, and a from that counts as a third project already.`,
  effect: 'writes',
  idempotent: true,
  parameters: {
    from: z.string().describe('The name that is given up.'),
    into: z.string().describe('The name that stays.'),
    into_is_new: z.boolean().optional().describe('True when nothing is filed under into yet: the project is renamed. Default false.'),
    force,
  },
  output: {
    status: 'string',
    from: 'string',
    into: 'string',
    names: 'string[]',
    memories: 'object',
    domains: 'string[]',
    correlation: 'string',
    note: 'string',
    visible: 'boolean',
  },
  run: (input, { app, call }) => app.commands.mergeProjects(input, call),
});
