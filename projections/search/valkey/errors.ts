/** What the module means by an error. Its own errors carry no code (most begin without `ERR`), so the text decides. */
export type Refusal = 'no-index' | 'index-exists' | 'timed-out' | 'filter' | 'memory' | 'permission' | 'no-command' | 'other';

const TEXTS: readonly (readonly [RegExp, Refusal])[] = [
  [/^(ERR )?Index with name .* not found/s, 'no-index'],
  [/^(ERR )?Index .* already exists\.?$/s, 'index-exists'],
  [/cancelled due to timeout/, 'timed-out'],
  [/^(ERR )?Invalid (filter (expression|format)|query string)/, 'filter'],
  [/^OOM /, 'memory'],
  [/^NOPERM |permission to (access|execute)/, 'permission'],
  [/^ERR unknown command/, 'no-command'],
];

/** Undefined for what is no answer of the server: a broken connection, a time-out of the client. */
export const refusalOf = (error: unknown): Refusal | undefined => {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return undefined;
  return TEXTS.find(([text]) => text.test(error.message))?.[1] ?? 'other';
};
