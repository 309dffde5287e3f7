import { z } from 'zod';

/** The part of JSON Schema that every host takes: one flat object, no alternatives at any level. */
export type PropertySchema = {
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  readonly description?: string;
  readonly enum?: string[];
  readonly items?: PropertySchema;
};

export type InputSchema = {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, PropertySchema>>;
  readonly required?: string[];
  readonly additionalProperties: false;
};

/** Top-level fields of an answer. */
export type OutputFields = Readonly<Record<string, 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'string[]' | 'object[]'>>;

export type OutputSchema = { readonly type: 'object'; readonly properties: Readonly<Record<string, PropertySchema>> };

/**
 * The JSON Schema of a tool's parameters. Hosts refuse whole sessions over one schema with alternatives, so anything but
 * plain typed properties is a programming error and throws.
 */
export const inputSchemaOf = (schema: z.ZodObject): InputSchema => {
  const { properties = {}, required } = z.toJSONSchema(schema, { io: 'input' }) as {
    properties?: Record<string, unknown>;
    required?: string[];
  };
  const plain = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, plainProperty(name, property)]));
  return { type: 'object', properties: plain, ...(required && { required }), additionalProperties: false };
};

const plainProperty = (name: string, property: unknown): PropertySchema => {
  const { type, description, enum: values, items } = property as PropertySchema;
  if (typeof type !== 'string' || !/^[A-Za-z0-9_]+$/.test(name)) throw new Error(`Parameter ${name} has no schema that every client takes`);
  return {
    type,
    ...(description && { description }),
    ...(values && { enum: values }),
    ...(items && { items: plainProperty(name, items) }),
  };
};

/**
 * Small on purpose (some hosts drop tools when definitions grow), and without required fields: clients check errors, which
 * carry only `error`, against it too.
 */
export const outputSchemaOf = (fields: OutputFields): OutputSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries({ ...fields, error: 'object' as const }).map(([name, type]) => [name, outputProperty(type)]),
  ),
});

const outputProperty = (type: OutputFields[string]): PropertySchema => {
  if (type === 'string[]') return { type: 'array', items: { type: 'string' } };
  if (type === 'object[]') return { type: 'array', items: { type: 'object' } };
  return { type };
};
