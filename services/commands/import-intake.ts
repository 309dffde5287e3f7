import { createHash } from 'node:crypto';
import { unstorableInLine, unstorableInText } from '../../domain/characters.js';
import { normalisedForIdentity, parseContent } from '../../domain/content.js';
import { DomainError } from '../../domain/errors.js';
import { parseLicenceNote } from '../../domain/licence.js';
import type { MemoryEvent, Remembered } from '../../domain/memory/events.js';
import type { Experience } from '../../domain/memory/experience.js';
import { memoryKey, namespaceOf } from '../../domain/memory/key.js';
import { parseProjectName } from '../../domain/project/name.js';
import { parseTags } from '../../domain/tags.js';
import type { Namespace, State } from '../../domain/vocabulary.js';
import { refuseSecrets, refuseSecretsInFields } from './secrets.js';

/** A memory as another system held it, its words already in our vocabulary. */
export type ImportCandidate = Omit<Remembered, 'flagged_against' | 'changed_at' | 'tags'> & {
  /** The key it had, if it had one of ours. */
  readonly key?: string | undefined;
  readonly tags: readonly string[];
  /** Epoch milliseconds. */
  readonly created: number;
  /** Epoch milliseconds of its last change. */
  readonly changed?: number | undefined;
  readonly state: State;
  readonly reason?: string | undefined;
  readonly reinstate_hints: readonly string[];
  /** What the work behind it was like, already by our rules; the times of its dead ends are its own. */
  readonly experience?: Experience | undefined;
};

export type TimedEvent = { readonly at: string; readonly event: MemoryEvent };

/** What one memory is imported as: the event it is born with at its original time, and how it came to its state. */
export type ImportItem = {
  readonly key: string;
  /** Whether the key came with it. Else it follows from the text, and a text that is here already is not stored twice. */
  readonly keyed: boolean;
  readonly born: { readonly at: string; readonly data: Remembered };
  readonly changes: readonly TimedEvent[];
};

/** How far a clock may be ahead of ours, in milliseconds. */
const CLOCK_SKEW_MS = 300_000;

/**
 * Checks a memory that is to be imported, by the rules of `remember`; its text is kept byte for byte. Throws VALIDATION or
 * TOO_LARGE, and VALIDATION for a live credential unless `force`. `now` is in epoch milliseconds.
 */
export const importItem = (candidate: ImportCandidate, { now, force }: { readonly now: number; readonly force: boolean }): ImportItem => {
  const { key: given, created, changed = created, state: _state, reason, reinstate_hints, experience, ...memory } = candidate;
  const content = parseContent(memory.content);
  if (!force) {
    refuseSecrets(content);
    const { content: _said, ...fields } = memory;
    refuseSecretsInFields({ ...fields, reason, reinstate_hints });
  }
  checkExperience(experience, { now, force });
  const project = memory.project === undefined ? undefined : parseProjectName(memory.project);
  const note = parseLicenceNote(memory.licence_note);
  for (const [name, text] of [['reason', reason], ...reinstate_hints.map((hint) => ['reinstate hint', hint])]) refuseUnstorable(name, text);
  for (const name of ['title', 'source_url'] as const) refuseUnstorableLine(name, memory[name]);
  refuseFuture('It was created', created, now);
  refuseFuture('It was last changed', changed, now);
  const { licence_note: _note, ...rest } = memory;
  const at = new Date(Math.max(changed, created)).toISOString();
  const changes = changesTo(candidate, at);
  const data: Remembered = {
    ...rest,
    content,
    tags: [...parseTags(memory.tags)],
    ...(project !== undefined && { project }),
    ...(note !== undefined && { licence_note: note }),
    ...(changes.length === 0 && changed > created && { changed_at: at }),
  };
  return {
    key: given === undefined ? derivedKey(data) : givenKey(given, data.namespace),
    keyed: given !== undefined,
    born: { at: new Date(created).toISOString(), data },
    changes,
  };
};

const givenKey = (key: string, namespace: Namespace): string => {
  if (namespaceOf(key) === namespace) return key;
  throw new DomainError(
    'VALIDATION',
    `The key does not fit the namespace ${namespace}`,
    `A key looks like ${memoryKey(namespace, '01J…')}`,
  );
};

/** A hint is brought by deprioritising, so a memory that has some was deprioritised once, whatever it is now. */
const changesTo = (
  { state, reason, reinstate_hints: hints, experience, expires_at }: ImportCandidate,
  at: string,
): readonly TimedEvent[] => {
  const deprioritised: MemoryEvent = { type: 'MemoryDeprioritised', data: { reason: reason ?? '', reinstate_hints: [...hints] } };
  const archived: MemoryEvent = { type: 'MemoryArchived', data: reason === undefined ? {} : { reason } };
  // A date that comes with it was there to the end, so that bringing it back had not lifted it.
  const reinstated: MemoryEvent = { type: 'MemoryReinstated', data: expires_at === undefined ? {} : { keeps_expiry: true } };
  const events: Readonly<Record<State, readonly MemoryEvent[]>> = {
    active: hints.length > 0 || reason !== undefined ? [deprioritised, reinstated] : [],
    deprioritised: [deprioritised],
    archived: hints.length > 0 ? [deprioritised, archived] : [archived],
  };
  const recorded: readonly MemoryEvent[] = experience ? [{ type: 'ExperienceRecorded', data: experience }] : [];
  return [...recorded, ...events[state]].map((event) => ({ at, event }));
};

const checkExperience = (experience: Experience | undefined, { now, force }: { readonly now: number; readonly force: boolean }): void => {
  const { breakthrough, gotchas, abandoned_approaches = [] } = experience ?? {};
  const texts = [breakthrough, gotchas, ...abandoned_approaches.flatMap(({ name, reason }) => [name, reason])];
  for (const text of texts) refuseUnstorable('experience', text);
  if (!force) refuseSecrets(texts.filter((text) => text !== undefined).join('\n'));
  for (const { attempted_at } of abandoned_approaches) refuseFuture('A dead end was met', Date.parse(attempted_at), now);
};

const refuseFuture = (what: string, time: number, now: number): void => {
  if (time <= now + CLOCK_SKEW_MS) return;
  throw new DomainError('VALIDATION', `${what} in the future (${new Date(time).toISOString()})`, 'Correct the date, or the clock here');
};

const refuseUnstorable = (name: string | undefined, text: string | undefined): void => {
  const bad = unstorableInText(text ?? '');
  if (bad) throw new DomainError('VALIDATION', `The ${name} holds ${bad.name} at position ${bad.position}`, 'Remove it');
};

const refuseUnstorableLine = (name: string, text: string | undefined): void => {
  const bad = unstorableInLine(text ?? '');
  if (bad) throw new DomainError('VALIDATION', `The ${name} holds ${bad.name} at position ${bad.position}`, 'It must be one line');
};

/**
 * The same text in the same namespace and project has the same key for ever, so that importing it again changes nothing and a
 * memory that was forgotten does not come back. The time part is zero: texts without a key bring no time that would stay the same.
 */
const derivedKey = ({ namespace, project, content }: Remembered): string =>
  memoryKey(namespace, stableUlid(JSON.stringify([namespace, project ?? null, normalisedForIdentity(content)])));

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID that follows from a text: time zero, then 80 bits of its SHA-256. */
export const stableUlid = (text: string): string => {
  const digest = createHash('sha256').update(text).digest();
  return `0000000000${Array.from({ length: 16 }, (_, i) => CROCKFORD.charAt((digest[i] ?? 0) % 32)).join('')}`;
};
