import type { TimelineLine } from '../../api.js';
import type { Cut } from '../ceiling.js';
import { DATA_NOTICE } from '../recalled.js';
import { defineTool } from '../tool.js';
import { asOf, key } from './parameters.js';

/** The oldest events give way: how things are now is explained by the newest. */
const CUT_TIMELINE: Cut = {
  list: 'timeline',
  from: 'start',
  say: (answer, dropped) => {
    const { timeline, timeline_cut } = answer as {
      readonly timeline: readonly TimelineLine[];
      readonly timeline_cut?: { readonly total: number };
    };
    return { timeline_cut: { shown: timeline.length - dropped.length, total: timeline_cut?.total ?? timeline.length } };
  },
};

export const explainMemory = defineTool({
  name: 'explain_memory',
  title: 'Explain a memory',
  description: `Show how a memory came to be: every event in its history, when, by whom and what changed, with its present text and state.
With the recalls it appeared in, and its lineage: the document and its neighbours there, what it was drawn from, and the facts drawn from it.
Use it to find out where a statement comes from, what it said before, or why it no longer appears in recall. Of a forgotten memory the events are left, without their text.`,
  effect: 'reads',
  parameters: { key, as_of: asOf },
  output: {
    notice: 'string',
    status: 'string',
    key: 'string',
    timeline: 'object[]',
    content: 'string',
    state: 'string',
    scope: 'string',
    expires_at: 'string',
    domains: 'string[]',
    timeline_cut: 'object',
    recalls: 'object[]',
    contradictions: 'object[]',
    recalls_cut: 'object',
    lineage: 'object',
    as_of: 'object',
    stale: 'object',
  },
  cut: CUT_TIMELINE,
  run: async (input, { app, call }) => ({ notice: DATA_NOTICE, ...(await app.queries.explainMemory(input, call)) }),
});
