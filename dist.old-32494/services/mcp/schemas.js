import { z } from 'zod';
/**
 * The JSON Schema of a tool's parameters. Hosts refuse whole sessions over one schema with alternatives, so anything but
 * plain typed properties is a programming error and throws.
 */
export const inputSchemaOf = (schema) => {
    const { properties = {}, required } = z.toJSONSchema(schema, { io: 'input' });
    const plain = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, plainProperty(name, property)]));
    return { type: 'object', properties: plain, ...(required && { required }), additionalProperties: false };
};
const plainProperty = (name, property) => {
    const { type, description, enum: values, items } = property;
    if (typeof type !== 'string' || !/^[A-Za-z0-9_]+$/.test(name))
        throw new Error(`Parameter ${name} has no schema that every client takes`);
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
export const outputSchemaOf = (fields) => ({
    type: 'object',
    properties: Object.fromEntries(Object.entries({ ...fields, error: 'object' }).map(([name, type]) => [name, outputProperty(type)])),
});
const outputProperty = (type) => {
    if (type === 'string[]')
        return { type: 'array', items: { type: 'string' } };
    if (type === 'object[]')
        return { type: 'array', items: { type: 'object' } };
    return { type };
};
//# sourceMappingURL=schemas.js.map