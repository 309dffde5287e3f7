import { isMemoryKey } from '../../../domain/memory/key.js';

/** What a key of a dump stands for. Contract, section 16.1. */
export type Family =
  | { readonly is: 'memory' }
  | { readonly is: 'project' }
  | { readonly is: 'suppressions' }
  | { readonly is: 'suppression details' }
  | { readonly is: 'aside'; readonly kind: string; readonly why: string }
  | { readonly is: 'dropped'; readonly kind: string; readonly why: string }
  | { readonly is: 'foreign' };

/** Ours: reasons and times of suppressions, which the set of a dump cannot hold. */
export const SUPPRESSION_DETAILS = 'meta:suppression_details';
export const SUPPRESSED = 'topics:suppressed';

const NO_EVENTS = 'this version has no events for it yet';

const FAMILIES: readonly (readonly [pattern: RegExp, family: Family])[] = [
  [new RegExp(`^${SUPPRESSED}$`), { is: 'suppressions' }],
  [new RegExp(`^${SUPPRESSION_DETAILS}$`), { is: 'suppression details' }],
  [/^mem:project:[^\n]+$/, { is: 'project' }],
  [/^mem:knowledge:[0-9a-f]{16}$/, { is: 'aside', kind: 'article', why: NO_EVENTS }],
  [/^mem:skill:[^\n]+$/, { is: 'aside', kind: 'skill', why: NO_EVENTS }],
  [/^meta:feed:influence$/, { is: 'aside', kind: 'feed influence', why: NO_EVENTS }],
  [/^log:recall:/, { is: 'dropped', kind: 'recall log', why: 'it tells of reads of the other server' }],
  [/^meta:tool_metrics/, { is: 'dropped', kind: 'tool figure', why: 'it tells of calls of the other server' }],
  [/^meta:maintenance:/, { is: 'dropped', kind: 'maintenance figure', why: 'it tells of runs of the other server' }],
  [/^meta:skill:proposal:/, { is: 'dropped', kind: 'skill proposal', why: 'a proposal lives for a day; propose it again' }],
  [/^meta:/, { is: 'aside', kind: 'record of the other server', why: 'what it is for is not known here' }],
  [/^topics:/, { is: 'aside', kind: 'record of topics', why: 'what it is for is not known here' }],
];

/** `context` says whether the record has the fields of a project context, whose key may look like any. */
export const familyOf = (key: string, context: boolean): Family => {
  if (isMemoryKey(key) && !(context && key.startsWith('mem:project:'))) return { is: 'memory' };
  return FAMILIES.find(([pattern]) => pattern.test(key))?.[1] ?? { is: 'foreign' };
};
