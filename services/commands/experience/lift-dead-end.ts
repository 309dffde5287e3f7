import type { Abandoned } from '../../../domain/memory/events.js';
import { deadEndsCalled, type LiftedDeadEnd } from '../../../domain/memory/experience.js';
import { isLive, type Memory, memoryDecider } from '../../../domain/memory/memory.js';
import { topicSubject } from '../../../domain/topic/topic.js';
import type { Call, LiftDeadEndInput, LiftDeadEndResult } from '../../api.js';
import { type Decision, handleCommand, stateOf } from '../../eventlog/handle.js';
import { parseKey } from '../keys.js';
import { type CommandParts, stampOf, visibility } from '../parts.js';
import { expectFree } from '../retag.js';
import { abandonedOf } from './input.js';
import { namesToSuppress } from './suppressing.js';
import { givenUp, memoryOf, PAST, suppressionOf } from './with-topics.js';

/**
 * Takes a dead end off a memory, since it works again: it no longer warns, and what recall left out because this memory had
 * given it up comes back in the same append. Throws VALIDATION, NOT_FOUND for a memory or a dead end, CONFLICT.
 */
export const liftDeadEnd = async (parts: CommandParts, input: LiftDeadEndInput, call: Call): Promise<LiftDeadEndResult> => {
  const key = parseKey(input.key);
  const stamp = stampOf(parts, call);
  const { name, type, reason } = abandonedOf(input, stamp.at);
  const wanted: LiftedDeadEnd = { name, type, reason };
  const first = stamp.repeatable ? await parts.log.firstAnswer(stamp.commandId) : undefined;
  const [history] = first ? [] : await parts.log.load([key]);
  const foreseen = history ? topicsOf(stateOf(memoryDecider, history).state, wanted) : [];
  const { result, appended } = expectFree(
    await handleCommand(parts.log, PAST, [key, ...foreseen.map(topicSubject)], stamp, ([loaded, ...others]) => {
      const memory = memoryOf(loaded?.state);
      const writes: Decision[] = [{ subject: key, events: memoryDecider.decide({ type: 'LiftDeadEnd', data: wanted }, memory) }];
      const let_in = foreseen.filter((_, i) => {
        const { suppressed, reason: why } = suppressionOf(others[i]?.state);
        return suppressed && why === givenUp(key);
      });
      for (const topic of let_in) writes.push({ subject: topicSubject(topic), events: [{ type: 'TopicUnsuppressed', data: { topic } }] });
      const [all, lifted] = [deadEndsOf(memory).length, calledIn(memory, wanted).length];
      // The answer is kept for a day, so it holds none of the text.
      return { writes, result: { key, lifted, abandoned_count: all - lifted, topics: let_in.length } };
    }),
  );
  const { lifted, abandoned_count, topics } = result as { lifted: number; abandoned_count: number; topics: number };
  return { key, lifted: name, abandoned_count, note: noteOf(lifted, topics), ...(await visibility(parts, appended)) };
};

const deadEndsOf = (memory: Memory): readonly Abandoned[] => (isLive(memory) ? memory.experience.abandoned_approaches : []);

const calledIn = (memory: Memory, wanted: LiftedDeadEnd): readonly Abandoned[] =>
  isLive(memory) ? deadEndsCalled(memory.experience, wanted) : [];

/** Topics that its names became, unless a dead end of the same name stays. */
const topicsOf = (memory: Memory, wanted: LiftedDeadEnd): readonly string[] => {
  const lifted = calledIn(memory, wanted);
  const staying = namesToSuppress(deadEndsOf(memory).filter((one) => !lifted.includes(one))).topics;
  return [...namesToSuppress(lifted).topics.keys()].filter((topic) => !staying.has(topic));
};

const noteOf = (lifted: number, topics: number): string =>
  [
    lifted === 1
      ? 'It no longer warns from this memory.'
      : `It no longer warns from this memory; it had ${lifted} reasons, and all are lifted.`,
    topics > 0 && 'Recall no longer leaves out what speaks of it.',
    'The reason stands in the history (explain_memory); undo takes this back.',
  ]
    .filter((said) => said !== false)
    .join(' ');
