import { DomainError } from '../../domain/errors.js';
import { systemSubject } from '../../domain/system/events.js';
import type { Made } from '../../projections/correlations.js';
import type { Call, UndoInput, UndoResult } from '../api.js';
import type { Appended, SubjectWrite } from '../eventlog/append.js';
import type { Stamped } from '../eventlog/handle.js';
import { type CommandParts, stampOf, visibility } from './parts.js';
import { decideBatch, type Outcome } from './undo-decide.js';
import { withTopicsNamed } from './undo-named.js';
import { createUndoneSince, type UndoneSince } from './undone-since.js';

/** A subject is put back with at most 7 events, and an append holds 2,000. */
const BATCH = 250;
const ATTEMPTS = 5;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/**
 * Takes back everything that one command did, by events of its own under a new correlation. What another command wrote
 * since is kept, and what was forgotten stays so. Repeated, it finds nothing to do; it can itself be undone.
 * Throws VALIDATION, NOT_FOUND, CONFLICT when others keep changing the same memories, UNAVAILABLE.
 */
export const undo = async (parts: CommandParts, input: UndoInput, call: Call): Promise<UndoResult> =>
  withTopicsNamed(parts.log, await takeBack(parts, input, call));

const takeBack = async (parts: CommandParts, input: UndoInput, call: Call): Promise<UndoResult> => {
  const undone = parseCorrelation(input.correlation);
  const stamp = stampOf(parts, call);
  const first = stamp.repeatable ? await parts.log.firstAnswer(stamp.commandId) : undefined;
  if (first) return { ...(first.result as unknown as UndoResult), ...(await visibility(parts, first)) };
  const made = await everythingMadeBy(parts, undone);
  const batches = inBatches(made);
  const all: { -readonly [Field in keyof Outcome]: Outcome[Field][number][] } = { restored: [], kept: [], irreversible: [] };
  let appended: Appended | undefined;
  const cause = await lastEventId(parts, made);
  const since = createUndoneSince(parts, undone);
  for (const [i, batch] of batches.entries()) {
    const last = i === batches.length - 1;
    const answer = await undoBatch(parts, batch, {
      stamp: { ...stamp, ...(cause !== undefined && { causation: cause }) },
      commandId: last ? stamp.commandId : `${stamp.commandId}:${i}`,
      undone,
      since,
      before: last ? all : undefined,
      signal: call.signal,
    });
    all.restored.push(...answer.outcome.restored);
    all.kept.push(...answer.outcome.kept);
    all.irreversible.push(...answer.outcome.irreversible);
    appended = answer.appended ?? appended;
    call.progress?.('undoing', Math.min((i + 1) * BATCH, made.size), made.size);
  }
  return { ...resultOf(undone, stamp.commandId, all), ...(await visibility(parts, appended)) };
};

const parseCorrelation = (text: string): string => {
  const correlation = text.trim().toUpperCase();
  if (ULID.test(correlation)) return correlation;
  throw new DomainError('VALIDATION', 'This is no correlation', 'Every line of explain_memory and of omnimem log names one: 26 characters');
};

/** Versions by subject. */
const everythingMadeBy = async (parts: CommandParts, correlation: string): Promise<ReadonlyMap<string, ReadonlySet<number>>> => {
  const head = await parts.log.head();
  if (head && !(await parts.settled(head.position)))
    throw new DomainError('UNAVAILABLE', 'The view of commands is still behind the log', 'Nothing was changed. Try again in a moment');
  const made = bySubject(await parts.madeBy(correlation));
  if (made.size > 0) return made;
  throw new DomainError(
    'NOT_FOUND',
    `No action has the correlation ${correlation}`,
    'explain_memory and omnimem log show the correlations',
  );
};

const bySubject = (made: readonly Made[]): ReadonlyMap<string, ReadonlySet<number>> => {
  const subjects = new Map<string, Set<number>>();
  for (const { subject, n } of made) subjects.set(subject, (subjects.get(subject) ?? new Set()).add(n));
  return subjects;
};

const inBatches = (made: ReadonlyMap<string, ReadonlySet<number>>): readonly ReadonlyMap<string, ReadonlySet<number>>[] => {
  const entries = [...made];
  return Array.from({ length: Math.ceil(entries.length / BATCH) }, (_, i) => new Map(entries.slice(i * BATCH, (i + 1) * BATCH)));
};

const lastEventId = async (parts: CommandParts, made: ReadonlyMap<string, ReadonlySet<number>>): Promise<string | undefined> => {
  const [subject, versions] = [...made].at(-1) ?? [];
  if (subject === undefined || versions === undefined) return undefined;
  return (await parts.linesOf(subject, [Math.max(...versions)]))[0]?.id;
};

type BatchOptions = {
  readonly stamp: Stamped;
  readonly commandId: string;
  readonly undone: string;
  readonly since: UndoneSince;
  /** What the batches before did, given to the last one, which records the whole. */
  readonly before: Outcome | undefined;
  readonly signal: AbortSignal | undefined;
};

const undoBatch = async (
  parts: CommandParts,
  batch: ReadonlyMap<string, ReadonlySet<number>>,
  { stamp, commandId, undone, since, before, signal }: BatchOptions,
): Promise<{ readonly outcome: Outcome; readonly appended: Appended | undefined }> => {
  // Cut off behind this batch, it has its answer already: what is put back now looks as if there were nothing to do.
  const first = before === undefined && stamp.repeatable ? await parts.log.firstAnswer(commandId) : undefined;
  if (first) return { outcome: first.result as unknown as Outcome, appended: first };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { writes, outcome } = await decideBatch(parts, batch, since, signal);
    const total = before && merged(before, outcome);
    const record = total && total.restored.length > 0 ? [recordOf(undone, stamp.at, total)] : [];
    if (writes.length + record.length === 0) return { outcome, appended: undefined };
    const answer = await parts.log.append({
      ...stamp,
      commandId,
      correlation: stamp.commandId,
      writes: [...writes, ...record],
      result: total ? { ...resultOf(undone, stamp.commandId, total) } : { ...outcome },
    });
    if (answer.outcome === 'appended') return { outcome, appended: answer };
    if (answer.outcome === 'repeated') return { outcome: total ? outcome : (answer.result as unknown as Outcome), appended: answer };
  }
  throw new DomainError('CONFLICT', 'Others kept changing the same memories', 'Repeat the call; what was put back already stays so');
};

const merged = (a: Outcome, b: Outcome): Outcome => ({
  restored: [...a.restored, ...b.restored],
  kept: [...a.kept, ...b.kept],
  irreversible: [...a.irreversible, ...b.irreversible],
});

const recordOf = (correlation: string, at: string, { restored, kept, irreversible }: Outcome): SubjectWrite => ({
  subject: systemSubject(at),
  expected: 'any',
  events: [
    {
      type: 'ActionUndone',
      data: { correlation, restored: restored.length, kept: kept.length, irreversible: irreversible.length },
    },
  ],
});

const resultOf = (correlation: string, undo_correlation: string, outcome: Outcome): UndoResult => {
  const changed = outcome.restored.length > 0;
  const archived = outcome.restored.some(({ fields }) => fields.includes('memory'));
  const notes = [
    !changed && outcome.kept.length === 0 && outcome.irreversible.length === 0 && 'Everything is as it was before that action already.',
    archived && 'What the action had remembered is archived, not erased: undo_correlation brings it back, forget erases it.',
    outcome.kept.length > 0 && 'What others wrote since was kept; changed_by names their actions, newest first.',
  ].filter((note) => note !== false);
  return {
    status: changed ? 'undone' : 'unchanged',
    correlation,
    ...(changed && { undo_correlation }),
    ...outcome,
    ...(notes.length > 0 && { note: notes.join(' ') }),
  };
};
