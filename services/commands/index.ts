import type { Call, Commands } from '../api.js';
import { checkContradictions } from './contradictions/check.js';
import { resolveContradiction } from './contradictions/resolve.js';
import { liftDeadEnd } from './experience/lift-dead-end.js';
import { logAbandoned } from './experience/log-abandoned.js';
import { recordExperience } from './experience/record-experience.js';
import { forget } from './forget.js';
import { archive, deprioritise, reinstate } from './lifecycle.js';
import { maintain } from './maintenance/maintain.js';
import { heldToItsCommand } from './once.js';
import type { CommandParts } from './parts.js';
import { compileProjectContext } from './projects/compile.js';
import { deleteProject } from './projects/delete.js';
import { compileProjectDomains } from './projects/domains.js';
import { mergeProjects } from './projects/merge.js';
import { setProjectContext } from './projects/set-context.js';
import { deprioritiseProject, reinstateProject } from './projects/shelve.js';
import { updateProjectState } from './projects/update-state.js';
import { reindex } from './reindex.js';
import { remember } from './remember.js';
import { rememberDocument } from './remember-document.js';
import { retag } from './retag.js';
import { revise } from './revise.js';
import { refuseSecretsIn } from './secrets.js';
import { setLicence, setProvenance } from './stamping.js';
import { suppressTopic, unsuppressTopic } from './topics.js';
import { undo } from './undo.js';

/** A command without its parts. */
export type Bound<Input, Result> = (input: Input, call: Call) => Promise<Result>;

/** The write side over its parts. */
export const createCommands = (parts: CommandParts): Commands => {
  const over =
    <Input, Result>(command: (parts: CommandParts, input: Input, call: Call) => Promise<Result>): Bound<Input, Result> =>
    (input, call) =>
      heldToItsCommand(parts, command.name, input, call, async () => {
        refuseSecretsIn(command.name, input);
        return command(parts, input, call);
      });
  return {
    remember: over(remember),
    rememberDocument: over(rememberDocument),
    revise: over(revise),
    retag: over(retag),
    deprioritise: over(deprioritise),
    archive: over(archive),
    reinstate: over(reinstate),
    forget: over(forget),
    undo: over(undo),
    suppressTopic: over(suppressTopic),
    unsuppressTopic: over(unsuppressTopic),
    setLicence: over(setLicence),
    setProvenance: over(setProvenance),
    setProjectContext: over(setProjectContext),
    updateProjectState: over(updateProjectState),
    compileProjectContext: over(compileProjectContext),
    deleteProject: over(deleteProject),
    deprioritiseProject: over(deprioritiseProject),
    reinstateProject: over(reinstateProject),
    recordExperience: over(recordExperience),
    logAbandoned: over(logAbandoned),
    liftDeadEnd: over(liftDeadEnd),
    reindex: over(reindex),
    checkContradictions: over(checkContradictions),
    resolveContradiction: over(resolveContradiction),
    maintain: over(maintain),
    mergeProjects: over(mergeProjects),
    compileProjectDomains: over(compileProjectDomains),
  };
};
