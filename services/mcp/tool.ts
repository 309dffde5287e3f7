import { isValid } from 'ulid';
import { z } from 'zod';
import { DomainError } from '../../domain/errors.js';
import type { App, Call } from '../api.js';
import { argumentsOf } from './arguments.js';
import { boundsOf, broughtDown, type ParameterBounds, rangeOf, refuseOversized } from './bounds.js';
import type { Answer, Cut } from './ceiling.js';
import { type InputSchema, inputSchemaOf, type OutputFields, type OutputSchema, outputSchemaOf, type PropertySchema } from './schemas.js';

export type ToolContext = {
  readonly app: App;
  readonly call: Call;
  /** What the whole answer may cost, in tokens of 3.5 characters. */
  readonly maxTokens: number;
};

/** What a call does to the memory; the hints that hosts read follow from it. */
export type Effect = 'reads' | 'writes' | 'destroys';

export type ToolSpec<Shape extends z.ZodRawShape> = {
  readonly name: string;
  readonly title: string;
  /** Below 2,000 bytes; the first sentence says what the tool is for, since hosts search it. */
  readonly description: string;
  readonly effect: Effect;
  /** Whether the same call again changes nothing more. */
  readonly idempotent?: boolean;
  /** Listed in the small toolset too. */
  readonly essential?: boolean;
  /** False for what must answer while the store is not ready. */
  readonly needsStore?: boolean;
  readonly parameters: Shape;
  /** Top-level fields of the answer and their types. */
  readonly output: OutputFields;
  /** Which list of the answer gives way when the answer is too long. */
  readonly cut?: Cut;
  /** Text that says what the answer says, where JSON is not the best form for a model. */
  readonly text?: (answer: Answer) => string;
  /** Characters up to which Claude Code shows the answer in place of writing it to a file. */
  readonly maxResultChars?: number;
  readonly run: (input: z.output<z.ZodObject<Shape>>, context: ToolContext) => Promise<Answer>;
};

export type PreparedCall = {
  readonly commandId: string | undefined;
  /** The caller's own bound on the answer, if the tool takes one and it was given. */
  readonly maxTokens: number | undefined;
  readonly run: (context: ToolContext) => Promise<Answer>;
};

export type Tool = Omit<ToolSpec<z.ZodRawShape>, 'run' | 'parameters' | 'output' | 'essential' | 'needsStore' | 'idempotent'> & {
  readonly idempotent: boolean;
  readonly essential: boolean;
  readonly needsStore: boolean;
  readonly inputSchema: InputSchema;
  readonly outputSchema: OutputSchema;
  /** Checks the arguments and binds them. VALIDATION names the parameter that is wrong. */
  readonly prepare: (raw: unknown) => PreparedCall;
};

const COMMAND_ID = z
  .string()
  .optional()
  .describe(
    'A ULID of your choice. A repeated call with the same id answers the first result and does nothing more: use it to retry safely.',
  );

/** One tool from its description. Everything that changes the memory takes `command_id` as well. */
export const defineTool = <Shape extends z.ZodRawShape>({ run, parameters, output, ...spec }: ToolSpec<Shape>): Tool => {
  const schema = z.strictObject(parameters);
  const whole = spec.effect === 'reads' ? schema : z.strictObject({ ...parameters, command_id: COMMAND_ID });
  const inputSchema = inputSchemaOf(whole);
  const bounds = boundsOf(whole);
  const bringsDown = Object.values(bounds).some(({ most }) => most !== undefined);
  return {
    ...spec,
    idempotent: spec.idempotent ?? spec.effect === 'reads',
    essential: spec.essential ?? false,
    needsStore: spec.needsStore ?? true,
    inputSchema,
    outputSchema: outputSchemaOf(bringsDown ? { ...output, adjusted: 'string' } : output),
    prepare: (raw) => {
      const given = argumentsOf(spec.name, inputSchema, raw);
      refuseOversized(spec.name, bounds, given);
      const { taken, said } = broughtDown(bounds, given);
      const { command_id: commandId, ...rest } = taken;
      const input = checked(spec.name, inputSchema, bounds, schema, rest);
      const { max_tokens: maxTokens } = rest;
      return {
        commandId: checkedCommandId(commandId),
        maxTokens: typeof maxTokens === 'number' ? maxTokens : undefined,
        run: async (context) => ({ ...(await run(input, context)), ...(said !== undefined && { adjusted: said }) }),
      };
    },
  };
};

const checkedCommandId = (id: unknown): string | undefined => {
  if (id === undefined) return undefined;
  if (typeof id === 'string' && isValid(id)) return id.toUpperCase();
  throw new DomainError(
    'VALIDATION',
    'command_id must be a ULID: 26 letters and digits without I, L, O and U',
    'Leave command_id out, or make a new ULID for each new command.',
  );
};

/** Faults that one refusal names. */
const FAULTS_TOLD = 5;

const checked = <T>(tool: string, { properties }: InputSchema, bounds: ParameterBounds, schema: z.ZodType<T>, value: unknown): T => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const faults = issues.slice(0, FAULTS_TOLD).map(({ path, ...issue }) => {
    const [name, ...inner] = path.map(String);
    const property = properties[`${name}`];
    const place = inner.length > 0 ? `${name}[${inner.join('.')}]` : name;
    if (issue.code === 'invalid_type' && !(String(name) in (value as object))) return `${place} is missing`;
    if (issue.code === 'invalid_type') return `${place} must be ${kindOf(inner.length > 0 ? property?.items : property)}`;
    if (issue.code === 'invalid_value') return `${place} must be one of ${issue.values.map(String).sort().join(', ')}`;
    const bound = bounds[`${name}`];
    if (bound && inner.length === 0 && property?.type === 'integer' && /^too_/.test(issue.code))
      return `${place} must be ${rangeOf(bound)}`;
    return `${place}: ${issue.message}`;
  });
  const more = issues.length > FAULTS_TOLD ? `; and ${issues.length - FAULTS_TOLD} more` : '';
  const usage = Object.keys(properties).join(', ');
  throw new DomainError('VALIDATION', `${tool}: ${faults.join('; ')}${more}`, `Parameters of ${tool}: ${usage}.`);
};

const KINDS: Readonly<Record<PropertySchema['type'], string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};
const kindOf = (property: PropertySchema | undefined): string => KINDS[property?.type ?? 'object'];
