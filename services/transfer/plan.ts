import { catalogue, type DomainEvent } from '../../domain/catalogue.js';
import { DomainError } from '../../domain/errors.js';
import { EventFault } from '../../domain/event.js';
import { findSecrets } from '../../domain/secrets.js';
import type { ImportedTopic } from '../commands/import.js';
import { type ImportCandidate, type ImportItem, importItem } from '../commands/import-intake.js';
import { eventsOf, type ImportedProject, importProject } from '../commands/import-projects.js';
import { refuseSecretsInFields } from '../commands/secrets.js';
import { type Placed, type Refused, refusalOf, type SetAside, type Source, withoutCredentials } from './source.js';

export type PlannedItem = Placed<ImportItem>;

/** A source held against the rules of memories. */
export type Plan = {
  readonly items: readonly PlannedItem[];
  /** Contexts of projects, each name once. */
  readonly projects: readonly Placed<ImportedProject>[];
  /** Each topic once. */
  readonly topics: readonly ImportedTopic[];
  readonly refused: readonly Refused[];
  readonly setAside: readonly SetAside[];
  /** Places whose text stands in the source more than once; the first of each is imported. */
  readonly repeated: readonly string[];
  readonly notes: readonly string[];
};

/** Checks all that a source holds; nothing is stored. A text in any field that looks like a live credential is refused unless `force`. */
export const planImport = (source: Source, rules: { readonly now: number; readonly force: boolean }): Plan => {
  const items = new Map<string, PlannedItem>();
  const refused: Refused[] = [...source.refused];
  const setAside: SetAside[] = [...source.setAside];
  const repeated: string[] = [];
  const refuse = ({ place, ...candidate }: Placed<ImportCandidate>, refusal: Refused): void => {
    refused.push(refusal);
    setAside.push({ place, kind: 'refused memory', why: refusal.why, key: candidate.key ?? place, fields: candidate });
  };
  for (const candidate of source.candidates) {
    const { place, ...memory } = candidate;
    try {
      const item = importItem(memory, rules);
      refuseUnfit([{ at: item.born.at, event: { type: 'MemoryRemembered', data: item.born.data } }, ...item.changes]);
      const first = items.get(item.key);
      if (!first) items.set(item.key, { place, ...item });
      else if (!item.keyed || first.born.data.content === item.born.data.content) repeated.push(place);
      else refuse(candidate, { place, code: 'CONFLICT', why: `Its key has another text at ${first.place}` });
    } catch (error) {
      refuse(candidate, refusalOf(place, error));
    }
  }
  const projects = new Map<string, Placed<ImportedProject>>();
  for (const { place, ...candidate } of source.projects) {
    try {
      const project = importProject(candidate, rules);
      refuseUnfit(eventsOf(project).map((event) => ({ at: project.at, event })));
      if (projects.has(project.name)) repeated.push(place);
      else projects.set(project.name, { place, ...project });
    } catch (error) {
      const refusal = refusalOf(place, error);
      refused.push(refusal);
      setAside.push({
        place,
        kind: 'refused project context',
        why: refusal.why,
        key: place,
        fields: { ...candidate, ...candidate.context },
      });
    }
  }
  const topics = new Map<string, ImportedTopic>();
  for (const { place, said, ...topic } of source.topics) {
    try {
      if (!rules.force) refuseSecretsInFields({ 'the topic': said, 'the reason for the topic': topic.reason });
      refuseUnfit([{ at: topic.at, event: { type: 'TopicSuppressed', data: { topic: topic.topic, reason: topic.reason } } }]);
      if (!topics.has(topic.topic)) topics.set(topic.topic, topic);
    } catch (error) {
      refused.push(refusalOf(place, error));
    }
  }
  const told = rules.force ? (text: string) => text : withoutCredentials;
  return {
    items: [...items.values()],
    projects: [...projects.values()],
    topics: [...topics.values()],
    refused: refused.map((refusal) => ({ ...refusal, place: told(refusal.place), why: told(refusal.why) })),
    setAside: setAside.map(writable).map((entry) => (rules.force ? entry : withoutSecrets(entry))),
    repeated: repeated.map(told),
    notes: source.notes.map(told),
  };
};

/** What the log would refuse at its append, with a whole batch, is refused here by its name. */
const refuseUnfit = (events: readonly { readonly at: string; readonly event: DomainEvent }[]): void => {
  for (const { at, event } of events) {
    if (!/^\d{4}-/.test(at)) throw new DomainError('VALIDATION', `Its time ${at} is outside the years 0 to 9999`, 'Correct the date');
    try {
      catalogue.write(event);
    } catch (error) {
      if (error instanceof EventFault) throw new DomainError('VALIDATION', `It cannot be stored: ${error.message}`, 'Mend that field');
      throw error;
    }
  }
};

/** Without fields that no file can hold: they refer to themselves, or are nested too deeply. */
const writable = (entry: SetAside): SetAside => {
  try {
    JSON.stringify(entry.fields, undefined, 2);
    return entry;
  } catch {
    return { ...entry, why: `${entry.why}; left out here, since it cannot be written as JSON`, fields: {} };
  }
};

/** A credential that was kept out of the log is not written into a file instead. */
const withoutSecrets = (entry: SetAside): SetAside => {
  const secret = findSecrets([entry.key, ...Object.entries(entry.fields).flat()].map(asText).join('\n'))[0];
  if (!secret) return entry;
  const [key, kind, why] = [entry.key, entry.kind, entry.why].map(withoutCredentials) as [string, string, string];
  return { ...entry, key, kind, why: `${why}; left out here, since it holds a ${secret.kind}`, fields: {} };
};

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
