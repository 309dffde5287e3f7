import { unstorableInLine } from '../../domain/characters.js';
import { DomainError } from '../../domain/errors.js';
import { LIMITS } from '../../domain/vocabulary.js';
import { namesTwice } from './names-twice.js';
import { type Draft, newDraft, type ReadOptions, refusalOf, type Source, withoutCredentials } from './source.js';
import { isObject, jsonOrUndefined } from './text.js';

/** Fields the format defines; others are set aside. */
const KNOWN = { entity: ['type', 'name', 'entityType', 'observations'], relation: ['type', 'from', 'to', 'relationType'] } as const;

/** Whether a line is one of the knowledge graph's file. */
export const isGraphLine = (line: unknown): line is Readonly<Record<string, unknown>> & { readonly type: keyof typeof KNOWN } =>
  isObject(line) && (line.type === 'entity' || line.type === 'relation');

/**
 * Reads the JSONL of `@modelcontextprotocol/server-memory`: a memory for each observation, with the name and type of its entity,
 * so that it can be understood alone; one for each relation; and one for an entity that nothing is known of. The format
 * holds no times: `modified` (epoch milliseconds, the file's) is taken for all. A line that is broken is refused by its number.
 */
export const readServerMemory = (text: string, modified: number, options: ReadOptions): Source => {
  const draft = newDraft();
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const place = `line ${i + 1}`;
    try {
      readLine(draft, line, place, modified, options);
    } catch (error) {
      const refusal = refusalOf(place, error);
      draft.refused.push(refusal);
      draft.setAside.push({ place, kind: 'refused line', why: refusal.why, key: place, fields: { line } });
    }
  }
  if (draft.candidates.length > 0) draft.notes.push('The format holds no times: the file’s own was taken for every memory.');
  return { format: 'server-memory', ...draft };
};

const readLine = (draft: Draft, text: string, place: string, created: number, { project }: ReadOptions): void => {
  const line = jsonOrUndefined(text);
  if (line === undefined) throw new DomainError('VALIDATION', 'The line is no JSON', 'It may be cut short; mend or remove it');
  if (!isGraphLine(line)) throw new DomainError('VALIDATION', 'The line is neither an entity nor a relation', 'Its type says which it is');
  const twice = namesTwice(text, 1)[0]?.path[0];
  if (twice !== undefined)
    throw new DomainError('VALIDATION', `The line has ${withoutCredentials(twice).slice(0, 80)} twice`, 'Remove one of them');
  const add = (content: string, tags: readonly string[]): void =>
    void draft.candidates.push({
      place,
      namespace: 'episodic',
      content,
      tags: [...new Set(tags.map((tag) => tag.trim()))].filter((tag) => tag !== '' && tag.length <= LIMITS.tag && !unstorableInLine(tag)),
      mode: 'raw',
      licence: 'own',
      provenance: 'concluded',
      created,
      state: 'active',
      reinstate_hints: [],
      ...(project !== undefined && { project }),
    });
  if (line.type === 'entity') {
    const name = textOf(line, 'name');
    const entityType = textOf(line, 'entityType');
    const observations = line.observations ?? [];
    if (!Array.isArray(observations) || !observations.every((observation) => typeof observation === 'string'))
      throw new DomainError('VALIDATION', 'The observations are no list of texts', 'They look like ["one","two"]');
    for (const observation of observations) add(`${name} (${entityType}): ${observation}`, [name, entityType]);
    if (observations.length === 0) add(`${name} (${entityType})`, [name, entityType]);
  } else {
    const relation = textOf(line, 'relationType');
    add(`${textOf(line, 'from')} ${relation} ${textOf(line, 'to')}`, [textOf(line, 'from'), textOf(line, 'to'), relation]);
  }
  const known: readonly string[] = KNOWN[line.type];
  for (const [name, value] of Object.entries(line)) {
    if (known.includes(name)) continue;
    draft.setAside.push({ place, kind: `field ${name}`, why: 'the format does not define it', key: place, fields: { [name]: value } });
  }
};

const textOf = (line: Readonly<Record<string, unknown>>, name: string): string => {
  const value = line[name];
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw new DomainError(
    'VALIDATION',
    `The line has no ${name}`,
    'Every entity has a name and an entityType; every relation from, to and relationType',
  );
};
