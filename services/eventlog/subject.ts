import type { Redis } from 'iovalkey';
import type { DomainEvent } from '../../domain/catalogue.js';
import { DomainError } from '../../domain/errors.js';
import { type Catalogue, EventFault } from '../../domain/event.js';
import type { Keys } from '../../projections/keys.js';
import { decodePayload } from './payload.js';

/** The history of one subject, as far as it still has payloads. */
export type SubjectHistory = {
  readonly subject: string;
  /** The highest version ever made; 0 when nothing ever happened. */
  readonly version: number;
  readonly events: readonly (DomainEvent & { readonly n: number; readonly at: string })[];
  /** Claims the subject holds. */
  readonly claims: readonly string[];
};

/** Loads subjects in one round trip. Throws INTERNAL when a payload is missing or unreadable: nothing is decided on half a history. */
export const loadSubjects = async (
  redis: Redis,
  keys: Keys,
  catalogue: Catalogue<DomainEvent>,
  subjects: readonly string[],
): Promise<SubjectHistory[]> => {
  const pipeline = redis.pipeline();
  for (const subject of subjects) pipeline.hgetallBuffer(keys.payloads(subject));
  const replies = (await pipeline.exec()) ?? [];
  return replies.map(([error, hash], i) => {
    if (error) throw error;
    return historyOf(subjects[i] ?? '', hash as Record<string, Buffer>, catalogue);
  });
};

const historyOf = (subject: string, hash: Record<string, Buffer>, catalogue: Catalogue<DomainEvent>): SubjectHistory => {
  const version = Number(hash.v?.toString() ?? 0);
  const erasedBelow = Number(hash.f?.toString() ?? 0);
  const events = [];
  for (let n = Math.max(erasedBelow, 1); n <= version; n++) {
    const payload = hash[String(n)];
    if (!payload) throw damaged(subject, n, 'is missing');
    try {
      const { type, v, at, data } = decodePayload(payload);
      events.push({ ...catalogue.read(type, v, data), n, at });
    } catch (error) {
      throw damaged(subject, n, error instanceof EventFault ? error.message : 'cannot be decoded');
    }
  }
  return { subject, version, events, claims: hash.c?.toString().split(' ') ?? [] };
};

const damaged = (subject: string, n: number, what: string): DomainError =>
  new DomainError('INTERNAL', `Event ${n} of ${subject} ${what}`, 'Run omnimem doctor; a backup of the log may hold it intact');
