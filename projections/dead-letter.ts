import type { Redis } from 'iovalkey';
import type { FaultCode, Position } from '../domain/envelope.js';
import type { Keys } from './keys.js';

/** Why a subject stands still in one generation. It names events, never what they say. */
export type Degraded = {
  readonly position: Position;
  readonly event_id: string | undefined;
  readonly code: FaultCode;
  /** Later events of the subject that were passed over; a replay finds them again. */
  readonly waiting: number;
};

/** An event that one projection could not use. `subject` is absent when not even the envelope could be read. */
export type DeadLetter = {
  readonly projection: string;
  readonly generation: number;
  readonly position: Position;
  readonly event_id: string | undefined;
  readonly subject: string | undefined;
  readonly code: FaultCode;
};

/** The fields of a dead letter in its stream, names and values alternating. */
export const deadLetterFields = (letter: DeadLetter): string[] =>
  Object.entries(letter).flatMap(([name, value]) => (value === undefined ? [] : [name, String(value)]));

/** The newest dead letters first. */
export const readDeadLetters = async (redis: Redis, keys: Keys, count: number): Promise<readonly DeadLetter[]> =>
  (await redis.xrevrange(keys.deadLetter, '+', '-', 'COUNT', count)).map(([, flat]) => {
    const fields = new Map(Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i] ?? '', flat[2 * i + 1] ?? '']));
    return {
      projection: fields.get('projection') ?? '',
      generation: Number(fields.get('generation')),
      position: fields.get('position') ?? '',
      event_id: fields.get('event_id'),
      subject: fields.get('subject'),
      code: (fields.get('code') ?? 'APPLY_FAILED') as FaultCode,
    };
  });

/** Degraded subjects of one generation, with the fault that stopped each. */
export const readDegraded = async (redis: Redis, keys: Keys, name: string, generation: number): Promise<ReadonlyMap<string, Degraded>> =>
  new Map(
    Object.entries(await redis.hgetall(keys.degraded(name, generation))).map(([subject, json]) => [subject, JSON.parse(json) as Degraded]),
  );
