import { DomainError } from '../../../domain/errors.js';
import { projectKey } from '../../../domain/project/key.js';
import { decideMerge, mergedInto } from '../../../domain/project/merging.js';
import { parseProjectName } from '../../../domain/project/name.js';
import { projectDecider } from '../../../domain/project/project.js';
import type { Call, MergeProjectsInput, MergeProjectsResult } from '../../api.js';
import type { Appended } from '../../eventlog/append.js';
import { handleCommand, type Stamped } from '../../eventlog/handle.js';
import { type CommandParts, stampOf, visibility } from '../parts.js';
import { expectFree } from '../retag.js';

const ATTEMPTS = 5;

/**
 * Makes what is filed under `from` count as `into` from now on, in every read and write; nothing is rewritten, and `undo`
 * takes it back. Throws VALIDATION for one name twice, NOT_FOUND for a name of which nothing is known, CONFLICT for a
 * circle and for a `from` that counts as a third project.
 */
export const mergeProjects = async (parts: CommandParts, input: MergeProjectsInput, call: Call): Promise<MergeProjectsResult> => {
  const [from, into] = [parseProjectName(input.from), parseProjectName(input.into)];
  await parts.fresh();
  const { projects } = parts.index;
  const stamp = stampOf(parts, call);
  refuseUnknown(parts, 'from', from);
  if (input.into_is_new !== true) refuseUnknown(parts, 'into', into);
  const { changed, appended } = await appendMerge(parts, from, into, stamp);
  const visible = await visibility(parts, appended);
  const domains = projects.domainsOf(into);
  return {
    status: changed ? 'merged' : 'unchanged',
    from,
    into: projects.canonical(into),
    names: projects.namesOf(into),
    memories: projects.memoriesOf(into),
    ...(domains && { domains }),
    ...(changed ? { correlation: stamp.commandId } : { note: 'They are one project already.' }),
    ...visible,
  };
};

/** What `into` counts as is read from the log with the two; when that has moved on, it is looked at again. */
const appendMerge = async (
  parts: CommandParts,
  from: string,
  into: string,
  stamp: Stamped,
): Promise<{ readonly changed: boolean; readonly appended: Appended | undefined }> => {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const chain = parts.index.projects.chainOf(into);
    const subjects = [...new Set([from, ...chain])].map(projectKey);
    const { result, appended } = expectFree(
      await handleCommand(parts.log, projectDecider, subjects, stamp, (loaded) => {
        const stateOf = (name: string) =>
          loaded.find(({ subject }) => subject === projectKey(name))?.state ?? projectDecider.initialState();
        if (chain.some((name, i) => mergedInto(name, stateOf(name)) !== chain[i + 1])) return { writes: [], result: { moved: true } };
        const { onFrom, onInto } = decideMerge({ from, into }, { from: stateOf(from), into: stateOf(into) }, chain);
        const writes = [
          { subject: projectKey(from), events: onFrom },
          { subject: projectKey(into), events: onInto },
        ];
        return { writes, result: { changed: onFrom.length > 0 } };
      }),
    );
    if (result.moved !== true) return { changed: result.changed === true, appended };
    await parts.fresh();
  }
  throw new DomainError('CONFLICT', 'Others keep merging these projects', 'Look at them with list_projects and call again');
};

const refuseUnknown = ({ index: { projects } }: CommandParts, what: 'from' | 'into', name: string): void => {
  if (projects.isKnown(name)) return;
  const near = projects.near(name);
  const hints = [
    near.length > 0 ? `There is ${near.map((one) => JSON.stringify(one)).join(', ')}.` : 'list_projects shows the names.',
    what === 'into' && 'If it is to be a new name for the project, pass into_is_new: true.',
  ];
  throw new DomainError('NOT_FOUND', `Nothing is known of a project ${JSON.stringify(name)} (${what})`, hints.filter(Boolean).join(' '));
};
