import { z } from 'zod';
import type { AnyEvent } from './event.js';

const Ulid = z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/);

/**
 * What the log keeps of an event for ever, beside a payload that can be erased. People read `at`; order and time travel
 * go by the stream id the server gave.
 */
export const Envelope = z.object({
  id: Ulid,
  type: z.string().min(1).max(80),
  /** Schema version of the payload. */
  v: z.coerce.number().int().positive(),
  /** The aggregate: a memory key, `topic:H:<hash>`, `system:<day>`, … */
  subject: z.string().min(1).max(400),
  /** The version of the subject that this event made. */
  n: z.coerce.number().int().positive(),
  at: z.iso.datetime(),
  actor: z.string().min(1).max(200),
  /** One id per command. */
  correlation: Ulid,
  /** The event that caused this one. */
  causation: Ulid.optional(),
  /** SHA-256, hex, of the payload with its nonce. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  /** Only on merged events: the place they had in the store they came from. */
  orig: z
    .string()
    .regex(/^\d+-\d+$/)
    .optional(),
});
export type Envelope = z.infer<typeof Envelope>;

/** A stream id, `<milliseconds>-<sequence>`: the place of an event in the total order. */
export type Position = string;

export const ORIGIN: Position = '0-0';

/** Negative when a comes before b, 0 when equal. */
export const comparePositions = (a: Position, b: Position): number => {
  const [aTime = '0', aSequence = '0'] = a.split('-');
  const [bTime = '0', bSequence = '0'] = b.split('-');
  return Number(aTime) - Number(bTime) || Number(aSequence) - Number(bSequence);
};

/** An event as it was recorded: what happened, and when, where and by whom. */
export type Recorded<Event extends AnyEvent = AnyEvent> = Event & { readonly envelope: Envelope; readonly position: Position };

/** The envelope of an event whose payload was erased by a later `forget`. */
export type Husk = { readonly envelope: Envelope; readonly position: Position };

/** Why an entry of the log cannot be read. The first three are faults of the event, the rest of the stored bytes. */
export type FaultCode =
  | 'UNKNOWN_TYPE'
  | 'UNKNOWN_VERSION'
  | 'INVALID_DATA'
  | 'BAD_ENVELOPE'
  | 'BAD_PAYLOAD'
  | 'MISSING_PAYLOAD'
  | 'DIGEST_MISMATCH'
  | 'APPLY_FAILED';

/** An entry that cannot be used. It names no text of the memory. */
export type Fault = {
  readonly position: Position;
  readonly code: FaultCode;
  readonly message: string;
  readonly subject: string | undefined;
  readonly eventId: string | undefined;
};

/** What reading the log gives, entry by entry. */
export type LogEntry<Event extends AnyEvent = AnyEvent> =
  | { readonly kind: 'event'; readonly event: Recorded<Event> }
  | { readonly kind: 'husk'; readonly husk: Husk }
  | { readonly kind: 'fault'; readonly fault: Fault };

export const positionOf = (entry: LogEntry): Position => {
  switch (entry.kind) {
    case 'event':
      return entry.event.position;
    case 'husk':
      return entry.husk.position;
    case 'fault':
      return entry.fault.position;
  }
};

/** Undefined for an entry whose envelope is too damaged to name one. */
export const subjectOf = (entry: LogEntry): string | undefined => {
  switch (entry.kind) {
    case 'event':
      return entry.event.envelope.subject;
    case 'husk':
      return entry.husk.envelope.subject;
    case 'fault':
      return entry.fault.subject;
  }
};
