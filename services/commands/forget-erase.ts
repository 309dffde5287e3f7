import { DomainError } from '../../domain/errors.js';
import { isLive, memoryDecider } from '../../domain/memory/memory.js';
import type { Appended } from '../eventlog/append.js';
import { stateOf } from '../eventlog/handle.js';
import { withFacts } from './forget-targets.js';
import type { CommandParts } from './parts.js';

const ATTEMPTS = 5;
/** Each waits as long as a read waits for the views. */
const LATE_VIEWS = 15;

/** Who erases, under which correlation. */
export type Erasure = { readonly correlation: string; readonly actor: string; readonly at: string };

export type Erased = { readonly keys: readonly string[]; readonly appended: Appended | undefined };

/**
 * Erases these memories and the facts known to be drawn from them, in one step, once for each command id. Memories that
 * were never there are refused, those that are gone already passed over. Throws NOT_FOUND, CONFLICT, UNAVAILABLE.
 */
export const eraseBatch = async (
  parts: CommandParts,
  keys: readonly string[],
  erasure: Erasure,
  commandId: string,
  missing: 'refused' | 'ignored',
): Promise<Erased> => {
  const { log } = parts;
  const first = await log.firstAnswer(commandId);
  if (first) return { keys: first.result.deleted_keys as string[], appended: first };
  const named = new Set(keys);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const histories = await log.load(withFacts(parts, keys));
    const going = histories.filter((history) => {
      const { state } = stateOf(memoryDecider, history);
      const asked = missing === 'refused' && named.has(history.subject);
      return (asked || isLive(state)) && memoryDecider.decide({ type: 'ForgetMemory', data: {} }, state).length > 0;
    });
    if (going.length === 0) return { keys: [], appended: undefined };
    const models = await parts.models();
    const subjects = await Promise.all(
      going.map(async ({ subject, version }) => ({
        subject,
        expected: version,
        deletes: [...(await parts.rowsOf(subject)), ...models.map((model) => parts.keys.embedding(model, subject))],
      })),
    );
    const deleted_keys = going.map(({ subject }) => subject);
    const answer = await log.forget({ ...erasure, commandId, subjects, result: { deleted_keys } });
    if ('events' in answer) return { keys: answer.result.deleted_keys as string[], appended: answer };
  }
  throw new DomainError('CONFLICT', 'Others kept changing these memories; not all of them were erased', 'Repeat the call');
};

/**
 * Facts that were written between the look and the erasure: their guard held, since the source was still there. After it no
 * other can come, so what the views show once they have passed it is all there is.
 */
export const eraseLateFacts = async (parts: CommandParts, erased: Erased, erasure: Erasure): Promise<Erased> => {
  let { keys, appended } = erased;
  for (let round = 0; appended !== undefined; round++) {
    await viewsPast(parts, appended);
    const before = new Set(keys);
    const late = withFacts(parts, keys).filter((key) => !before.has(key));
    if (late.length === 0) break;
    const more = await eraseBatch(parts, late, erasure, `${erasure.correlation}:facts:${round}`, 'ignored');
    if (more.keys.length === 0) break;
    keys = [...keys, ...more.keys];
    appended = more.appended;
  }
  return { keys, appended };
};

const viewsPast = async (parts: CommandParts, { events }: Appended): Promise<void> => {
  const position = events.at(-1)?.position;
  for (let waited = 0; position !== undefined && waited < LATE_VIEWS; waited++) if (await parts.settled(position)) return;
};
