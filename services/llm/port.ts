import type { z } from 'zod';

/** What a call to a language model is for: each has its own model and its own figures. */
export const PURPOSES = ['extraction', 'expansion', 'contradiction'] as const;
export type Purpose = (typeof PURPOSES)[number];

/**
 * Why a model gave no usable answer. UNAUTHORISED and MISCONFIGURED stay until somebody changes a setting; the first five
 * pass by themselves; the rest lies in the text that was sent or in what came back.
 */
export const MODEL_ERROR_CODES = [
  'OVERLOADED',
  'RATE_LIMITED',
  'TIMEOUT',
  'UNAVAILABLE',
  'GARBAGE',
  'REFUSED',
  'REJECTED',
  'UNAUTHORISED',
  'MISCONFIGURED',
] as const;
export type ModelErrorCode = (typeof MODEL_ERROR_CODES)[number];

/** A call that failed. The message is for people and holds nothing of what was sent or answered. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly code: ModelErrorCode;
  /** Milliseconds after which the service asked to be called again. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ModelErrorCode, message: string, options: ErrorOptions & { readonly retryAfterMs?: number | undefined } = {}) {
    super(message, options);
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Whether calling again is useless until a setting changes. */
export const isPermanent = ({ code }: ModelError): boolean => code === 'UNAUTHORISED' || code === 'MISCONFIGURED';

/** Tokens, as the service counted them. */
export type Usage = { readonly input: number; readonly output: number };

export type ModelRequest<Value> = {
  readonly purpose: Purpose;
  readonly system: string;
  readonly prompt: string;
  /** Bound on the answer, in tokens. */
  readonly maxTokens: number;
  /** What the JSON of the answer must be; anything else is GARBAGE. */
  readonly schema: z.ZodType<Value>;
  readonly signal?: AbortSignal | undefined;
};

export type ModelAnswer<Value> = { readonly text: string; readonly value: Value; readonly usage: Usage };

/** The one door to language models. */
export type Model = {
  /** Throws ModelError, or the reason of the signal when that was aborted. */
  readonly complete: <Value>(request: ModelRequest<Value>) => Promise<ModelAnswer<Value>>;
  /** The name of the model that serves a purpose. */
  readonly nameOf: (purpose: Purpose) => string;
};
