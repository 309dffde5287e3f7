import { defineTool } from '../tool.js';

export const health = defineTool({
  name: 'health',
  title: 'Health',
  description: `Say whether the memory is well: green, amber or red, with each problem and what to do about it.
Call it when another tool answers UNAVAILABLE, or when recall seems to miss things: it shows the store, the indexes, the model, what is pending and what lags.`,
  effect: 'reads',
  essential: true,
  needsStore: false,
  parameters: {},
  output: {
    status: 'string',
    issues: 'object[]',
    valkey_connected: 'boolean',
    model_loaded: 'boolean',
    records: 'object',
    projections: 'object',
    uptime_seconds: 'number',
  },
  cut: {
    list: 'issues',
    from: 'end',
    say: (_answer, dropped) => ({ cut: { count: dropped.length, note: `${dropped.length} more issues did not fit.` } }),
  },
  run: (_input, { app }) => app.queries.health(),
});
