import type { DomainEvent } from '../../../domain/catalogue.js';
import { deadEndsToSuppress, experienceAfter } from '../../../domain/memory/experience.js';
import { isLive, type Memory, memoryDecider } from '../../../domain/memory/memory.js';
import { experienceWeight } from '../../../domain/scoring.js';
import { compileTopics } from '../../../domain/suppression.js';
import type { Call, RecordExperienceInput, RecordExperienceResult } from '../../api.js';
import { handleCommand } from '../../eventlog/handle.js';
import { parseKey } from '../keys.js';
import { type CommandParts, stampOf, visibility } from '../parts.js';
import { expectFree } from '../retag.js';
import { recordedOf } from './input.js';
import { namesToSuppress } from './suppressing.js';
import { givenUp, memoryOf, PAST, suppressionOf } from './with-topics.js';

/**
 * Records what the work behind a memory was like. The dead ends of hard work that was given up become suppressed topics in
 * the same append, so that one undo takes all of it back, and on the memory itself, so that forgetting it takes them along.
 * Throws VALIDATION, NOT_FOUND, CONFLICT.
 */
export const recordExperience = async (parts: CommandParts, input: RecordExperienceInput, call: Call): Promise<RecordExperienceResult> => {
  const key = parseKey(input.key);
  const stamp = stampOf(parts, call);
  const recorded = recordedOf(input, stamp.at);
  const toSuppress = (memory: Memory) =>
    namesToSuppress(isLive(memory) ? deadEndsToSuppress(memory.experience, experienceAfter(memory.experience, recorded)) : []);
  await parts.fresh();
  let before: Memory = memoryDecider.initialState();
  const { result, appended } = expectFree(
    await handleCommand(parts.log, PAST, [key], stamp, ([loaded]) => {
      before = memoryOf(loaded?.state);
      const { topics } = toSuppress(before);
      const events: DomainEvent[] = [...memoryDecider.decide({ type: 'RecordExperience', data: recorded }, before)];
      const told: number[] = [];
      for (const [i, topic] of [...topics.keys()].entries()) {
        if (suppressionOf(loaded?.state, topic).suppressed) continue;
        events.push({ type: 'TopicSuppressed', data: { topic, reason: givenUp(key) } });
        // One that others keep out already is no news; it stays out when either of them lets go.
        if (parts.index.suppressed.holdersOf(topic).length === 0) told.push(i);
      }
      // Kept for a day, so it holds none of the text: places among the names.
      return { writes: [{ subject: key, events }], result: { ...answerOf(key, recorded), told } };
    }),
  );
  const { told, ...answer } = result as unknown as RecordExperienceResult & { readonly told: readonly number[] };
  if (appended?.outcome === 'repeated') before = await memoryBefore(parts, key, appended.events[0]?.n ?? 0);
  const { topics, spared } = toSuppress(before);
  const suppressed = told.flatMap((i) => [...topics.values()][i] ?? []);
  const itself = isLive(before) && compileTopics(suppressed)(before.content) !== undefined;
  return { ...answer, ...suppressionNotes(suppressed, spared, itself), ...(await visibility(parts, appended)) };
};

/** The memory as it was before this version; nothing of one that was forgotten since. */
const memoryBefore = async ({ log }: CommandParts, key: string, version: number): Promise<Memory> => {
  const [history] = await log.load([key]);
  return memoryOf(history?.events.filter(({ n }) => n < version));
};

const answerOf = (
  key: string,
  { effort_score, outcome }: ReturnType<typeof recordedOf>,
): Pick<RecordExperienceResult, 'key' | 'effort_score' | 'outcome' | 'experience_weight'> => ({
  key,
  effort_score,
  outcome,
  experience_weight: experienceWeight(outcome, effort_score),
});

const suppressionNotes = (
  suppressed: readonly string[],
  spared: NonNullable<RecordExperienceResult['not_suppressed']>,
  itself: boolean,
): Pick<RecordExperienceResult, 'auto_suppressed' | 'not_suppressed' | 'note'> => ({
  ...(suppressed.length > 0 && {
    auto_suppressed: suppressed,
    note: `Recall now leaves out memories that speak of ${suppressed.join(', ')}${itself ? ', this one among them' : ''}; warnings of dead ends still come. unsuppress_topic lets one back in, undo takes all of it back.`,
  }),
  ...(spared.length > 0 && { not_suppressed: spared }),
});
