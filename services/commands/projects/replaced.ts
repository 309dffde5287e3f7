import { isDomainError } from '../../../domain/errors.js';
import { writtenOut } from '../../../domain/project/compile.js';
import type { Project } from '../../../domain/project/project.js';
import { readServingMemories } from '../../../projections/memories.js';
import type { ReplacedState } from '../../api.js';
import { unavailableWhenDown } from '../../valkey/errors.js';
import type { CommandParts } from '../parts.js';

/** Who made which version of a subject. Nobody is known while the view that tells is being built: no write waits for it. */
export const writersOf = async (parts: CommandParts, subject: string): Promise<ReadonlyMap<number, string>> => {
  try {
    return new Map((await parts.linesOf(subject)).map(({ n, actor }) => [n, actor]));
  } catch (error) {
    if (isDomainError(error, 'UNAVAILABLE')) return new Map();
    throw error;
  }
};

/** What a write puts another state in place of; nothing when there was none. */
export const replacedState = async (
  { redis, keys }: CommandParts,
  { context }: Project,
  writers: ReadonlyMap<number, string>,
): Promise<{ readonly replaced?: ReplacedState }> => {
  if (!context) return {};
  const drawn = [...(context.drawn.current_state ?? []), ...(context.drawn.notes ?? [])];
  const sources = drawn.length === 0 ? new Map() : await unavailableWhenDown(() => readServingMemories(redis, keys, drawn));
  const { current_state, notes = '' } = writtenOut(context, sources);
  if (current_state === '' && notes === '') return {};
  const by = writers.get(context.stated.version);
  return { replaced: { current_state, ...(notes !== '' && { notes }), updated_at: context.stated.at, ...(by !== undefined && { by }) } };
};
