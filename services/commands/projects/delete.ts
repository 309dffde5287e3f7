import { projectDecider } from '../../../domain/project/project.js';
import type { Call, DeleteProjectInput, DeleteProjectResult } from '../../api.js';
import type { Appended } from '../../eventlog/append.js';
import { noSuchProject } from '../../queries/projects/no-such.js';
import { type Erasure, eraseBatch, eraseFacts } from '../forget-erase.js';
import { ERASURE_BATCH } from '../forget-plan.js';
import { withFacts } from '../forget-targets.js';
import { type CommandParts, stampOf, visibility } from '../parts.js';
import { countKeys, inBatches, memoriesOf, namesMeant, subjectsOf } from './members.js';
import { projectNamed } from './named.js';

/**
 * Erases every memory of a project for good, with the facts drawn from them, and with `include_context` what is recorded of
 * the project itself. The first call tells what would go. An erasure that was interrupted goes on when it is repeated.
 */
export const deleteProject = async (parts: CommandParts, input: DeleteProjectInput, call: Call): Promise<DeleteProjectResult> => {
  const name = await projectNamed(parts, input.project_name);
  const erasure = erasureFor(parts, call);
  const begun = call.commandId !== undefined && (await parts.log.firstAnswer(batchId(erasure, 0))) !== undefined;
  const own = memoriesOf(parts, name).map(({ key }) => key);
  const recorded = (await subjectsOf(parts, name)).filter(({ project }) => projectDecider.decide(DELETE, project).length > 0);
  if (own.length === 0 && recorded.length === 0 && !begun) return noSuchProject(parts, name);
  const memories = withFacts(parts, own);
  const contexts = input.include_context === true ? recorded.map(({ subject }) => subject) : [];
  const keys = [...memories, ...contexts];
  const kept = recorded.length > 0 && contexts.length === 0;
  if (input.confirm !== true || (keys.length === 0 && !begun)) {
    const names = namesMeant(parts, name);
    return {
      status: 'preview',
      project_name: name,
      ...names.fields,
      would_delete: countKeys(keys),
      total: keys.length,
      ...(memories.length > own.length && { facts: memories.length - own.length }),
      note: `Nothing was deleted yet. ${names.note}${kept ? CONTEXT_STAYS : ''}Call again with confirm: true to erase these ${keys.length} for good.`,
    };
  }
  const { keys: gone, appended } = await eraseAll(parts, own, keys, erasure, call);
  return {
    status: 'deleted',
    project_name: name,
    deleted: countKeys(gone),
    total: gone.length,
    correlation: erasure.correlation,
    disk: parts.onErased(gone),
    ...(kept && { note: CONTEXT_STAYS.trim() }),
    ...(await visibility(parts, appended)),
  };
};

const DELETE = { type: 'DeleteProject', data: {} } as const;
const CONTEXT_STAYS = 'The context stays; include_context: true erases it too. ';

const erasureFor = (parts: CommandParts, call: Call): Erasure => {
  const { commandId, actor, at } = stampOf(parts, call);
  return { correlation: commandId, actor, at };
};

const batchId = ({ correlation }: Erasure, number: number): string => `${correlation}:${number}`;

const eraseAll = async (parts: CommandParts, own: readonly string[], keys: readonly string[], erasure: Erasure, call: Call) => {
  let gone: readonly string[] = [];
  let appended: Appended | undefined;
  let number = 0;
  const take = async (batch: readonly string[]): Promise<boolean> => {
    const erased = await eraseBatch(parts, batch, erasure, batchId(erasure, number));
    if (!erased.appended) return false;
    number += 1;
    gone = [...gone, ...erased.keys];
    appended = erased.appended;
    parts.onErased(erased.keys);
    call.progress?.('erasing', gone.length, Math.max(gone.length, keys.length));
    return true;
  };
  // What an interrupted call of the same id did is answered again, and the rest goes on under the next numbers.
  while (await take([]));
  const before = new Set(gone);
  for (const batch of inBatches(
    keys.filter((key) => !before.has(key)),
    ERASURE_BATCH,
  )) {
    call.signal?.throwIfAborted();
    await take(batch);
  }
  return eraseFacts(parts, own, { keys: gone, appended }, erasure);
};
