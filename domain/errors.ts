/** Stable codes that callers branch on. A retired code is never reused. */
export const ERROR_CODES = [
  'VALIDATION',
  'NOT_FOUND',
  'CONFLICT',
  'CONFIRMATION_REQUIRED',
  'UNAVAILABLE',
  'UNAUTHORISED',
  'TOO_LARGE',
  'INTERNAL',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** UTF-16 units that a refusal may take, whatever it quotes. */
const LONGEST = { message: 10_000, hint: 2_000 } as const;

const bounded = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}… [cut: ${text.length} characters in all]`;

/** A call that was understood and refused. `hint` tells the caller what to try next. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, hint?: string, options?: ErrorOptions) {
    super(bounded(message, LONGEST.message), options);
    this.code = code;
    this.hint = hint === undefined ? undefined : bounded(hint, LONGEST.hint);
  }
}

export const isDomainError = (error: unknown, code?: ErrorCode): error is DomainError =>
  error instanceof DomainError && (code === undefined || error.code === code);
