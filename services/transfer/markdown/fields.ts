import { parseTopic } from '../../../domain/content.js';
import { DomainError } from '../../../domain/errors.js';
import { isoTime } from '../../../domain/iso-time.js';
import { licenceForWrite } from '../../../domain/licence.js';
import type { Experience } from '../../../domain/memory/experience.js';
import { namespaceOf } from '../../../domain/memory/key.js';
import { provenanceForWrite } from '../../../domain/provenance.js';
import { CHUNK_STRATEGIES, INGEST_MODES, NAMESPACES, STATES } from '../../../domain/vocabulary.js';
import type { ImportCandidate } from '../../commands/import-intake.js';
import { readExperience } from '../experience.js';
import type { TopicCandidate } from '../source.js';
import { isObject } from '../text.js';

/** Names in front matter, and other names for them that people use. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['license', 'licence'],
  ['license_note', 'licence_note'],
  ['tag', 'tags'],
  ['date', 'created'],
  ['created_at', 'created'],
  ['modified', 'updated'],
  ['updated_at', 'updated'],
]);

const SCOPES = ['project', 'global'] as const;

/** Front matter read field by field; what nobody took is `left`. In a file of ours a value that is not understood is an error; other people's may mean something else by `state`. */
class Reader {
  readonly #fields = new Map<string, unknown>();
  readonly #ours: boolean;

  constructor(fields: Readonly<Record<string, unknown>>, ours: boolean) {
    this.#ours = ours;
    for (const [name, value] of Object.entries(fields)) {
      const known = ALIASES.get(name.toLowerCase()) ?? name;
      if (!this.#fields.has(known)) this.#fields.set(known, value);
      else if (known !== name) this.#fields.set(name, value);
    }
  }

  text(name: string): string | undefined {
    const value = this.#fields.get(name);
    this.#fields.delete(name);
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
    throw new DomainError('VALIDATION', `${name} in the front matter is no text`, 'Write it on one line');
  }

  /** A list, or a text; `commas` parts it. */
  list(name: string, commas = false): readonly string[] {
    const value = this.#fields.get(name);
    if (!Array.isArray(value)) {
      const text = this.text(name);
      return text === undefined ? [] : commas ? text.split(',') : [text];
    }
    this.#fields.delete(name);
    if (value.every((item) => ['string', 'number', 'boolean'].includes(typeof item))) return value.map(String);
    throw new DomainError('VALIDATION', `${name} in the front matter is no list of texts`, 'It looks like [one, two]');
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const text = this.text(name);
    const found = values.find((value) => value === text?.trim().toLowerCase());
    if (text === undefined || found !== undefined || this.#leave(name, text)) return found;
    throw new DomainError(
      'VALIDATION',
      `${name} in the front matter is not one of ${values.join(', ')}`,
      `Pass one of them, or leave ${name} out`,
    );
  }

  time(name: string): number | undefined {
    const text = this.text(name);
    const time = text === undefined ? undefined : isoTime(text);
    if (text === undefined || time !== undefined || this.#leave(name, text)) return time;
    throw new DomainError('VALIDATION', `${name} in the front matter is no ISO date`, 'Write it like 2026-05-03 or 2026-05-03T12:00:00Z');
  }

  /** Whatever is written there. */
  value(name: string): unknown {
    const value = this.#fields.get(name);
    this.#fields.delete(name);
    return value ?? undefined;
  }

  keep(name: string, value: unknown): void {
    this.#fields.set(name, value);
  }

  #leave(name: string, text: string): boolean {
    if (!this.#ours) this.#fields.set(name, text);
    return !this.#ours;
  }

  /** What nobody asked for, or understood. */
  get left(): Readonly<Record<string, unknown>> {
    return Object.fromEntries([...this.#fields].filter(([, value]) => value !== null && value !== ''));
  }
}

export type MemoryFields = {
  readonly candidate: Omit<ImportCandidate, 'content'>;
  readonly left: Readonly<Record<string, unknown>>;
};

/** What front matter says of the memories of a file. Throws VALIDATION for a value that is not understood. `modified` stands in for a date that is missing. */
export const memoryFields = (
  fields: Readonly<Record<string, unknown>>,
  modified: number,
  fallbackProject: string | undefined,
): MemoryFields => {
  const key = typeof fields.key === 'string' && fields.key.startsWith('mem:') ? fields.key : undefined;
  const from = new Reader(fields, key !== undefined);
  if (key !== undefined) from.text('key');
  const keyNamespace = key === undefined ? undefined : namespaceOf(key);
  if (key !== undefined && keyNamespace === undefined)
    throw new DomainError(
      'VALIDATION',
      'key in the front matter is no key of a memory',
      'It looks like mem:episodic:01J…; leave it out for a new memory',
    );
  const namespace = from.oneOf('namespace', NAMESPACES) ?? keyNamespace ?? 'episodic';
  const { licence, note } = licenceForWrite(namespace, from.text('licence'), from.text('licence_note'));
  const created = from.time('created');
  const changed = from.time('updated');
  const state = from.oneOf('state', STATES) ?? 'active';
  const reason = from.text('reason');
  const reinstate_hints = from.list('reinstate_hints');
  const project = from.text('project') ?? fallbackProject;
  const event = from.time('event_date');
  const expires = key === undefined ? undefined : from.time('expires_at');
  const index = from.text('chunk_index');
  if (index !== undefined && !/^\d{1,9}$/.test(index))
    throw new DomainError('VALIDATION', 'chunk_index in the front matter is no whole number');
  // In other people's notes an outcome is another matter.
  const experience = key === undefined ? undefined : experienceIn(from, changed ?? created ?? modified);
  const scope = from.oneOf('scope', SCOPES);
  const usualScope = namespace !== 'preference' || key !== undefined ? undefined : project === undefined ? 'global' : 'project';
  const optional = {
    project,
    licence_note: note,
    doc_id: from.text('doc_id'),
    chunk_index: index === undefined ? undefined : Number(index),
    chunk_strategy: from.oneOf('chunk_strategy', CHUNK_STRATEGIES),
    enriched_from: from.text('enriched_from'),
    source_doc_id: from.text('source_doc_id'),
    event_date: event === undefined ? undefined : new Date(event).toISOString(),
    expires_at: expires === undefined ? undefined : new Date(expires).toISOString(),
    scope: scope ?? usualScope,
    source_url: from.text('source_url'),
    title: from.text('title'),
  };
  return {
    candidate: {
      ...(key !== undefined && { key }),
      namespace,
      tags: from.list('tags', true),
      mode: from.oneOf('mode', INGEST_MODES) ?? 'raw',
      licence,
      provenance: provenanceForWrite(namespace, from.text('provenance')),
      created: created ?? Math.min(modified, changed ?? modified),
      changed,
      state,
      reason,
      reinstate_hints,
      experience,
      ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)) as Partial<ImportCandidate>),
    },
    left: from.left,
  };
};

/** Fields that cannot be understood stay among what is left. */
const experienceIn = (from: Reader, when: number): Experience | undefined => {
  const written = {
    effort_score: from.text('effort_score'),
    outcome: from.text('outcome'),
    iterations: from.text('iterations'),
    breakthrough: from.text('breakthrough'),
    gotchas: from.text('gotchas'),
    abandoned_approaches: from.value('abandoned_approaches'),
  };
  const { experience, unread } = readExperience(written, when);
  for (const name of unread) from.keep(name, written[name]);
  return experience;
};

/** The suppressions in front matter, as `omnimem export` writes them; undefined when the file is no such file. */
export const suppressedTopics = (fields: Readonly<Record<string, unknown>>, now: number): readonly TopicCandidate[] | undefined => {
  const list = fields.suppressed_topics;
  if (list === undefined) return undefined;
  if (!Array.isArray(list))
    throw new DomainError('VALIDATION', 'suppressed_topics in the front matter is no list', 'It looks like [{topic: one}]');
  return list.map((entry: unknown) => {
    const { topic, reason, since } = isObject(entry) ? entry : { topic: entry, reason: undefined, since: undefined };
    if (typeof topic !== 'string') throw new DomainError('VALIDATION', 'A suppressed topic is no text', 'It looks like {topic: one}');
    const at = (typeof since === 'string' && isoTime(since)) || now;
    return {
      topic: parseTopic(topic),
      said: topic,
      at: new Date(Math.min(at, now)).toISOString(),
      ...(typeof reason === 'string' && { reason }),
    };
  });
};
