import { z } from 'zod';
import { defineTool } from '../tool.js';
import { domains } from './parameters.js';
import { force } from './project-parameters.js';

export const compileProjectDomains = defineTool({
  name: 'compile_project_domains',
  title: 'Compile project domains',
  description: `Say which kinds of work (domains such as python, docker, wcag-accessibility) are in a project, so that recall with domain_filter finds it. The vocabulary is that of compiled skills.
Answers existing (absent: never considered; empty: none derivable), suggested (at most 10, from the stack of its context and from tags on two or more active memories), merged, and the evidence for each suggestion. Writes nothing, unless auto_save is true (declares merged) or domains is given (declares exactly those). Show suggestions to the human first. Domains lead searches to projects; they never label a memory.`,
  effect: 'writes',
  idempotent: true,
  parameters: {
    project_name: z.string().describe('The project.'),
    auto_save: z.boolean().optional().describe('Declare the merged list. Default false: only show it.'),
    domains,
    force,
  },
  output: {
    status: 'string',
    project_name: 'string',
    existing: 'string[]',
    suggested: 'string[]',
    merged: 'string[]',
    evidence: 'object',
    aliased: 'object',
    rejected: 'string[]',
    memories_read: 'integer',
    project_suggestion: 'object',
    note: 'string',
    visible: 'boolean',
  },
  run: (input, { app, call }) => app.commands.compileProjectDomains(input, call),
});
