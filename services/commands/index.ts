import type { Call, Commands } from '../api.js';
import { forget } from './forget.js';
import { archive, deprioritise, reinstate } from './lifecycle.js';
import { heldToItsCommand } from './once.js';
import type { CommandParts } from './parts.js';
import { remember } from './remember.js';
import { rememberDocument } from './remember-document.js';
import { retag } from './retag.js';
import { revise } from './revise.js';
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
      heldToItsCommand(parts, command.name, input, call, () => command(parts, input, call));
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
  };
};
