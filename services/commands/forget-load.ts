import { isDomainError } from '../../domain/errors.js';
import { isLive, type Memory, memoryDecider } from '../../domain/memory/memory.js';
import { stateOf } from '../eventlog/handle.js';
import type { CommandParts } from './parts.js';

/** A memory that may be erased. One whose stored bytes cannot be read can be erased all the same. */
export type Candidate = { readonly key: string; readonly version: number; readonly state: Memory | { readonly status: 'damaged' } };

/** In the order given. */
export const candidates = async (parts: CommandParts, keys: readonly string[]): Promise<readonly Candidate[]> => {
  try {
    return (await parts.log.load(keys)).map((history) => ({
      key: history.subject,
      version: history.version,
      state: stateOf(memoryDecider, history).state,
    }));
  } catch (error) {
    if (!isDomainError(error, 'INTERNAL')) throw error;
    const [only] = keys;
    if (keys.length === 1 && only !== undefined) return [{ key: only, version: await parts.versionOf(only), state: { status: 'damaged' } }];
    return (await Promise.all(keys.map((key) => candidates(parts, [key])))).flat();
  }
};

export const isThere = ({ state }: Candidate): boolean => state.status === 'damaged' || isLive(state);
