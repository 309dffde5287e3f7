import { parseTopic } from '../../../domain/content.js';
import { DomainError, isDomainError } from '../../../domain/errors.js';
import { isoTime } from '../../../domain/iso-time.js';
import { type Draft, newDraft, type ReadOptions, refusalOf, type Source, withoutCredentials } from '../source.js';
import { isObject, jsonOrUndefined, parseJson } from '../text.js';
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
  for (const [key, record] of Object.entries(document.data)) {
    try {
      readRecord(draft, remarks, key, record, document.data, { ...options, asDeclared });
    } catch (error) {
      if (!isDomainError(error)) throw error;
      draft.refused.push(refusalOf(key, error));
      if (isObject(record)) {
        draft.setAside.push({ place: key, kind: 'refused record', why: error.message, key, fields: record });
      }
    }
  }
  for (const [remark, { first, count }] of remarks) draft.notes.push(`${first}${count > 1 ? ` and ${count - 1} more` : ''}: ${remark}`);
  return { format: 'omnimem', ...draft };
};

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

const readTopic = (draft: Draft, text: unknown, all: Records, now: number): void => {
  const place = `${SUPPRESSED}: ${withoutCredentials(String(text)).slice(0, 80)}`;
  try {
    const topic = parseTopic(String(text));
    const details = all[SUPPRESSION_DETAILS];
    const told = isObject(details) ? jsonOrUndefined(String(details[topic])) : undefined;
    const reason = isObject(told) && typeof told.reason === 'string' ? told.reason : undefined;
    const since = isObject(told) ? isoTime(String(told.since)) : undefined;
    const at = new Date(Math.min(since ?? now, now)).toISOString();
    draft.topics.push({ place, topic, said: String(text), at, ...(reason !== undefined && { reason }) });
  } catch (error) {
    if (!isDomainError(error)) throw error;
    draft.refused.push(refusalOf(place, error));
  }
};
