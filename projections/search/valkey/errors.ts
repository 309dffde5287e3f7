/** What the module means by an error. Its own errors carry no code (most begin without `ERR`), so the text decides. */
export type Refusal =
  | 'no-index'
  | 'index-exists'
  | 'timed-out'
  | 'filter'
  | 'ceiling'
  | 'memory'
  | 'permission'
  | 'no-command'
  | 'loading'
  | 'other';

const TEXTS: readonly (readonly [RegExp, Refusal])[] = [
  [/^(ERR )?Index with name .* not found/s, 'no-index'],
  [/^(ERR )?Index .* already exists\.?$/s, 'index-exists'],
  [/cancelled due to timeout/, 'timed-out'],
  [/^(ERR )?(Invalid (filter (expression|format)|query string)|Query string is too (long|complex))/, 'filter'],
  [/Invalid range: .*cannot exceed \d+/s, 'ceiling'],
  [/^OOM /, 'memory'],
  [/^NOPERM |permission to (access|execute)/, 'permission'],
  [/^ERR unknown command/, 'no-command'],
  [/^(LOADING|MASTERDOWN) /, 'loading'],
];

/** Undefined for what is no answer of the server: a broken connection, a time-out of the client. */
export const refusalOf = (error: unknown): Refusal | undefined => {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return undefined;
  return TEXTS.find(([text]) => text.test(error.message))?.[1] ?? 'other';
};

/** In words, why an index was refused: what the module says itself where that is nothing known. It names indexes and fields only. */
export const whyRefused = (error: unknown): string | undefined => {
  const refusal = refusalOf(error);
  return refusal === 'other' ? (error as Error).message.slice(0, 200) : refusal;
};

/** The setting that a search went beyond, of those the server may have set lower than it need be. */
export const ceilingOf = (error: unknown): { readonly of: 'k' | 'ef'; readonly most: number } | undefined => {
  if (refusalOf(error) !== 'ceiling') return undefined;
  const [, what, most] = /(KNN parameter|`EF_RUNTIME`) must be .*cannot exceed (\d+)/s.exec((error as Error).message) ?? [];
  return what === undefined ? undefined : { of: what === 'KNN parameter' ? 'k' : 'ef', most: Number(most) };
};
