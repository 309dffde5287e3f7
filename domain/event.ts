import type { z } from 'zod';

/** Lifts the data of version k to version k + 1. Old bytes are never rewritten; they are lifted at every read. */
export type Upcaster = (old: unknown) => unknown;

/** One entry of the catalogue: the event's name, its present shape, and the ladder from every older shape to it. */
export type EventDefinition<Type extends string = string, Shape extends z.ZodType = z.ZodType> = {
  readonly type: Type;
  /** The version written today: one more than there are upcasters. */
  readonly version: number;
  readonly data: Shape;
  readonly upcasters: readonly Upcaster[];
};

/** `upcasters[0]` lifts version 1 to 2, and so on; the present version follows from their number. */
export const defineEvent = <const Type extends string, Shape extends z.ZodType>(
  type: Type,
  data: Shape,
  upcasters: readonly Upcaster[] = [],
): EventDefinition<Type, Shape> => ({ type, version: upcasters.length + 1, data, upcasters });

/** The `{ type, data }` value that a definition describes. */
export type EventOf<Definition> =
  Definition extends EventDefinition<infer Type, infer Shape> ? { readonly type: Type; readonly data: z.infer<Shape> } : never;

/** Why a stored event cannot be used. Codes are counted and shown; they hold no text of the memory. */
export type EventFaultCode = 'UNKNOWN_TYPE' | 'UNKNOWN_VERSION' | 'INVALID_DATA';

export class EventFault extends Error {
  override readonly name = 'EventFault';
  readonly code: EventFaultCode;

  constructor(code: EventFaultCode, message: string) {
    super(message);
    this.code = code;
  }
}

export type AnyEvent = { readonly type: string; readonly data: unknown };

export type Catalogue<Event extends AnyEvent = AnyEvent> = {
  /** Validates data that is about to be written; the type's present version comes with it. Throws EventFault. */
  readonly write: (event: Event) => { readonly v: number; readonly data: unknown };
  /** Lifts and validates what was stored. Throws EventFault; never guesses. */
  readonly read: (type: string, v: number, data: unknown) => Event;
  /** Changes whenever an event joins the catalogue or gets a new version, so that projections know to rebuild. */
  readonly fingerprint: string;
  readonly types: readonly string[];
};

export const createCatalogue = <Event extends AnyEvent>(definitions: readonly EventDefinition[]): Catalogue<Event> => {
  const byType = new Map(definitions.map((definition) => [definition.type, definition]));

  const known = (type: string): EventDefinition => {
    const definition = byType.get(type);
    if (!definition) throw new EventFault('UNKNOWN_TYPE', `No event type ${JSON.stringify(type.slice(0, 80))} in the catalogue`);
    return definition;
  };

  const validated = ({ type, data: shape }: EventDefinition, data: unknown): unknown => {
    const parsed = shape.safeParse(data);
    if (parsed.success) return parsed.data;
    const where = parsed.error.issues.map(({ path, code }) => `${path.join('.') || 'data'}: ${code}`).join('; ');
    throw new EventFault('INVALID_DATA', `${type} does not fit its schema (${where})`);
  };

  const lifted = ({ type, upcasters }: EventDefinition, v: number, data: unknown): unknown => {
    try {
      return upcasters.slice(v - 1).reduce((older, upcast) => upcast(older), data);
    } catch {
      throw new EventFault('INVALID_DATA', `${type} version ${v} cannot be lifted`);
    }
  };

  return {
    write: ({ type, data }) => {
      const definition = known(type);
      return { v: definition.version, data: validated(definition, data) };
    },
    read: (type, v, data) => {
      const definition = known(type);
      if (!Number.isInteger(v) || v < 1 || v > definition.version) {
        throw new EventFault('UNKNOWN_VERSION', `${type} version ${v}; this program knows 1 to ${definition.version}`);
      }
      return { type, data: validated(definition, lifted(definition, v, data)) } as Event;
    },
    fingerprint: definitions
      .map(({ type, version }) => `${type}@${version}`)
      .sort()
      .join(','),
    types: definitions.map(({ type }) => type),
  };
};
