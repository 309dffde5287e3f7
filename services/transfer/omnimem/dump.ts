import { parseTopic } from '../../../domain/content.js';
import { DomainError } from '../../../domain/errors.js';
import { isoTime } from '../../../domain/iso-time.js';
import { namesTwice } from '../names-twice.js';
import { type Draft, newDraft, type ReadOptions, refusalOf, type Source, withoutCredentials } from '../source.js';
import { isObject, jsonOrUndefined, parseJson, plainText } from '../text.js';
import { familyOf, SUPPRESSED, SUPPRESSION_DETAILS } from './families.js';
import { mapProject } from './project.js';
import { declaredRights, mapRecord, textFields } from './record.js';

type Records = Readonly<Record<string, unknown>>;
/** What was not as it should be, with the first key it was met at. */
type Remarks = Map<string, { readonly first: string; readonly count: number }>;

/** Whether a JSON document is shaped like a dump. */
const isDump = (document: unknown): document is { readonly data: Records; readonly metadata: Records } =>
  isObject(document) && isObject(document.data) && isObject(document.metadata);

/** Reads a JSON dump of OmniMem 6.x, or of this program. Throws VALIDATION for what is none. Contract, sections 16 and 25. */
export const readDump = (text: string, name: string, options: ReadOptions): Source => {
  const document = parseJson(text, name);
  if (!isDump(document)) {
    throw new DomainError(
      'VALIDATION',
      `${name} is JSON and no OmniMem dump: a dump has the two objects metadata and data`,
      'Make one with dump_to_file (6.x) or omnimem export. Nothing was imported.',
    );
  }
  const asDeclared = document.metadata.domains === 'as declared';
  const draft = newDraft();
  const remarks: Remarks = new Map();
  const ambiguous = readTwice(draft, text, name);
  for (const [key, record] of Object.entries(document.data)) {
    try {
      const field = ambiguous.get(key);
      if (field !== undefined) throw new DomainError('VALIDATION', `Its field ${field} stands in it twice`, 'Remove one of them');
      readRecord(draft, remarks, key, record, document.data, { ...options, asDeclared });
    } catch (error) {
      refuse(draft, key, error, record);
    }
  }
  for (const [remark, { first, count }] of remarks) draft.notes.push(`${first}${count > 1 ? ` and ${count - 1} more` : ''}: ${remark}`);
  return { format: 'omnimem', ...draft };
};

const refuse = (draft: Draft, key: string, error: unknown, record: unknown, name = key): void => {
  const refusal = refusalOf(key, error);
  draft.refused.push(refusal);
  if (isObject(record)) draft.setAside.push({ place: key, kind: 'refused record', why: refusal.why, key: name, fields: record });
};

/**
 * Names what a JSON parser drops: of a key that stands in the file more than once the last record counts, and the others are refused.
 * Answers the records that have a field twice, with its name. Throws VALIDATION where the file has two of `data` or `metadata`.
 */
const readTwice = (draft: Draft, text: string, name: string): ReadonlyMap<string, string> => {
  const ambiguous = new Map<string, string>();
  const before = new Map<string, number>();
  for (const { path, earlier } of namesTwice(text, DEEPEST)) {
    const [part = '', key, field] = path;
    if (key === undefined && (part === 'data' || part === 'metadata'))
      throw new DomainError('VALIDATION', `${name} has the object ${part} twice`, 'Make one of the two. Nothing was imported.');
    if (part !== 'data' || key === undefined) continue;
    if (field !== undefined) {
      ambiguous.set(key, withoutCredentials(field).slice(0, 80));
      continue;
    }
    const nth = (before.get(key) ?? 0) + 1;
    before.set(key, nth);
    refuse(draft, key, new DomainError('CONFLICT', LATER_TAKEN), jsonOrUndefined(earlier), `${key} (${nth})`);
  }
  return ambiguous;
};

const DEEPEST = 3;
const LATER_TAKEN = 'Its key stands in the file again, further down; that record was taken';

const readRecord = (
  draft: Draft,
  remarked: Remarks,
  key: string,
  record: unknown,
  all: Records,
  { project, now, asDeclared }: ReadOptions & { readonly asDeclared: boolean },
): void => {
  if (!isObject(record)) throw new DomainError('VALIDATION', 'The record is no object with fields', 'A record holds field names and texts');
  const fields = textFields(record);
  const family = familyOf(key, Boolean(fields.goals || fields.stack));
  switch (family.is) {
    case 'memory': {
      const { candidate, left, remarks } = mapRecord(key, fields, (source) => declaredRights(all[source]));
      draft.candidates.push({
        place: key,
        ...candidate,
        ...(candidate.project === undefined && project !== undefined && { project }),
      });
      for (const remark of remarks) {
        const { first, count } = remarked.get(remark) ?? { first: key, count: 0 };
        remarked.set(remark, { first, count: count + 1 });
      }
      for (const [name, value] of Object.entries(left)) {
        draft.setAside.push({ place: key, kind: `field ${name}`, why: 'this version has no place for it', key, fields: { [name]: value } });
      }
      return;
    }
    case 'project': {
      const { project: mapped, left } = mapProject(key, fields, now, asDeclared);
      draft.projects.push({ place: key, ...mapped });
      for (const [name, value] of Object.entries(left)) {
        draft.setAside.push({
          place: key,
          kind: `project field ${name}`,
          why: 'this version has no place for it',
          key,
          fields: { [name]: value },
        });
      }
      return;
    }
    case 'suppressions':
      for (const topic of membersOf(record)) readTopic(draft, topic, all, now);
      return;
    case 'suppression details':
      return;
    case 'aside':
      draft.setAside.push({ place: key, kind: family.kind, why: family.why, key, fields: record });
      return;
    case 'dropped':
      draft.dropped.push({ kind: family.kind, why: family.why });
      return;
    case 'foreign':
      throw new DomainError('VALIDATION', 'No key of a dump looks like this', 'Keys begin with mem:, topics:, log:recall: or meta:');
  }
};

const membersOf = (record: Records): readonly unknown[] => {
  if (record._type === 'set' && Array.isArray(record.members)) return record.members;
  throw new DomainError('VALIDATION', 'The suppressed topics are no set', 'It looks like {"_type":"set","members":["one"]}');
};

const readTopic = (draft: Draft, member: unknown, all: Records, now: number): void => {
  const text = plainText(member) ?? JSON.stringify(member);
  const place = `${SUPPRESSED}: ${withoutCredentials(text).slice(0, 80)}`;
  try {
    const topic = parseTopic(text);
    const details = all[SUPPRESSION_DETAILS];
    const told = isObject(details) ? jsonOrUndefined(plainText(details[topic]) ?? '') : undefined;
    const reason = isObject(told) && typeof told.reason === 'string' ? told.reason : undefined;
    const since = isObject(told) ? isoTime(plainText(told.since) ?? '') : undefined;
    const at = new Date(Math.min(since ?? now, now)).toISOString();
    draft.topics.push({ place, topic, said: text, at, ...(reason !== undefined && { reason }) });
  } catch (error) {
    draft.refused.push(refusalOf(place, error));
  }
};
