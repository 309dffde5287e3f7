import { knownDeadEnd } from '../../../domain/memory/experience.js';
import { isLive, memoryDecider } from '../../../domain/memory/memory.js';
import type { Call, LogAbandonedInput, LogAbandonedResult } from '../../api.js';
import { handleCommand } from '../../eventlog/handle.js';
import { parseKey } from '../keys.js';
import { type CommandParts, stampOf, visibility } from '../parts.js';
import { expectFree } from '../retag.js';
import { abandonedOf } from './input.js';

/** Adds a dead end to a memory; one that is known with the same reason is not added twice. Throws VALIDATION, NOT_FOUND. */
export const logAbandoned = async (parts: CommandParts, input: LogAbandonedInput, call: Call): Promise<LogAbandonedResult> => {
  const key = parseKey(input.key);
  const stamp = stampOf(parts, call);
  const abandoned = abandonedOf(input, stamp.at);
  const { result, appended } = expectFree(
    await handleCommand(parts.log, memoryDecider, [key], stamp, ([memory]) => {
      const state = memory?.state ?? memoryDecider.initialState();
      const known = isLive(state) ? knownDeadEnd(state.experience, abandoned) : undefined;
      const events = known ? [] : memoryDecider.decide({ type: 'AbandonApproach', data: abandoned }, state);
      const before = isLive(state) ? state.experience.abandoned_approaches.length : 0;
      // The answer is kept for a day, so it holds none of the text.
      const answer = {
        key,
        abandoned_count: before + events.length,
        attempted_at: known?.attempted_at ?? stamp.at,
        known: known !== undefined,
      };
      return { writes: [{ subject: key, events }], result: answer };
    }),
  );
  const { abandoned_count, attempted_at, known } = result as { abandoned_count: number; attempted_at: string; known: boolean };
  const { name, type, reason } = abandoned;
  return {
    key,
    abandoned_count,
    latest_entry: { name, type, reason, attempted_at },
    ...(known && { note: 'This was known already, with the same reason; nothing was added.' }),
    ...(await visibility(parts, appended)),
  };
};
