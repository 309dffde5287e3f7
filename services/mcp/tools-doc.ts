import type { PropertySchema } from './schemas.js';
import type { Tool } from './tool.js';
import { TOOLS } from './tools/index.js';

/** The text of docs/tools.md. A test holds the file to it. */
export const renderToolsDoc = (): string => `${[HEAD, ...TOOLS.map(section)].join('\n')}`;

const HEAD = `# Tools

Made from the schemas in \`services/mcp/tools\`; run \`UPDATE_DOCS=1 npx vitest run test/e2e/mcp/tools-doc.test.ts\` after a change.

Every tool answers a JSON object, as structured content and as text. recall, recall_index and recall_detail frame the text as
data from memory. A refusal is an answer with \`isError\` and \`{"error": {"code", "message", "hint"}}\`; the codes are VALIDATION,
NOT_FOUND, CONFLICT, CONFIRMATION_REQUIRED, UNAVAILABLE, UNAUTHORISED, TOO_LARGE and INTERNAL.

- Unknown parameters are refused by name. Numbers and truth values written as text, lists written as JSON text, one item in
  place of a list, and \`null\` for a parameter that is not given are understood.
- Every list and every text has a bound, checked before anything else: 200 entries and 10,000 characters (2,000 in a list) unless a
  parameter says otherwise. What is beyond it is refused with the limit (VALIDATION, or TOO_LARGE for a text that is to be stored).
- A number below the least is refused with the range. One above the most is brought down, and \`adjusted\` says so.
- No answer is longer than \`MCP_MAX_RESPONSE_TOKENS\` (3.5 characters count as a token). What was left out is named in \`cut\`, with
  keys or an offset to go on with: whole entries first, then of the keys the last (\`count\` stays), then the text of the only result
  (\`content_truncated\` says how to read on). Of an answer with several long lists each is cut to the same length, and
  \`cut.lists\` says of each how many entries are \`shown\` and how many there are in \`total\`.
- \`command_id\` is taken by every tool that changes something: a ULID. Repeated with the same id, a call answers the first result.
- \`OMNIMEM_TOOLSET=essential\` lists only the tools marked so, for clients with little room. The others can still be called.
`;

const section = ({ name, title, description, effect, idempotent, essential, inputSchema, outputSchema }: Tool): string => {
  const traits = [
    EFFECTS[effect],
    idempotent && effect !== 'reads' && 'doing it twice changes nothing more',
    essential && 'essential',
  ].filter(Boolean);
  const rows = Object.entries(inputSchema.properties).map(([parameter, property]) =>
    row(parameter, property, inputSchema.required?.includes(parameter) ?? false),
  );
  const table = rows.length > 0 ? `| parameter | type | meaning |\n|---|---|---|\n${rows.join('\n')}` : 'No parameters.';
  const answer = Object.entries(outputSchema.properties).filter(([field]) => field !== 'error');
  return `## ${name}\n\n${title} (${traits.join('; ')}).\n\n${description}\n\n${table}\n\nAnswers: ${answer.map(([field]) => `\`${field}\``).join(', ')}.\n`;
};

const EFFECTS: Readonly<Record<Tool['effect'], string>> = { reads: 'reads only', writes: 'writes', destroys: 'erases for good' };

const row = (name: string, property: PropertySchema, required: boolean): string =>
  `| \`${name}\`${required ? '' : '?'} | ${typeOf(property)} | ${(property.description ?? '').replaceAll('|', '\\|')} |`;

const typeOf = ({ type, enum: values, items }: PropertySchema): string => {
  if (values) return values.join(' or ');
  return type === 'array' && items ? `list of ${typeOf(items)}` : type;
};
