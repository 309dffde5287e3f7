import type { DomainEvent } from '../../../domain/catalogue.js';
import type { Abandoned } from '../../../domain/memory/events.js';
import { deadEndsCalled, type LiftedDeadEnd } from '../../../domain/memory/experience.js';
import { isLive, type Memory, memoryDecider } from '../../../domain/memory/memory.js';
import type { Call, LiftDeadEndInput, LiftDeadEndResult } from '../../api.js';
import { handleCommand } from '../../eventlog/handle.js';
import { parseKey } from '../keys.js';
import { type CommandParts, stampOf, visibility } from '../parts.js';
import { expectFree } from '../retag.js';
import { abandonedOf } from './input.js';
import { namesToSuppress } from './suppressing.js';
import { memoryOf, PAST, suppressionOf } from './with-topics.js';

/**
 * Takes a dead end off a memory, since it works again: it no longer warns, and what recall left out because this memory had
 * given it up comes back in the same append. Throws VALIDATION, NOT_FOUND for a memory or a dead end, CONFLICT.
 */
export const liftDeadEnd = async (parts: CommandParts, input: LiftDeadEndInput, call: Call): Promise<LiftDeadEndResult> => {
  const key = parseKey(input.key);
  const stamp = stampOf(parts, call);
  const { name, type, reason } = abandonedOf(input, stamp.at);
  const wanted: LiftedDeadEnd = { name, type, reason };
  await parts.fresh();
  const { result, appended } = expectFree(
    await handleCommand(parts.log, PAST, [key], stamp, ([loaded]) => {
      const memory = memoryOf(loaded?.state);
      const released = topicsOf(memory, wanted).filter((topic) => suppressionOf(loaded?.state, topic).suppressed);
      const events: DomainEvent[] = [
        ...memoryDecider.decide({ type: 'LiftDeadEnd', data: wanted }, memory),
        ...released.map((topic) => ({ type: 'TopicUnsuppressed', data: { topic } }) as const),
      ];
      const let_in = released.filter((topic) => parts.index.suppressed.holdersOf(topic).every((holder) => holder === key));
      const [all, lifted] = [deadEndsOf(memory).length, calledIn(memory, wanted).length];
      // The answer is kept for a day, so it holds none of the text.
      return { writes: [{ subject: key, events }], result: { key, lifted, abandoned_count: all - lifted, topics: let_in.length } };
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
