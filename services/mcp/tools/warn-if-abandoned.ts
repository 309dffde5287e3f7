import { z } from 'zod';
import { DATA_NOTICE } from '../recalled.js';
import { defineTool } from '../tool.js';
import { asOf, project } from './parameters.js';

export const warnIfAbandoned = defineTool({
  name: 'warn_if_abandoned',
  title: 'Was it given up before?',
  description: `Check whether a library, tool, service, pattern or approach was tried and given up before, with the reason. Call it before you propose or start one; it is fast.
Ask in plain words ("use onnx runtime for embeddings?") or give the name. Answers clear, or warning with the matches, newest first: tell the human the reason before you go on. A match from an archived memory says so in state. One that works again is lifted with log_abandoned and lift: true.`,
  effect: 'reads',
  essential: true,
  parameters: {
    query: z.string().describe('What is being considered: a name, or a sentence that holds it.'),
    project,
    as_of: asOf,
  },
  output: {
    notice: 'string',
    status: 'string',
    matches: 'object[]',
    total: 'integer',
    project_suggestion: 'object',
    stale: 'object',
    as_of: 'object',
    message: 'string',
  },
  cut: {
    list: 'matches',
    from: 'end',
    say: (_answer, dropped) => ({ cut: { note: `${dropped.length} older matches did not fit.` } }),
  },
  run: async (input, { app, call }) => ({ notice: DATA_NOTICE, ...(await app.queries.warnIfAbandoned(input, call)) }),
});
