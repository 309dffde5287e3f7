import { z } from 'zod';
import { LONG_TEXT } from '../bounds.js';
import { noticedWhere } from '../recalled.js';
import { defineTool } from '../tool.js';
import { domains } from './parameters.js';
import { currentState, force, notes, projectName, readVersion } from './project-parameters.js';

export const setProjectContext = defineTool({
  name: 'set_project_context',
  title: 'Set project context',
  description: `Say what a project is: description, stack, goals and where it stands. Use it once for a new project, or when these change; for progress alone use update_project_state.
Where there is a context already, read it first and pass its version, so that nobody's newer text is lost.
It replaces the whole context (notes and domains that are left out stay) and answers the version, and under replaced the state that was there. recall finds the context too.`,
  effect: 'writes',
  idempotent: true,
  essential: true,
  parameters: {
    project_name: projectName,
    description: z.string().max(LONG_TEXT).describe('What the project is, in a sentence or two.'),
    stack: z.string().max(LONG_TEXT).describe('Languages, frameworks and services, such as: TypeScript, Node 20, Valkey.'),
    goals: z.string().max(LONG_TEXT).describe('What it is to achieve.'),
    current_state: currentState,
    notes,
    domains,
    version: readVersion,
    force,
  },
  output: {
    notice: 'string',
    status: 'string',
    project_name: 'string',
    key: 'string',
    version: 'integer',
    embedding: 'string',
    replaced: 'object',
    domains: 'string[]',
    rejected: 'string[]',
    project_suggestion: 'object',
    visible: 'boolean',
  },
  run: async (input, { app, call }) => noticedWhere(await app.commands.setProjectContext(input, call), ['replaced']),
});
