/**
 * Texts for agents name tools as `{recall}`, calls as `{recall(query, top_k)}` and parameters as `{recall:top_k}`, so that a
 * test can hold every name against the schemas, and a sentence about a tool that is not listed is not said.
 */
export type NamedTool = { readonly tool: string; readonly parameters: readonly string[] };

const NAMED = /\{([a-z_]+)(?::([a-z_]+)|\(([^)]*)\))?\}/g;

/** Everything that a text names, in its order. `{recall(query: "ports")}` names the parameter query. */
export const namedIn = (text: string): readonly NamedTool[] =>
  [...text.matchAll(NAMED)].map(([, tool = '', parameter, list]) => ({
    tool,
    parameters: parameter === undefined ? namesIn(list ?? '') : [parameter],
  }));

/** Parameters stand at the beginning or after a comma; `name: value` gives an example, whose own text may hold no comma. */
const namesIn = (list: string): readonly string[] => list.split(',').flatMap((part) => /^\s*([a-z_]+)\s*(?::|$)/.exec(part)?.[1] ?? []);

/** The text as an agent reads it. */
export const spoken = (text: string): string =>
  text.replaceAll(NAMED, (_, tool: string, parameter: string | undefined, list: string | undefined) =>
    parameter === undefined ? `${tool}${list === undefined ? '' : `(${list})`}` : parameter,
  );

/** The sentences of each paragraph that name listed tools only; a paragraph without any is left out. */
export const sayable = (paragraphs: readonly (readonly string[])[], listed: ReadonlySet<string>): readonly (readonly string[])[] =>
  paragraphs
    .map((sentences) => sentences.filter((sentence) => namedIn(sentence).every(({ tool }) => listed.has(tool))).map(spoken))
    .filter((sentences) => sentences.length > 0);
