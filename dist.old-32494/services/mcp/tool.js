import { isValid } from 'ulid';
import { z } from 'zod';
import { DomainError } from '../../domain/errors.js';
import { argumentsOf } from './arguments.js';
import { inputSchemaOf, outputSchemaOf } from './schemas.js';
const COMMAND_ID = z
    .string()
    .optional()
    .describe('A ULID of your choice. A repeated call with the same id answers the first result and does nothing more: use it to retry safely.');
/** One tool from its description. Everything that changes the memory takes `command_id` as well. */
export const defineTool = ({ run, parameters, output, ...spec }) => {
    const schema = z.strictObject(parameters);
    const inputSchema = inputSchemaOf(spec.effect === 'reads' ? schema : z.strictObject({ ...parameters, command_id: COMMAND_ID }));
    return {
        ...spec,
        idempotent: spec.idempotent ?? spec.effect === 'reads',
        essential: spec.essential ?? false,
        needsStore: spec.needsStore ?? true,
        inputSchema,
        outputSchema: outputSchemaOf(output),
        prepare: (raw) => {
            const { command_id: commandId, ...rest } = argumentsOf(spec.name, inputSchema, raw);
            const input = checked(spec.name, inputSchema, schema, rest);
            const { max_tokens: maxTokens } = rest;
            return {
                commandId: checkedCommandId(commandId),
                maxTokens: typeof maxTokens === 'number' ? maxTokens : undefined,
                run: (context) => run(input, context),
            };
        },
    };
};
const checkedCommandId = (id) => {
    if (id === undefined)
        return undefined;
    if (typeof id === 'string' && isValid(id))
        return id.toUpperCase();
    throw new DomainError('VALIDATION', 'command_id must be a ULID: 26 letters and digits without I, L, O and U', 'Leave command_id out, or make a new ULID for each new command.');
};
const checked = (tool, { properties }, schema, value) => {
    const parsed = schema.safeParse(value);
    if (parsed.success)
        return parsed.data;
    const faults = parsed.error.issues.map(({ path, ...issue }) => {
        const [name, ...inner] = path.map(String);
        const property = properties[`${name}`];
        const place = inner.length > 0 ? `${name}[${inner.join('.')}]` : name;
        if (issue.code === 'invalid_type' && !(String(name) in value))
            return `${place} is missing`;
        if (issue.code === 'invalid_type')
            return `${place} must be ${kindOf(inner.length > 0 ? property?.items : property)}`;
        if (issue.code === 'invalid_value')
            return `${place} must be one of ${issue.values.map(String).sort().join(', ')}`;
        return `${place}: ${issue.message}`;
    });
    const usage = Object.keys(properties).join(', ');
    throw new DomainError('VALIDATION', `${tool}: ${faults.join('; ')}`, `Parameters of ${tool}: ${usage}.`);
};
const KINDS = {
    string: 'text',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
};
const kindOf = (property) => KINDS[property?.type ?? 'object'];
//# sourceMappingURL=tool.js.map