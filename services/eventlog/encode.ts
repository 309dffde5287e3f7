import type { DomainEvent } from '../../domain/catalogue.js';
import type { Catalogue } from '../../domain/event.js';
import { digestOf, encodePayload, NONCE_BYTES } from './payload.js';
import type { Random } from './random.js';

/** An event as the scripts take it: id, type, v, at, actor, correlation, causation or '', digest, payload. */
export type EncodedEvent = { readonly args: readonly (string | Buffer)[]; readonly payload: Buffer; readonly setsContent: boolean };

/** What an event is stamped with. `commandId` is the correlation, unless several batches share another one. */
export type Stamp = {
  readonly commandId: string;
  readonly correlation?: string | undefined;
  readonly actor: string;
  readonly causation?: string | undefined;
  readonly at: string;
};

export const SETS_CONTENT: ReadonlySet<string> = new Set(['MemoryRemembered', 'MemoryRevised', 'ProjectContextSet', 'ProjectStateUpdated']);

/** Validates an event against the catalogue and gives it its id, nonce and digest. Throws EventFault. */
export const encodeEvent = (event: DomainEvent, stamp: Stamp, catalogue: Catalogue<DomainEvent>, random: Random): EncodedEvent => {
  const { v, data } = catalogue.write(event);
  const payload = encodePayload(random.bytes(NONCE_BYTES), { type: event.type, v, at: stamp.at, data });
  const { at, actor, commandId, correlation = commandId, causation = '' } = stamp;
  return {
    args: [random.ulid(Date.parse(at)), event.type, String(v), at, actor, correlation, causation, digestOf(payload), payload],
    payload,
    setsContent: SETS_CONTENT.has(event.type),
  };
};
