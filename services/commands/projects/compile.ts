import { estimateTokens, fitWithin } from '../../../domain/budget.js';
import { DomainError, isDomainError } from '../../../domain/errors.js';
import { drawnFrom, lessonsOf, notesOf, stackOf, stateOf, topTags } from '../../../domain/project/compile.js';
import { type MemoryRow, readServingMemories } from '../../../projections/memories.js';
import type { Call, CompiledMemory, CompileProjectContextInput, CompileProjectContextResult, ProjectContextParts } from '../../api.js';
import { type ReadContext, readContext } from '../../queries/projects/read.js';
import { unavailableWhenDown } from '../../valkey/errors.js';
import type { CommandParts } from '../parts.js';
import { inBatches, memoriesOf } from './members.js';
import { projectNamed } from './named.js';
import { saveContext } from './set-context.js';

/** Memories that are read, newest first; rows in one round trip. */
const MOST_READ = 5_000;
const PAGE = 500;
/** Tokens that the notes around the memories may take. */
const SPARE = 200;
/** Lessons of a kind in an answer, and keys of what was cut. */
const LESSONS_SHOWN = 30;
const KEYS_SHOWN = 50;
const REPEATED = 'This call was answered before, and its draft was saved then. The draft here is of today and was not saved.';

/**
 * Drafts the context of a project from its active episodic memories, and shows what it is drawn from. With `auto_save` the
 * draft is kept: by the keys of those memories, so that one that is forgotten leaves it. What somebody wrote by hand for
 * description, goals and stack stays.
 */
export const compileProjectContext = async (
  parts: CommandParts,
  input: CompileProjectContextInput,
  call: Call,
): Promise<CompileProjectContextResult> => {
  const name = await projectNamed(parts, input.project_name);
  const existing = await readContext(parts, name);
  const before = existing && readBefore(parts, existing, call);
  const keys = memoriesOf(parts, name)
    .filter(({ namespace, state }) => namespace === 'episodic' && state === 'active')
    .sort((a, b) => b.createdAt - a.createdAt || (a.key < b.key ? 1 : -1))
    .map(({ key }) => key);
  const sources = await read(parts, keys.slice(0, MOST_READ), call);
  const tags = topTags(sources);
  const draft = draftOf(sources, existing);
  const kept = input.auto_save === true ? await save(parts, name, draft, sources, existing, before, call) : {};
  if (existing && input.auto_save !== true) parts.reads.note(call.session, existing.key, existing.version);
  const { breakthroughs, gotchas, abandoned } = lessonsOf(sources);
  const answer: CompileProjectContextResult = {
    project_name: name,
    memory_count: keys.length,
    draft,
    ...(existing && { existing_context: { ...withoutEmpty(existing.texts), updated_at: existing.updated_at } }),
    ...(tags.length > 0 && { top_tags: tags }),
    ...(abandoned.length > 0 && {
      abandoned_approaches: abandoned.slice(0, LESSONS_SHOWN).map((one) => ({ name: one.name, type: one.type, reason: one.reason })),
    }),
    ...(breakthroughs.length > 0 && { breakthroughs: breakthroughs.slice(0, LESSONS_SHOWN) }),
    ...(gotchas.length > 0 && { gotchas: gotchas.slice(0, LESSONS_SHOWN) }),
    ...(keys.length > sources.length && { note: `Only the newest ${sources.length} memories were read.` }),
    ...kept,
  };
  return { ...answer, ...listed(sources, keys, input.max_tokens - estimateTokens(JSON.stringify(answer))) };
};

const read = async ({ redis, keys }: CommandParts, wanted: readonly string[], call: Call): Promise<readonly MemoryRow[]> => {
  const found: MemoryRow[] = [];
  for (const page of inBatches(wanted, PAGE)) {
    call.signal?.throwIfAborted();
    found.push(...(await unavailableWhenDown(() => readServingMemories(redis, keys, page))).values());
  }
  return found;
};

/** The stack that somebody wrote; a drawn one is drawn anew. */
const writtenStack = (existing: ReadContext | undefined): string =>
  existing?.compiled.includes('stack') ? '' : (existing?.texts.stack ?? '');

const draftOf = (sources: readonly MemoryRow[], existing: ReadContext | undefined): ProjectContextParts => {
  const { stack = [], current_state = [], notes = [] } = drawnFrom(sources);
  const of = (drawn: readonly string[]): readonly MemoryRow[] => sources.filter(({ key }) => drawn.includes(key));
  return withoutEmpty({
    description: existing?.texts.description ?? '',
    stack: writtenStack(existing) || stackOf(of(stack)),
    goals: existing?.texts.goals ?? '',
    current_state: stateOf(of(current_state)),
    notes: notesOf(of(notes)),
  });
};

const withoutEmpty = (texts: ProjectContextParts): ProjectContextParts =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined && text !== ''));

const save = async (
  parts: CommandParts,
  name: string,
  draft: ProjectContextParts,
  sources: readonly MemoryRow[],
  existing: ReadContext | undefined,
  before: number | undefined,
  call: Call,
): Promise<Partial<CompileProjectContextResult>> => {
  const repeated = call.commandId !== undefined && (await parts.log.firstAnswer(call.commandId)) !== undefined;
  if (sources.length === 0 && !repeated) {
    return { note: `Nothing was saved: ${JSON.stringify(name)} has no active episodic memory to draw a context from.` };
  }
  const stack = writtenStack(existing);
  const { stack: tagged, ...drawn } = drawnFrom(sources);
  const data = {
    description: draft.description ?? '',
    stack,
    goals: draft.goals ?? '',
    current_state: '',
    drawn: { ...drawn, ...(stack === '' && { stack: tagged }) },
    provenance: existing?.provenance ?? ('concluded' as const),
  };
  const { version, replaced, visible } = await saved(() => saveContext(parts, name, data, before, call));
  return {
    auto_saved: true,
    version,
    ...(replaced && { replaced }),
    ...(repeated && { note: REPEATED }),
    ...(visible === false && { visible }),
  };
};

/** The version that the draft is a decision on: what this session has read of the state, else what this very answer shows it. */
const readBefore = ({ reads }: CommandParts, { key, version }: ReadContext, call: Call): number =>
  Math.min(version, reads.seen(call.session, key) ?? version);

const saved = async <T>(saving: () => Promise<T>): Promise<T> => {
  try {
    return await saving();
  } catch (error) {
    if (!isDomainError(error, 'CONFLICT')) throw error;
    const hint = 'Nothing was saved. Read the newer state with get_project_context, then call again if the draft may take its place';
    throw new DomainError('CONFLICT', error.message, hint, { cause: error });
  }
};

const listed = (
  sources: readonly MemoryRow[],
  keys: readonly string[],
  budget: number,
): Pick<CompileProjectContextResult, 'memories' | 'memories_cut'> => {
  const items = sources.map(
    (row): CompiledMemory => ({
      key: row.key,
      content: row.content,
      updated_at: row.updated_at,
      ...(row.tags.length > 0 && { tags: row.tags }),
      ...(row.effort_score !== undefined && { effort_score: row.effort_score }),
      ...(row.outcome !== undefined && { outcome: row.outcome }),
    }),
  );
  const { kept } = fitWithin(items, Math.max(0, budget - SPARE), (item) => estimateTokens(JSON.stringify(item)));
  const shown = new Set(kept.map(({ key }) => key));
  const cut = keys.filter((key) => !shown.has(key));
  return {
    ...(kept.length > 0 && { memories: kept }),
    ...(cut.length > 0 && {
      memories_cut: {
        shown: kept.length,
        total: keys.length,
        keys: cut.slice(0, KEYS_SHOWN),
        note: 'These did not fit; recall_detail reads them by key, memory_audit lists all.',
      },
    }),
  };
};
