import { DomainError } from '../../domain/errors.js';
import { memoryDecider } from '../../domain/memory/memory.js';
import type { QueryTexts } from '../erasure/queries.js';
import type { Appended } from '../eventlog/append.js';
import { candidates, isThere, piecesOf } from './forget-load.js';
import { type Stamps, stepsOf } from './forget-plan.js';
import { isChanged } from './forget-stamps.js';
import { withFacts } from './forget-targets.js';
import type { CommandParts } from './parts.js';

const ATTEMPTS = 5;
/** Each waits as long as a read waits for the views. */
const LATE_VIEWS = 15;

/** Who erases, under which correlation, and the kept texts of queries, which all its steps look through. */
export type Erasure = { readonly correlation: string; readonly actor: string; readonly at: string; readonly texts: QueryTexts };

export type Erased = {
  readonly keys: readonly string[];
  readonly appended: Appended | undefined;
  /** What was left, since it says something else than was previewed. */
  readonly changed: readonly string[];
};

/**
 * Erases exactly these memories in one step, once for each command id. Those of `mustExist` that never were are refused;
 * whatever is gone already is passed over, and what says something else than its stamp is left. Throws NOT_FOUND, CONFLICT, UNAVAILABLE.
 */
export const eraseBatch = async (
  parts: CommandParts,
  keys: readonly string[],
  erasure: Erasure,
  commandId: string,
  { mustExist = new Set(), stamps = new Map() }: { readonly mustExist?: ReadonlySet<string>; readonly stamps?: Stamps } = {},
): Promise<Erased> => {
  const { log } = parts;
  const { texts, ...stamp } = erasure;
  const first = await log.firstAnswer(commandId);
  if (first) return { ...told(first), appended: first };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const found = await candidates(parts, keys);
    const changed = found.filter((candidate) => isChanged(stamps, candidate)).map(({ key }) => key);
    const going = found.filter((candidate) => {
      const { key, state } = candidate;
      if (changed.includes(key)) return false;
      if (state.status === 'damaged' || state.status === 'recorded') return true;
      const asked = mustExist.has(key) || isThere(candidate);
      return asked && memoryDecider.decide({ type: 'ForgetMemory', data: {} }, state).length > 0;
    });
    if (going.length === 0) return { keys: [], appended: undefined, changed };
    const models = await parts.models();
    const subjects = await Promise.all(
      going.map(async ({ key, version }) => ({
        subject: key,
        expected: version,
        deletes: [...(await parts.rowsOf(key)), ...models.map((model) => parts.keys.embedding(model, key))],
      })),
    );
    const deleted_keys = going.map(({ key }) => key);
    const pieces = going.flatMap((candidate) => candidate.pieces());
    const result = { deleted_keys, ...(changed.length > 0 && { changed }) };
    const answer = await texts.erasing(pieces, () => log.forget({ ...stamp, commandId, subjects, result }));
    if ('events' in answer) return { ...told(answer), appended: answer };
  }
  throw new DomainError('CONFLICT', 'Others kept changing these memories; not all of them were erased', 'Repeat the call');
};

const told = ({ result }: Appended): Pick<Erased, 'keys' | 'changed'> => ({
  keys: result.deleted_keys as string[],
  changed: (result.changed ?? []) as string[],
});

/**
 * Erases, a batch at a time, what is left of the facts drawn from these memories: more than fit one step, and those that were
 * written between the look and the erasure, while their source was still there. After it no other can come, so what the views
 * show once they have passed it is all there is.
 */
export const eraseFacts = async (parts: CommandParts, meant: readonly string[], erased: Erased, erasure: Erasure): Promise<Erased> => {
  let { keys, appended } = erased;
  const { changed } = erased;
  let batch = 0;
  const take = async (late: readonly string[]): Promise<boolean> => {
    const more = await eraseBatch(parts, late, erasure, `${erasure.correlation}:facts:${batch}`);
    if (!more.appended) return false;
    keys = [...keys, ...more.keys];
    appended = more.appended;
    batch += 1;
    return true;
  };
  // A repeated call answers what the first one did, though nothing is left to find.
  while (await take([]));
  for (;;) {
    if (appended) await viewsPast(parts, appended);
    const before = new Set([...keys, ...meant]);
    const late = withFacts(parts, [...before]).filter((key) => !before.has(key));
    const steps = stepsOf(late);
    await erasure.texts.ahead(steps, (step) => piecesOf(parts, step));
    if (steps[0] === undefined || !(await take(steps[0]))) return { keys, appended, changed };
  }
};

const viewsPast = async (parts: CommandParts, { events }: Appended): Promise<void> => {
  const position = events.at(-1)?.position;
  for (let waited = 0; position !== undefined && waited < LATE_VIEWS; waited++) if (await parts.settled(position)) return;
};
