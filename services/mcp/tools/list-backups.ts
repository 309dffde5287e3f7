import type { Cut } from '../ceiling.js';
import { defineTool } from '../tool.js';

const CUT_OLDEST: Cut = {
  list: 'backups',
  from: 'end',
  say: (_answer, dropped) => ({ cut: { note: `${dropped.length} older backups did not fit.` } }),
};

export const listBackups = defineTool({
  name: 'list_backups',
  title: 'List backups',
  description: `List the backups there are, newest first, with size, times and whether each is of the memory that runs here. Pass a filename to restore_from_file. One with empty: true holds nothing: its first run was cut off, and the next backup goes on with it. One with complete: false is the beginning of a history: later events are missing.`,
  effect: 'reads',
  parameters: {},
  output: { dir: 'string', backups: 'object[]', unreadable: 'string[]', cut: 'object' },
  cut: CUT_OLDEST,
  run: (_input, { app }) => app.backups.list(),
});
