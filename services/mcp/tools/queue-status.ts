import { defineTool } from '../tool.js';

export const queueStatus = defineTool({
  name: 'queue_status',
  title: 'Enrichment queue',
  description: `Say how many memories still wait for their facts to be drawn in the background, and whether that works.
pending counts those that are worked on now (in_flight), so 0 means that every fact is there. parked lists memories that were given up after repeated failures, with the reason; the human can run omnimem enrich --parked. enrichment is off without a key for a language model: memories are then kept as they are.`,
  effect: 'reads',
  parameters: {},
  output: {
    pending: 'integer',
    in_flight: 'integer',
    parked: 'object[]',
    parked_total: 'integer',
    oldest_pending_at: 'string',
    enrichment: 'string',
    trouble: 'object',
    note: 'string',
    stale: 'object',
  },
  cut: { list: 'parked', from: 'end', say: (_answer, dropped) => ({ cut: { note: `${dropped.length} more parked ones did not fit.` } }) },
  run: (_input, { app, call }) => app.queries.queueStatus(call),
});
