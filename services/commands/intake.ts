import { parseContent } from '../../domain/content.js';
import { DomainError } from '../../domain/errors.js';
import { stripFraming } from '../../domain/framing.js';
import { isoTime } from '../../domain/iso-time.js';
import { licenceForWrite } from '../../domain/licence.js';
import type { Remembered } from '../../domain/memory/events.js';
import { parseProjectName } from '../../domain/project/name.js';
import { provenanceForWrite } from '../../domain/provenance.js';
import { parseTags } from '../../domain/tags.js';
import { INGEST_MODES, type IngestMode, NAMESPACES, type Namespace } from '../../domain/vocabulary.js';
import type { RememberInput } from '../api.js';
import { refuseSecrets } from './secrets.js';

export type Intake = { readonly remembered: Remembered; readonly strippedRecall: readonly string[] };

/** Checks what somebody wants remembered. Throws VALIDATION or TOO_LARGE; nothing has been stored then. */
export const intakeOf = (input: RememberInput, defaultMode: IngestMode): Intake => {
  const namespace = oneOf<Namespace>('namespace', input.namespace ?? 'episodic', NAMESPACES);
  const mode = oneOf<IngestMode>('mode', input.mode ?? defaultMode, INGEST_MODES);
  const { content, keys } = ownText(input.content);
  if (input.force !== true) refuseSecrets(content);
  const { licence, note } = licenceForWrite(namespace, input.licence, input.licence_note);
  const project = input.project === undefined ? undefined : parseProjectName(input.project);
  const event_date = input.event_date === undefined ? undefined : parseEventDate(input.event_date);
  const expires_at = input.expires_at === undefined ? undefined : parseExpiry(input.expires_at, namespace);
  return {
    remembered: {
      namespace,
      content,
      tags: [...parseTags(input.tags ?? [])],
      mode,
      licence,
      provenance: provenanceForWrite(namespace, input.provenance),
      ...(project !== undefined && { project }),
      ...(note !== undefined && { licence_note: note }),
      ...(event_date !== undefined && { event_date }),
      ...(expires_at !== undefined && { expires_at }),
      ...(namespace === 'preference' && { scope: project === undefined ? ('global' as const) : ('project' as const) }),
    },
    strippedRecall: keys,
  };
};

/** What the writer says, without recalled text around it, and the memories whose text was sent back. Throws VALIDATION, TOO_LARGE. */
export const ownText = (text: string): { readonly content: string; readonly keys: readonly string[] } => {
  const { content, stripped, keys } = stripFraming(text);
  if (stripped && content.trim() === '') {
    throw new DomainError('VALIDATION', 'This is recalled text and nothing else', 'It is remembered already; remember only what is new');
  }
  return { content: parseContent(content), keys };
};

const oneOf = <Value extends string>(name: string, value: string, values: readonly Value[]): Value => {
  const found = values.find((known) => known === value);
  if (found) return found;
  throw new DomainError('VALIDATION', `${name} is not one of ${[...values].sort().join(', ')}`, `Pass one of them, or leave ${name} out`);
};

const parseExpiry = (text: string, namespace: Namespace): string => {
  if (namespace !== 'knowledge') {
    throw new DomainError('VALIDATION', 'Only knowledge expires', "Leave expires_at out, or pass namespace: 'knowledge'");
  }
  return parseIsoTime('expires_at', text);
};

/** Throws VALIDATION for a time from which nothing would ever be recalled. */
export const refusePastExpiry = (expires_at: string | undefined, now: number): void => {
  if (expires_at === undefined || Date.parse(expires_at) > now) return;
  throw new DomainError('VALIDATION', 'expires_at is not in the future', 'Pass the time from which recall is to leave it out');
};

const parseEventDate = (text: string): string => parseIsoTime('event_date', text);

const parseIsoTime = (name: string, text: string): string => {
  const time = isoTime(text);
  if (time === undefined) {
    throw new DomainError('VALIDATION', `${name} is no ISO date`, 'Write it like 2026-11-03 or 2026-11-03T23:30:00Z');
  }
  return new Date(time).toISOString();
};
