import { APIConnectionError, APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import { modelError } from './failure.js';
import { ModelError, type ModelErrorCode } from './port.js';

const BY_STATUS: Readonly<Record<number, ModelErrorCode>> = {
  400: 'REJECTED',
  401: 'UNAUTHORISED',
  402: 'UNAUTHORISED',
  403: 'UNAUTHORISED',
  404: 'MISCONFIGURED',
  408: 'TIMEOUT',
  409: 'UNAVAILABLE',
  413: 'REJECTED',
  422: 'REJECTED',
  429: 'RATE_LIMITED',
  504: 'TIMEOUT',
  529: 'OVERLOADED',
};

/** What an error of the SDK means. The text of the service is left out, since it may quote what was sent. */
export const fromSdk = (error: unknown): ModelError => {
  if (error instanceof ModelError) return error;
  if (error instanceof APIConnectionTimeoutError) return modelError('TIMEOUT');
  if (error instanceof APIConnectionError) return modelError('UNAVAILABLE', networkCode(error));
  if (error instanceof APIError && typeof error.status === 'number') {
    const code = error.type === 'billing_error' ? 'UNAUTHORISED' : (BY_STATUS[error.status] ?? statusClass(error.status));
    return modelError(code, [error.status, error.type].filter(Boolean).join(' '), { retryAfterMs: retryAfterOf(error.headers) });
  }
  // A body that is cut off or that no JSON is: the connection stood, the answer did not.
  if (error instanceof SyntaxError || error instanceof TypeError) return modelError('GARBAGE');
  return modelError('UNAVAILABLE', undefined, { cause: error });
};

const statusClass = (status: number): ModelErrorCode => (status >= 500 ? 'UNAVAILABLE' : 'REJECTED');

const networkCode = ({ cause }: Error): string | undefined => {
  for (let at: unknown = cause; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException;
    if (code !== undefined) return code;
  }
  return undefined;
};

/** `retry-after` in seconds, at most an hour; a date or anything else is left to our own backoff. */
const retryAfterOf = (headers: unknown): number | undefined => {
  const seconds = headers instanceof Headers ? Number(headers.get('retry-after') ?? Number.NaN) : Number.NaN;
  return seconds > 0 ? Math.min(seconds, 3_600) * 1_000 : undefined;
};
