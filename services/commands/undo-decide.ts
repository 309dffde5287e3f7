import type { Numbered, Undoing } from '../../domain/last-run.js';
import type { MemoryEvent } from '../../domain/memory/events.js';
import { isMemoryKey } from '../../domain/memory/key.js';
import { isLive, type LiveMemory, memoryDecider } from '../../domain/memory/memory.js';
import { projectOf } from '../../domain/project/key.js';
import type { ProjectHistoryEvent } from '../../domain/project/project.js';
import { undoProject } from '../../domain/project/undo.js';
import { isSystemSubject } from '../../domain/system/events.js';
import { isTopicSubject, type TopicEvent } from '../../domain/topic/topic.js';
import { undoMemory, undoTopic } from '../../domain/undo.js';
import type { UndoResult } from '../api.js';
import type { SubjectWrite } from '../eventlog/append.js';
import type { SubjectHistory } from '../eventlog/subject.js';
import { textClaim } from './claims.js';
import { embedForWrite, vectorsOf } from './embed.js';
import type { CommandParts } from './parts.js';
import type { UndoneSince } from './undone-since.js';

/** More texts than this are put back without vectors; those are filled in afterwards. */
const EMBEDDED = 32;

export type Outcome = Pick<UndoResult, 'restored' | 'kept' | 'irreversible'>;

/** What takes the action back on these subjects, given the versions that it made, on a fresh load of each. */
export const decideBatch = async (
  parts: CommandParts,
  batch: ReadonlyMap<string, ReadonlySet<number>>,
  since: UndoneSince,
  signal: AbortSignal | undefined,
): Promise<{ readonly writes: readonly SubjectWrite[]; readonly outcome: Outcome }> => {
  const decided: { readonly write: SubjectWrite; readonly text: string | undefined }[] = [];
  const restored: Outcome['restored'][number][] = [];
  const kept: Outcome['kept'][number][] = [];
  const irreversible: Outcome['irreversible'][number][] = [];
  // What the store did by itself has no opposite, and a day of it may be long.
  const own = [...batch].filter(([subject]) => isSystemSubject(subject));
  for (const [subject, versions] of own) irreversible.push(...(await withoutOpposite(parts, subject, versions)));
  for (const history of await parts.log.load([...batch.keys()].filter((subject) => !isSystemSubject(subject)))) {
    const { subject, version } = history;
    const versions = batch.get(subject) ?? new Set();
    const reversal = reversalOf(parts, history, await since(subject, versions, version));
    if (reversal === 'forgotten') {
      irreversible.push({ key: subject, why: 'It was forgotten, and forgetting cannot be undone.' });
      continue;
    }
    if (reversal === undefined) {
      irreversible.push(...(await withoutOpposite(parts, subject, versions)));
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

/** What cannot be taken back of a subject, but for records that go with what is taken back elsewhere. */
const withoutOpposite = async (parts: CommandParts, subject: string, versions: ReadonlySet<number>): Promise<Outcome['irreversible']> => {
  const types = new Set((await parts.linesOf(subject, [...versions])).map(({ type }) => type));
  const open = [...types].filter((type) => type !== 'ActionUndone' && type !== 'MaintenanceRan');
  return open.length === 0 ? [] : [{ key: subject, why: `${open.join(', ')} records what happened and has no opposite.` }];
};

/** Undefined for a subject whose events have no opposite. */
const reversalOf = ({ index }: CommandParts, { subject, events }: SubjectHistory, undoing: Undoing) => {
  if (isMemoryKey(subject)) return undoMemory(events as readonly Numbered<MemoryEvent>[], undoing);
  const project = projectOf(subject);
  if (project !== undefined) {
    const countsAs = (name: string, other: string): boolean => index.projects.chainOf(name).includes(other);
    return undoProject(project, events as readonly Numbered<ProjectHistoryEvent>[], undoing, countsAs);
  }
  return isTopicSubject(subject) ? undoTopic(events as readonly Numbered<TopicEvent>[], undoing) : undefined;
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
