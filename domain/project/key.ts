import { isMemoryKey } from '../memory/key.js';

const PREFIX = 'mem:project:';

/** `mem:project:<name>`: the public key of a project's context, and its subject in the log. */
export const projectKey = (name: string): string => PREFIX + name;

/** The name of the project that a key means, or undefined when it is no project's (a memory's, for instance). */
export const projectOf = (key: string): string | undefined =>
  key.startsWith(PREFIX) && key.length > PREFIX.length && !isMemoryKey(key) ? key.slice(PREFIX.length) : undefined;

/** Whether recall may find something under the key: a memory, or the context of a project. */
export const isRecallable = (key: string): boolean => isMemoryKey(key) || projectOf(key) !== undefined;
