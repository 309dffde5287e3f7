import { MAX_DOMAINS, parseDomains } from '../../../domain/domains.js';
import { LICENCE_LABELS } from '../../../domain/licence.js';
import { seedDomains } from '../../../domain/project/domains.js';
import { projectOf } from '../../../domain/project/key.js';
import { type Licence, PROVENANCES, STATES } from '../../../domain/vocabulary.js';
import type { ImportedProject } from '../../commands/import-projects.js';
import { Fields } from './fields.js';

/** A project context of a dump, and its fields that have no place here. */
export type MappedProject = { readonly project: ImportedProject; readonly left: Readonly<Record<string, unknown>> };

/**
 * Reads a project context. One without domains is given those that its stack names, as the migration of the seed has it,
 * unless the dump says that it holds them as they were declared.
 * `now` in epoch milliseconds, for a record without a time.
 */
export const mapProject = (key: string, fields: Readonly<Record<string, string>>, now: number, asDeclared = false): MappedProject => {
  const from = new Fields(fields);
  const text = (name: string): string => from.take(name) ?? '';
  const name = from.take('project_name') ?? projectOf(key) ?? '';
  from.drop('project', (project) => project === name);
  const description = from.take('description');
  // The text that is embedded: it says again what the fields say.
  from.drop('content', () => description !== undefined);
  const stack = text('stack');
  const created = from.takeTime('created_at');
  const changed = from.takeTime('updated_at');
  const declared = from.take('domains');
  const state = from.takeOneOf('state', STATES);
  if (state === 'archived') from.keep('state');
  const reason = from.take('deprioritised_reason');
  const notes = from.take('notes');
  for (const derived of ['surface_score', 'experience_weight', 'recall_count', 'last_recalled', 'vector', 'mode'])
    from.drop(derived, () => true);
  from.drop('tags', (tags) => tags === '[]');
  const seeded = asDeclared ? undefined : seedDomains(stack);
  const domains = declared === undefined ? seeded : parseDomains(declared).domains;
  const at = Math.min(changed ?? created ?? now, now);
  const project: ImportedProject = {
    name,
    context: {
      description: description ?? text('content'),
      stack,
      goals: text('goals'),
      current_state: text('current_state'),
      ...(notes !== undefined && { notes }),
      licence: from.takeOneOf('licence', Object.keys(LICENCE_LABELS) as Licence[]) ?? 'own',
      provenance: from.takeOneOf('provenance', PROVENANCES) ?? 'asserted',
    },
    domains: domains?.slice(0, MAX_DOMAINS),
    deprioritised: state === 'deprioritised' ? (reason ?? '') : undefined,
    at: new Date(at).toISOString(),
    ...(created !== undefined && created < at && { created: new Date(created).toISOString() }),
  };
  return { project, left: from.left };
};
