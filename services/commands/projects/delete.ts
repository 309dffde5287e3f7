import { projectDecider } from '../../../domain/project/project.js';
import type { Call, DeleteProjectInput, DeleteProjectResult } from '../../api.js';
import { noSuchProject } from '../../queries/projects/no-such.js';
import { erasePlanned } from '../forget-run.js';
import { withFacts } from '../forget-targets.js';
import { backupsNote, type CommandParts, stampOf, visibility } from '../parts.js';
import { countKeys, memoriesOf, namesMeant, subjectsOf } from './members.js';
import { projectNamed } from './named.js';

/**
 * Erases every memory of a project for good, with the facts drawn from them, and with `include_context` what is recorded of
 * the project itself. The first call tells what would go. Once begun it is an erasure like any other: it goes on by itself
 * when its process dies, and when the call is repeated.
 */
export const deleteProject = async (parts: CommandParts, input: DeleteProjectInput, call: Call): Promise<DeleteProjectResult> => {
  const name = await projectNamed(parts, input.project_name);
  const begun = call.commandId !== undefined && (await parts.plans.read(call.commandId)) !== undefined;
  const own = memoriesOf(parts, name).map(({ key }) => key);
  const recorded = (await subjectsOf(parts, name)).filter(({ project }) => projectDecider.decide(DELETE, project).length > 0);
  if (own.length === 0 && recorded.length === 0 && !begun) return noSuchProject(parts, name);
  const memories = withFacts(parts, own);
  const contexts = input.include_context === true ? recorded.map(({ subject }) => subject) : [];
  // In the first step what is recorded of the project goes: a context that is set anew meanwhile stays.
  const keys = [...contexts, ...memories];
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
  const stamp = stampOf(parts, call);
  if (!begun) await parts.plans.store(stamp.commandId, keys);
  const erased = await erasePlanned(parts, stamp.commandId, { ...call, commandId: stamp.commandId });
  const gone = erased?.keys ?? [];
  return {
    status: 'deleted',
    project_name: name,
    deleted: countKeys(gone),
    total: gone.length,
    correlation: stamp.commandId,
    disk: parts.onErased(gone),
    ...(await backupsNote(parts)),
    ...(kept && { note: CONTEXT_STAYS.trim() }),
    ...(await visibility(parts, erased?.appended)),
  };
};

const DELETE = { type: 'DeleteProject', data: {} } as const;
const CONTEXT_STAYS = 'The context stays; include_context: true erases it too. ';
