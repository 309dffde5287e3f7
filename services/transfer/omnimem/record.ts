import { decodeTime } from 'ulid';
import { DomainError } from '../../../domain/errors.js';
import { LICENCE_LABELS } from '../../../domain/licence.js';
import { namespaceOf } from '../../../domain/memory/key.js';
import { experienceWeight } from '../../../domain/scoring.js';
import {
  CHUNK_STRATEGIES,
  INGEST_MODES,
  LICENCES,
  type Licence,
  type Namespace,
  PROVENANCES,
  type Provenance,
  STATES,
} from '../../../domain/vocabulary.js';
import type { ImportCandidate } from '../../commands/import-intake.js';
import { withoutCredentials } from '../source.js';
import { isObject } from '../text.js';
import { experienceIn } from './experience.js';
import { Fields } from './fields.js';

/** A memory of a dump, and its fields that have no place here yet. */
export type MappedRecord = {
  readonly candidate: ImportCandidate;
  readonly left: Readonly<Record<string, unknown>>;
  /** Things that were not as they should be, and what was made of them. */
  readonly remarks: readonly string[];
};

/** Text fields by name. A dump made by hand may hold numbers and lists, which say the same. */
export const textFields = (record: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(record)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );

/** Facts that lack a licence inherit their source's, as the migration of the seed has it. */
export type SourceRights = (key: string) => { readonly licence: Licence; readonly note: string | undefined } | undefined;

/** Reads the fields of one memory of a dump. Throws VALIDATION for what cannot be understood. Contract, sections 16.2 to 16.5. */
export const mapRecord = (key: string, fields: Readonly<Record<string, string>>, rightsOf: SourceRights): MappedRecord => {
  const namespace = namespaceOf(key);
  if (namespace === undefined) throw new DomainError('VALIDATION', 'This is no key of a memory', 'A key looks like mem:episodic:01J…');
  const from = new Fields(fields);
  const remarks: string[] = [];
  const content = from.take('content');
  if (content === undefined) throw new DomainError('VALIDATION', 'It has no content', 'A memory needs its text');
  if (fields.state === 'deleted') throw new DomainError('VALIDATION', 'It was deleted there', 'A deleted memory is not brought back');
  const state = from.takeOneOf('state', STATES);
  if (state === undefined && fields.state)
    remarks.push(`the state ${JSON.stringify(withoutCredentials(fields.state).slice(0, 40))} is none; active was taken`);

  const keyTime = timeIn(key);
  const created = from.takeTime('created_at');
  if (created === undefined) remarks.push('created_at is missing or no time; the time in the key was taken');
  const changed = from.takeTime('updated_at');
  const reason = from.take('deprioritised_reason');
  const reinstate_hints = from.takeList('reinstate_hints');
  const settled = state ?? 'active';
  const birth = created ?? keyTime;
  const experience = experienceIn(from, changed ?? birth);

  const enriched_from = from.take('enriched_from');
  const project = from.take('project') ?? (namespace === 'project' ? from.take('project_name') : undefined);
  from.drop('project_name', (text) => text === project);
  const base = enriched_from === undefined ? 1 : 0.5;
  from.drop('surface_score', (text) => settled !== 'active' || Number(text) === base);
  const weight = experienceWeight(experience?.outcome, experience?.effort_score);
  from.drop('experience_weight', (text) => Number(text) === 1 || Math.abs(Number(text) - weight) < 0.005);
  from.drop('recall_count', (text) => Number(text) === 0);
  from.drop('vector', () => true);
  const event = from.takeTime('event_date');
  const expires = from.takeTime('expires_at');
  const index = from.take('chunk_index');
  if (index !== undefined && !/^\d{1,9}$/.test(index))
    throw new DomainError('VALIDATION', 'chunk_index is no whole number', 'Count from 0');

  const kind: Kind = {
    namespace,
    fact: enriched_from !== undefined,
    article: Boolean(fields.feed_name),
    bundled: Boolean(fields.imported_at),
  };
  return {
    candidate: {
      key,
      namespace,
      content,
      tags: from.takeList('tags'),
      mode: from.takeOneOf('mode', INGEST_MODES) ?? 'raw',
      ...licenceOf(from, kind, enriched_from === undefined ? undefined : rightsOf(enriched_from)),
      provenance: from.takeOneOf('provenance', PROVENANCES) ?? provenanceBefore662(kind),
      created: birth,
      changed,
      state: settled,
      reason,
      reinstate_hints,
      experience,
      ...defined({
        project,
        enriched_from,
        doc_id: from.take('doc_id'),
        chunk_index: index === undefined ? undefined : Number(index),
        chunk_strategy: from.takeOneOf('chunk_strategy', CHUNK_STRATEGIES),
        source_doc_id: from.take('source_doc_id'),
        event_date: event === undefined ? undefined : new Date(event).toISOString(),
        expires_at: expires === undefined ? undefined : new Date(expires).toISOString(),
        scope: from.takeOneOf('scope', ['project', 'global'] as const),
        source_url: from.take('source_url'),
        title: from.take('title'),
      }),
    },
    left: from.left,
    remarks,
  };
};

/** Epoch milliseconds. 26 letters and digits hold two bits more than a ULID has. */
const timeIn = (key: string): number => {
  if (/^[0-7]/.test(key.slice(-26))) return decodeTime(key.slice(-26));
  throw new DomainError(
    'VALIDATION',
    'The time in its key is beyond all that a ULID can say',
    'The part after the namespace begins with 0 to 7',
  );
};

const defined = <T extends object>(fields: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

type Kind = { readonly namespace: Namespace; readonly fact: boolean; readonly article: boolean; readonly bundled: boolean };

/** What reads take for records without a licence, or with one that is none. Contract 6.6.1. */
const licenceOf = (from: Fields, kind: Kind, source: ReturnType<SourceRights>): { licence: Licence; licence_note?: string } => {
  const declared = from.takeOneOf('licence', Object.keys(LICENCE_LABELS) as Licence[]);
  const note = from.take('licence_note');
  if (declared !== undefined) return { licence: declared, ...(note !== undefined && { licence_note: note }) };
  if (note !== undefined) from.keep('licence_note');
  if (kind.article || kind.bundled) return { licence: 'unknown' };
  if (kind.fact)
    return source ? { licence: source.licence, ...(source.note !== undefined && { licence_note: source.note }) } : { licence: 'own' };
  return { licence: kind.namespace === 'knowledge' ? 'unknown' : 'own' };
};

/** What the migration of 6.6.2 gives records without provenance. */
const provenanceBefore662 = ({ namespace, article }: Kind): Provenance =>
  article ? 'retrieved' : namespace === 'preference' ? 'asserted' : 'concluded';

/** The licence a record declares, for the facts that were drawn from it. */
export const declaredRights = (record: unknown): ReturnType<SourceRights> => {
  if (!isObject(record)) return undefined;
  const licence = LICENCES.find((known) => known === record.licence);
  return (
    licence && { licence, note: typeof record.licence_note === 'string' && record.licence_note !== '' ? record.licence_note : undefined }
  );
};
