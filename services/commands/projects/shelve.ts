import { memoryDecider } from '../../../domain/memory/memory.js';
import { projectOf } from '../../../domain/project/key.js';
import { type Project, projectDecider } from '../../../domain/project/project.js';
import type {
  Call,
  Counts,
  DeprioritiseProjectInput,
  DeprioritiseProjectResult,
  ReinstateProjectInput,
  ReinstateProjectResult,
} from '../../api.js';
import type { Appended } from '../../eventlog/append.js';
import { handleCommand, type Stamped } from '../../eventlog/handle.js';
import { noSuchProject } from '../../queries/projects/no-such.js';
import { textClaim } from '../claims.js';
import { type CommandParts, stampOf, visibility } from '../parts.js';
import { parseOptionalReason } from '../reasons.js';
import { expectFree } from '../retag.js';
import { type KeptPlan, keptPlan } from './kept-plan.js';
import { countKeys, inBatches, memoriesOf, namesMeant, subjectsOf } from './members.js';
import { projectNamed } from './named.js';

/** Subjects changed in one append. */
const BATCH = 200;
const REASON = 'the whole project was set aside';

/** Lowers the weight of every active memory of a project. The first call tells how many; with `confirm` it is done. */
export const deprioritiseProject = async (
  parts: CommandParts,
  input: DeprioritiseProjectInput,
  call: Call,
): Promise<DeprioritiseProjectResult> => {
  const reason = parseOptionalReason(input.reason) ?? REASON;
  const name = await projectNamed(parts, input.project_name);
  const plan = keptPlan(parts, call);
  const begun = await plan.read();
  const { known, active, inactive } = await standing(parts, name, input.include_context === true);
  if (!known && !begun) return noSuchProject(parts, name);
  const already = inactive.size > 0 ? { already_inactive: byState(inactive) } : {};
  if (active.length === 0 && !begun) return { status: 'nothing_to_change', project_name: name, already_inactive: byState(inactive) };
  if (input.confirm !== true) {
    const names = namesMeant(parts, name);
    const note = `Nothing was changed yet. ${names.note}Call again with confirm: true to lower the weight of these ${active.length}; reinstate_project takes it back.`;
    return {
      status: 'preview',
      project_name: name,
      ...names.fields,
      would_deprioritise: countKeys(active),
      total: active.length,
      ...already,
      note,
    };
  }
  const planned = begun ?? (await plan.begin({ keys: active, beside: already }));
  const { changed, correlation, appended } = await changeAll(parts, planned, call, 'deprioritising', {
    memory: { type: 'DeprioritiseMemory', data: { reason, reinstate_hints: [] } },
    context: { type: 'DeprioritiseProjectContext', data: { reason } },
    wasActive: true,
  });
  await plan.finish(planned);
  return {
    status: 'deprioritised',
    project_name: name,
    deprioritised: countKeys(changed),
    total: changed.length,
    ...planned.beside,
    correlation,
    ...(await visibility(parts, appended)),
  };
};

/** Makes every deprioritised or archived memory of a project active again; their reasons go. Facts keep half the weight of what they were drawn from. */
export const reinstateProject = async (parts: CommandParts, input: ReinstateProjectInput, call: Call): Promise<ReinstateProjectResult> => {
  const name = await projectNamed(parts, input.project_name);
  const plan = keptPlan(parts, call);
  const begun = await plan.read();
  const { known, active, inactive } = await standing(parts, name, input.include_context === true);
  if (!known && !begun) return noSuchProject(parts, name);
  const keys = [...inactive.keys()];
  const already = active.length > 0 ? { already_active: active.length } : {};
  if (keys.length === 0 && !begun) return { status: 'nothing_to_change', project_name: name, already_active: active.length };
  if (input.confirm !== true) {
    const names = namesMeant(parts, name);
    const note = `Nothing was changed yet. ${names.note}Call again with confirm: true to bring these ${keys.length} back; undo takes it back.`;
    return {
      status: 'preview',
      project_name: name,
      ...names.fields,
      would_reinstate: countKeys(keys),
      total: keys.length,
      ...already,
      note,
    };
  }
  const planned = begun ?? (await plan.begin({ keys, beside: already }));
  const { changed, correlation, appended } = await changeAll(parts, planned, call, 'reinstating', {
    memory: { type: 'ReinstateMemory', data: {} },
    context: { type: 'ReinstateProjectContext', data: {} },
    wasActive: false,
  });
  await plan.finish(planned);
  return {
    status: 'reinstated',
    project_name: name,
    reinstated: countKeys(changed),
    total: changed.length,
    ...planned.beside,
    correlation,
    ...(await visibility(parts, appended)),
  };
};

type Standing = {
  /** Whether anything is filed under the project, or recorded of it. */
  readonly known: boolean;
  readonly active: readonly string[];
  /** Keys of the others, with their states. */
  readonly inactive: ReadonlyMap<string, string>;
};

const standing = async (parts: CommandParts, name: string, includeContext: boolean): Promise<Standing> => {
  const contexts = (await subjectsOf(parts, name)).flatMap(({ subject, project }) =>
    project.context ? [{ key: subject, state: project.context.status }] : [],
  );
  const memories = memoriesOf(parts, name);
  const all = [...memories, ...(includeContext ? contexts : [])];
  return {
    known: memories.length + contexts.length > 0,
    active: all.filter(({ state }) => state === 'active').map(({ key }) => key),
    inactive: new Map(all.filter(({ state }) => state !== 'active').map(({ key, state }) => [key, state])),
  };
};

const byState = (states: ReadonlyMap<string, string>): Counts => {
  const counts: Record<string, number> = {};
  for (const state of states.values()) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
};

const batchId = (correlation: string, number: number): string => `${correlation}:${number}`;

type Change = {
  readonly memory: Parameters<typeof memoryDecider.decide>[0];
  readonly context: Parameters<typeof projectDecider.decide>[0];
  /** Which are meant: those that are active, or those that are not. One that changed meanwhile is left. */
  readonly wasActive: boolean;
};

/** Batch by batch, in the order of the plan; what an earlier call of the same id did of them is answered again. */
const changeAll = async (parts: CommandParts, { keys, finished }: KeptPlan, call: Call, doing: string, change: Change) => {
  const stamp = stampOf(parts, call);
  const correlation = stamp.commandId;
  const memories = inBatches(
    keys.filter((key) => projectOf(key) === undefined),
    BATCH,
  );
  const contexts = keys.filter((key) => projectOf(key) !== undefined);
  const changed: string[] = [];
  let appended: Appended | undefined;
  for (const [number, batch] of [...memories, contexts].entries()) {
    call.signal?.throwIfAborted();
    const numbered: Stamped = { ...stamp, repeatable: true, commandId: batchId(correlation, number), correlation };
    const first = stamp.repeatable ? await parts.log.firstAnswer(numbered.commandId) : undefined;
    if (!first && (finished || batch.length === 0)) continue;
    const changeThese = number < memories.length ? changeMemories : changeContexts;
    const done = first ?? (await changeThese(parts, batch, numbered, change));
    if (!done) continue;
    changed.push(...(done.result.changed as string[]));
    appended = done;
    call.progress?.(doing, changed.length, keys.length);
  }
  return { changed, correlation, appended };
};

const changeMemories = async (parts: CommandParts, batch: readonly string[], stamp: Stamped, { memory, wasActive }: Change) => {
  const { appended } = expectFree(
    await handleCommand(parts.log, memoryDecider, batch, stamp, (loaded) => {
      const writes = loaded.flatMap(({ subject, state }) => {
        if (!('content' in state) || (state.status === 'active') !== wasActive) return [];
        // An archived text gave its claim up, and takes it again unless it was remembered anew.
        const claim = textClaim(parts.log.salt, state.namespace, state.project, state.content);
        const claims = state.status === 'archived' ? [{ claim, mode: 'ifFree' as const }] : undefined;
        return [{ subject, events: memoryDecider.decide(memory, state), ...(claims && { claims }) }];
      });
      return { writes, result: { changed: writes.filter(({ events }) => events.length > 0).map(({ subject }) => subject) } };
    }),
  );
  return appended;
};

const changeContexts = async (parts: CommandParts, batch: readonly string[], stamp: Stamped, { context, wasActive }: Change) => {
  const { appended } = expectFree(
    await handleCommand<Project>(parts.log, projectDecider, batch, stamp, (loaded) => {
      const writes = loaded.flatMap(({ subject, state }) =>
        state.context && (state.context.status === 'active') === wasActive
          ? [{ subject, events: projectDecider.decide(context, state) }]
          : [],
      );
      return { writes, result: { changed: writes.filter(({ events }) => events.length > 0).map(({ subject }) => subject) } };
    }),
  );
  return appended;
};
