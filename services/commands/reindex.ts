import type { Call, ReindexInput, ReindexResult } from '../api.js';
import type { CommandParts } from './parts.js';

/** Rebuilds what recall reads, beside what serves. Appends nothing. Throws as `Reindexer.run` does. */
export const reindex = ({ reindexer }: CommandParts, input: ReindexInput, call: Call): Promise<ReindexResult> => reindexer.run(input, call);
