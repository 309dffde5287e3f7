import { z } from 'zod';
import type { Cut } from '../ceiling.js';
import { DATA_NOTICE } from '../recalled.js';
import { defineTool } from '../tool.js';
import { maxTokens } from './parameters.js';
import { projectName } from './project-parameters.js';

const CUT_MEMORIES: Cut = {
  list: 'memories',
  from: 'end',
  say: (answer, dropped) => {
    const { memories_cut: before } = answer as { readonly memories_cut?: { readonly keys: readonly string[] } };
    const keys = [...dropped.map((memory) => (memory as { readonly key: string }).key), ...(before?.keys ?? [])].slice(0, 50);
    const shown = (answer.memories as readonly unknown[]).length - dropped.length;
    return { memories_cut: { shown, total: answer.memory_count, keys, note: 'These did not fit; recall_detail reads them by key.' } };
  },
};

const DEFAULT_TOKENS = 6_000;

export const compileProjectContext = defineTool({
  name: 'compile_project_context',
  title: 'Compile project context',
  description: `Draft the context of a project from its active episodic memories: current state from the newest, notes from breakthroughs, gotchas and abandoned approaches, with the memories behind it.
Read the draft, improve it and save it with set_project_context. Or pass auto_save: then the draft is kept as references to its memories and is written out afresh whenever it is read; description, goals and stack that are there stay.`,
  effect: 'writes',
  parameters: {
    project_name: projectName,
    auto_save: z.boolean().optional().describe('Keep the draft as the context. Default false.'),
    max_tokens: maxTokens,
  },
  output: {
    notice: 'string',
    project_name: 'string',
    memory_count: 'integer',
    draft: 'object',
    existing_context: 'object',
    top_tags: 'string[]',
    abandoned_approaches: 'object[]',
    breakthroughs: 'string[]',
    gotchas: 'string[]',
    memories: 'object[]',
    memories_cut: 'object',
    auto_saved: 'boolean',
    version: 'integer',
    replaced: 'object',
    note: 'string',
    visible: 'boolean',
  },
  cut: CUT_MEMORIES,
  run: async (input, { app, call, maxTokens: most }) => {
    const max_tokens = Math.min(input.max_tokens ?? DEFAULT_TOKENS, most);
    return { notice: DATA_NOTICE, ...(await app.commands.compileProjectContext({ ...input, max_tokens }, call)) };
  },
});
