import type { Call } from '../../api.js';
import { RESULT_SECONDS } from '../../eventlog/append.js';
import { unavailableWhenDown } from '../../valkey/errors.js';
import type { CommandParts } from '../parts.js';

/** What a command of many steps is about to change, as it stood at its first call, and what its answer says beside that. */
export type KeptPlan = { readonly keys: readonly string[]; readonly beside: Readonly<Record<string, unknown>>; readonly finished: boolean };

/**
 * The plan of a command, kept as long as its answers: a repeat goes on with what the first call meant and takes up nothing
 * that came later. It holds keys and counts, no text. Without a command id there is none.
 */
export const keptPlan = ({ redis, keys }: Pick<CommandParts, 'redis' | 'keys'>, { commandId }: Pick<Call, 'commandId'>) => {
  const key = commandId === undefined ? undefined : keys.commandResult(`${commandId}:plan`);
  const write = async (plan: KeptPlan): Promise<void> => {
    if (key !== undefined) await unavailableWhenDown(() => redis.set(key, JSON.stringify(plan), 'EX', RESULT_SECONDS));
  };
  return {
    read: async (): Promise<KeptPlan | undefined> => {
      const stored = key === undefined ? null : await unavailableWhenDown(() => redis.get(key));
      return stored === null ? undefined : (JSON.parse(stored) as KeptPlan);
    },
    begin: async (plan: Omit<KeptPlan, 'finished'>): Promise<KeptPlan> => {
      const begun = { ...plan, finished: false };
      await write(begun);
      return begun;
    },
    finish: (plan: KeptPlan): Promise<void> => write({ ...plan, finished: true }),
  };
};
