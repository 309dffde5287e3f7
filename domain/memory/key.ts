import { NAMESPACES, type Namespace } from '../vocabulary.js';

const ULID = '[0-9A-HJKMNP-TV-Z]{26}';
const MEMORY_KEY = new RegExp(`^mem:(${NAMESPACES.join('|')}):(${ULID})$`);

/** `mem:<namespace>:<ULID>`: the public key of a memory, and its subject in the log. */
export const memoryKey = (namespace: Namespace, ulid: string): string => `mem:${namespace}:${ulid}`;

/** The namespace a memory key names, or undefined when the text is no memory key. */
export const namespaceOf = (key: string): Namespace | undefined => MEMORY_KEY.exec(key)?.[1] as Namespace | undefined;

export const isMemoryKey = (text: string): boolean => MEMORY_KEY.test(text);
