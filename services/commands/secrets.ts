import { DomainError } from '../../domain/errors.js';
import { findSecrets } from '../../domain/secrets.js';
import type { Commands } from '../api.js';

/** A text was refused for what looks like a live credential in it; nothing of it is in the message. */
export class LiveCredential extends DomainError {}

/** Throws VALIDATION for a text that looks like it holds a live credential. `what` names the text. */
export const refuseSecrets = (text: string, what = 'The content'): void => {
  const [secret] = findSecrets(text);
  if (!secret) return;
  throw new LiveCredential(
    'VALIDATION',
    `${what} looks like it holds a live credential (${secret.kind}, at character ${secret.index}); nothing was stored`,
    'Take it out, or pass force: true (--force on the command line) if it is no secret: a log is harder to clean than a file',
  );
};

/** Whether a command stores what somebody wrote, by name. Each that does takes `force`. */
export const STORES_TEXT: Readonly<Record<keyof Commands, boolean>> = {
  remember: true,
  rememberDocument: true,
  revise: true,
  retag: true,
  deprioritise: true,
  archive: true,
  reinstate: false,
  forget: false,
  undo: false,
  suppressTopic: true,
  unsuppressTopic: false,
  setLicence: true,
  setProvenance: false,
  setProjectContext: true,
  updateProjectState: true,
  compileProjectContext: false,
  deleteProject: false,
  deprioritiseProject: true,
  reinstateProject: false,
  recordExperience: true,
  logAbandoned: true,
  liftDeadEnd: true,
  reindex: false,
  checkContradictions: false,
  resolveContradiction: true,
  maintain: false,
  mergeProjects: true,
  compileProjectDomains: true,
};
const STORING: ReadonlySet<string> = new Set(Object.entries(STORES_TEXT).flatMap(([name, stores]) => (stores ? [name] : [])));

/** Fields that store nothing, and those that their command checks itself, without our own framing around what is said. */
const PASSED_OVER: ReadonlySet<string> = new Set([
  ...['key', 'keys', 'key_or_query', 'key_a', 'key_b', 'keep', 'remove', 'from'],
  ...['content', 'description', 'stack', 'goals', 'current_state', 'notes'],
]);

/** Refuses a live credential in any text of a command's input that would be stored. Throws VALIDATION naming the field. */
export const refuseSecretsIn = (command: string, input: unknown): void => {
  if (!STORING.has(command) || typeof input !== 'object' || input === null || ('force' in input && input.force === true)) return;
  refuseSecretsInFields(Object.fromEntries(Object.entries(input).filter(([field]) => !PASSED_OVER.has(field))));
};

/** Refuses a live credential in any text of these fields, lists among them. Throws VALIDATION naming the field. */
export const refuseSecretsInFields = (fields: object): void => {
  for (const [field, value] of Object.entries(fields)) for (const text of textsIn(value)) refuseSecrets(text, field);
};

const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};
