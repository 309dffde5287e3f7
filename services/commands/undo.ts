import { DomainError } from '../../domain/errors.js';
import type { MemoryEvent } from '../../domain/memory/events.js';
import { isMemoryKey } from '../../domain/memory/key.js';
import { isLive, type LiveMemory, memoryDecider } from '../../domain/memory/memory.js';
import { systemSubject } from '../../domain/system/events.js';
import type { TopicEvent } from '../../domain/topic/topic.js';
import { type Numbered, undoMemory, undoTopic } from '../../domain/undo.js';
import type { Made } from '../../projections/correlations.js';
import type { Call, UndoInput, UndoResult } from '../api.js';
import type { Appended, SubjectWrite } from '../eventlog/append.js';
import type { Stamped } from '../eventlog/handle.js';
import type { SubjectHistory } from '../eventlog/subject.js';
import { textClaim } from './claims.js';
import { embedForWrite, vectorsOf } from './embed.js';
import { type CommandParts, stampOf, visibility } from './parts.js';

/** A subject is put back with at most 7 events, and an append holds 2,000. */
const BATCH = 250;
const ATTEMPTS = 5;
/** More texts than this are put back without vectors; those are filled in afterwards. */
const EMBEDDED = 32;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

type Outcome = Pick<UndoResult, 'restored' | 'kept' | 'irreversible'>;

/**
 * Takes back everything that one command did, by events of its own under a new correlation. What another command wrote
 * since is kept, and what was forgotten stays so. Repeated, it finds nothing to do; it can itself be undone.
 * Throws VALIDATION, NOT_FOUND, CONFLICT when others keep changing the same memories, UNAVAILABLE.
 */
export const undo = async (parts: CommandParts, input: UndoInput, call: Call): Promise<UndoResult> => {
  const undone = parseCorrelation(input.correlation);
  const stamp = stampOf(parts, call);
  const first = stamp.repeatable ? await parts.log.firstAnswer(stamp.commandId) : undefined;
  if (first) return { ...(first.result as unknown as UndoResult), ...(await visibility(parts, first)) };
  const made = await everythingMadeBy(parts, undone);
  const batches = inBatches(made);
  const all: { -readonly [Field in keyof Outcome]: Outcome[Field][number][] } = { restored: [], kept: [], irreversible: [] };
  let appended: Appended | undefined;
  const cause = await lastEventId(parts, made);
  for (const [i, batch] of batches.entries()) {
    const last = i === batches.length - 1;
    const answer = await undoBatch(parts, batch, {
      stamp: { ...stamp, ...(cause !== undefined && { causation: cause }) },
      commandId: last ? stamp.commandId : `${stamp.commandId}:${i}`,
      undone,
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
  return (await parts.linesOf(subject)).findLast(({ n }) => versions.has(n))?.id;
};

type BatchOptions = {
  readonly stamp: Stamped;
  readonly commandId: string;
  readonly undone: string;
  /** What the batches before did, given to the last one, which records the whole. */
  readonly before: Outcome | undefined;
  readonly signal: AbortSignal | undefined;
};

const undoBatch = async (
  parts: CommandParts,
  batch: ReadonlyMap<string, ReadonlySet<number>>,
  { stamp, commandId, undone, before, signal }: BatchOptions,
): Promise<{ readonly outcome: Outcome; readonly appended: Appended | undefined }> => {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { writes, outcome } = await decideBatch(parts, batch, signal);
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

const decideBatch = async (
  parts: CommandParts,
  batch: ReadonlyMap<string, ReadonlySet<number>>,
  signal: AbortSignal | undefined,
): Promise<{ readonly writes: readonly SubjectWrite[]; readonly outcome: Outcome }> => {
  const decided: { readonly write: SubjectWrite; readonly text: string | undefined }[] = [];
  const restored: Outcome['restored'][number][] = [];
  const kept: Outcome['kept'][number][] = [];
  const irreversible: Outcome['irreversible'][number][] = [];
  for (const history of await parts.log.load([...batch.keys()])) {
    const { subject, version } = history;
    const versions = batch.get(subject) ?? new Set();
    const reversal = reversalOf(history, versions);
    if (reversal === 'forgotten') {
      irreversible.push({ key: subject, why: 'It was forgotten, and forgetting cannot be undone.' });
      continue;
    }
    if (reversal === undefined) {
      const types = (await parts.linesOf(subject)).filter(({ n }) => versions.has(n)).map(({ type }) => type);
      const open = [...new Set(types)].filter((type) => type !== 'ActionUndone');
      if (open.length > 0) irreversible.push({ key: subject, why: `${open.join(', ')} records what happened and has no opposite.` });
      continue;
    }
    if (reversal.restored.length > 0) restored.push({ key: subject, fields: reversal.restored });
    if (reversal.kept.length > 0) {
      kept.push({ key: subject, fields: reversal.kept, changed_by: await laterThan(parts, subject, versions) });
    }
    if (reversal.events.length === 0) continue;
    const text = (reversal.events as readonly { readonly type: string; readonly data: object }[]).find(
      ({ type }) => type === 'MemoryRevised',
    );
    decided.push({
      write: { subject, expected: version, events: reversal.events, ...claimsOf(parts, history, reversal.events) },
      text: text && 'content' in text.data ? String(text.data.content) : undefined,
    });
  }
  return { writes: await withVectors(parts, decided, signal), outcome: { restored, kept, irreversible } };
};

/** Undefined for a subject whose events have no opposite. */
const reversalOf = ({ subject, events }: SubjectHistory, undone: ReadonlySet<number>) => {
  if (isMemoryKey(subject)) return undoMemory(events as readonly Numbered<MemoryEvent>[], undone);
  return subject.startsWith('topic:') ? undoTopic(events as readonly Numbered<TopicEvent>[], undone) : undefined;
};

/** Correlations of what happened to a subject after the action, newest first. */
const laterThan = async (parts: CommandParts, subject: string, versions: ReadonlySet<number>): Promise<readonly string[]> => {
  const first = Math.min(...versions);
  const later = (await parts.linesOf(subject)).filter(({ n }) => n > first && !versions.has(n)).map(({ correlation }) => correlation);
  return [...new Set(later.reverse())].slice(0, 5);
};

/** The claim on a memory's exact text follows the text, and is free while the memory is archived. */
const claimsOf = (
  { log }: CommandParts,
  { subject, events }: SubjectHistory,
  reversal: readonly { readonly type: string }[],
): Pick<SubjectWrite, 'claims' | 'release'> => {
  if (!isMemoryKey(subject)) return {};
  const past = (events as readonly MemoryEvent[]).reduce(memoryDecider.evolve, memoryDecider.initialState());
  const next = (reversal as readonly MemoryEvent[]).reduce(memoryDecider.evolve, past);
  if (!isLive(past) || !isLive(next)) return {};
  const held = ({ status, namespace, project, content }: LiveMemory): string | undefined =>
    status === 'archived' ? undefined : textClaim(log.salt, namespace, project, content);
  const [before, after] = [held(past), held(next)];
  if (before === after) return {};
  return {
    ...(before !== undefined && { release: [before] }),
    ...(after !== undefined && { claims: [{ claim: after, mode: 'ifFree' as const }] }),
  };
};

const withVectors = async (
  parts: CommandParts,
  decided: readonly { readonly write: SubjectWrite; readonly text: string | undefined }[],
  signal: AbortSignal | undefined,
): Promise<readonly SubjectWrite[]> => {
  const texts = decided.flatMap(({ text }) => (text === undefined ? [] : [text]));
  if (texts.length === 0 || texts.length > EMBEDDED) return decided.map(({ write }) => write);
  const embedded = await embedForWrite(parts, texts, signal);
  if (embedded.state === 'stored') await parts.noteModel(embedded.embedder.identity.id);
  let next = 0;
  return decided.map(({ write, text }) => (text === undefined ? write : { ...write, vectors: vectorsOf(embedded, next++) }));
};

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
