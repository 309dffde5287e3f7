import { normalisedForIdentity, parseContent } from '../content.js';
import { isDomainError } from '../errors.js';
import { stripFraming } from '../framing.js';
import { isoTime } from '../iso-time.js';
import type { Remembered } from '../memory/events.js';
import { findSecrets } from '../secrets.js';
import type { Source } from './source.js';

/** One statement that a model drew from a text. */
export type Fact = {
  readonly text: string;
  readonly kind: 'fact' | 'preference';
  /** ISO time that it speaks of. */
  readonly event_date?: string;
  /** The number of the text it was drawn from, when several were sent; from 1. */
  readonly chunk?: number;
};

/** A statement longer than this, in UTF-16 units, is no single fact. */
export const FACT_LENGTH = 1_000;

/**
 * The usable facts of an answer, in its order, and how many items were left out: what holds no text, a credential or
 * recalled text of ours, what is too long, what repeats another, and what exceeds `limit`. A kind that is not known is a
 * fact, a date that is none is left out (contract 19.4).
 */
export const factsIn = (items: readonly unknown[], limit: number): { readonly facts: readonly Fact[]; readonly skipped: number } => {
  const facts = new Map<string, Fact>();
  for (const item of items) {
    const fact = facts.size < limit ? factIn(item) : undefined;
    const identity = fact && `${fact.kind} ${normalisedForIdentity(fact.text)}`;
    if (fact && identity !== undefined && !facts.has(identity)) facts.set(identity, fact);
  }
  return { facts: [...facts.values()], skipped: items.length - facts.size };
};

const factIn = (item: unknown): Fact | undefined => {
  const { text, kind, event_date, chunk } = (typeof item === 'object' && item !== null ? item : { text: item }) as Record<string, unknown>;
  const content = typeof text === 'string' ? cleaned(text) : undefined;
  if (content === undefined) return undefined;
  const date = typeof event_date === 'string' ? dateIn(event_date) : undefined;
  return {
    text: content,
    kind: kind === 'preference' ? 'preference' : 'fact',
    ...(date !== undefined && { event_date: date }),
    ...(typeof chunk === 'number' && { chunk }),
  };
};

const BULLET = /^[-*•]\s+/;

const cleaned = (text: string): string | undefined => {
  const line = text.replace(/\s+/gu, ' ').trim().replace(BULLET, '');
  if (line.length > FACT_LENGTH || stripFraming(line).stripped || findSecrets(line).length > 0) return undefined;
  try {
    return parseContent(line);
  } catch (error) {
    if (isDomainError(error)) return undefined;
    throw error;
  }
};

const dateIn = (text: string): string | undefined => {
  const time = isoTime(text);
  return time === undefined ? undefined : new Date(time).toISOString();
};

/** A fact as it is remembered: where its kind belongs, with all that its source's text carries (contract 16.4, 16.5, 19.4). */
export const rememberedFact = ({ key, memory, born, created_at }: Source, { text, kind, event_date }: Fact): Remembered => {
  const { tags, project, licence, licence_note, provenance, doc_id } = memory;
  return {
    namespace: kind === 'preference' ? 'preference' : 'knowledge',
    content: text,
    tags: [...tags],
    mode: 'raw',
    licence,
    provenance,
    enriched_from: key,
    source_doc_id: doc_id ?? key,
    event_date: event_date ?? born.event_date ?? created_at,
    ...(licence_note !== undefined && { licence_note }),
    ...(project !== undefined && { project }),
    ...(born.expires_at !== undefined && { expires_at: born.expires_at }),
    ...(kind === 'preference' && { scope: project === undefined ? ('global' as const) : ('project' as const) }),
  };
};
