import type { DomainEvent } from '../../domain/catalogue.js';
import { isDomainError } from '../../domain/errors.js';
import { isLive, memoryDecider } from '../../domain/memory/memory.js';
import type { Call, RetagInput, RetagResult } from '../api.js';
import { handleCommand } from '../eventlog/handle.js';
import { parseKey } from './keys.js';
import { type CommandParts, stampOf, visibility } from './parts.js';

/** Changes a memory's tags; never its text or vector. */
export const retag = async (parts: CommandParts, { key: text, tags, add, remove }: RetagInput, call: Call): Promise<RetagResult> => {
  const key = parseKey(text);
  const edit = { ...(tags && { tags }), ...(add && { add }), ...(remove && { remove }) };
  try {
    let decided: RetagResult = { status: 'not_found', key };
    const { appended } = expectFree(
      await handleCommand(parts.log, memoryDecider, [key], stampOf(parts, call), ([memory]) => {
        const state = memory?.state ?? memoryDecider.initialState();
        const events = memoryDecider.decide({ type: 'RetagMemory', data: edit }, state);
        decided = updatedBy(key, events[0]) ?? { status: 'unchanged', key, tags: isLive(state) ? state.tags : [] };
        // The result is kept for a day, so it holds none of the tags.
        return { writes: [{ subject: key, events }], result: { status: decided.status } };
      }),
    );
    const answer = appended?.outcome === 'repeated' ? await answeredBefore(parts, key, appended.events[0]?.n) : decided;
    return { ...answer, ...(await visibility(parts, appended)) };
  } catch (error) {
    if (isDomainError(error, 'NOT_FOUND')) return { status: 'not_found', key };
    throw error;
  }
};

const updatedBy = (key: string, event: DomainEvent | undefined): RetagResult | undefined => {
  if (event?.type !== 'MemoryRetagged') return undefined;
  const { tags, previous_tags } = event.data;
  return { status: 'updated', key, tags, previous_tags };
};

/** The first answer, from the event that it was about; a memory that was forgotten since has none. */
const answeredBefore = async ({ log }: CommandParts, key: string, n: number | undefined): Promise<RetagResult> => {
  const [history] = await log.load([key]);
  return (
    updatedBy(
      key,
      history?.events.find((event) => event.n === n),
    ) ?? { status: 'not_found', key }
  );
};

/** A command that takes no claims cannot be refused one. */
export const expectFree = <Outcome>(outcome: Outcome | { readonly claimedBy: string }): Outcome => {
  if (typeof outcome === 'object' && outcome !== null && 'claimedBy' in outcome)
    throw new Error('a claim was refused that nobody asked for');
  return outcome as Outcome;
};
