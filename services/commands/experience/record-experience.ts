import { deadEndsToSuppress, experienceAfter } from '../../../domain/memory/experience.js';
import { isLive, type Memory, memoryDecider } from '../../../domain/memory/memory.js';
import { experienceWeight } from '../../../domain/scoring.js';
import { compileTopics } from '../../../domain/suppression.js';
import { topicSubject } from '../../../domain/topic/topic.js';
import type { Call, RecordExperienceInput, RecordExperienceResult } from '../../api.js';
import { type Decision, handleCommand, stateOf } from '../../eventlog/handle.js';
import { parseKey } from '../keys.js';
import { type CommandParts, stampOf, visibility } from '../parts.js';
import { expectFree } from '../retag.js';
import { recordedOf } from './input.js';
import { namesToSuppress } from './suppressing.js';
import { givenUp, memoryOf, PAST, suppressionOf } from './with-topics.js';

/**
 * Records what the work behind a memory was like. The dead ends of hard work that was given up become suppressed topics in
 * the same append, so that one undo takes all of it back. Throws VALIDATION, NOT_FOUND, CONFLICT.
 */
export const recordExperience = async (parts: CommandParts, input: RecordExperienceInput, call: Call): Promise<RecordExperienceResult> => {
  const key = parseKey(input.key);
  const stamp = stampOf(parts, call);
  const recorded = recordedOf(input, stamp.at);
  const toSuppress = (memory: Memory) =>
    namesToSuppress(isLive(memory) ? deadEndsToSuppress(memory.experience, experienceAfter(memory.experience, recorded)) : []);
  const [history] = await parts.log.load([key]);
  const foreseen = history ? [...toSuppress(stateOf(memoryDecider, history).state).topics.keys()] : [];
  const { result, appended } = expectFree(
    await handleCommand(parts.log, PAST, [key, ...foreseen.map(topicSubject)], stamp, ([loaded, ...others]) => {
      const memory = memoryOf(loaded?.state);
      const writes: Decision[] = [{ subject: key, events: memoryDecider.decide({ type: 'RecordExperience', data: recorded }, memory) }];
      const { topics, spared } = toSuppress(memory);
      const suppressed: string[] = [];
      for (const [i, topic] of foreseen.entries()) {
        const name = topics.get(topic);
        // One that somebody suppressed already keeps the reason it has.
        if (name === undefined || suppressionOf(others[i]?.state).suppressed) continue;
        const data = { topic, reason: givenUp(key) };
        writes.push({ subject: topicSubject(topic), events: [{ type: 'TopicSuppressed', data }] });
        suppressed.push(name);
      }
      const itself = isLive(memory) && compileTopics(suppressed)(memory.content) !== undefined;
      return { writes, result: { ...answerOf(key, recorded), ...suppressionNotes(suppressed, spared, itself) } };
    }),
  );
  return { ...(result as unknown as RecordExperienceResult), ...(await visibility(parts, appended)) };
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
