import { ModelError, type ModelErrorCode } from './port.js';

const MEANING: Readonly<Record<ModelErrorCode, string>> = {
  OVERLOADED: 'The service is overloaded',
  RATE_LIMITED: 'The service limits how often it is called',
  TIMEOUT: 'The service did not answer in time',
  UNAVAILABLE: 'The service cannot be reached or has a fault',
  GARBAGE: 'The answer was not what was asked for',
  REFUSED: 'The model refused to answer',
  REJECTED: 'The service rejected the request',
  UNAUTHORISED: 'The service does not accept the key, or the account may not use it',
  MISCONFIGURED: 'The service does not know this model or address',
};

/** A failure in words for people. `detail` must hold nothing of what was sent or answered. */
export const modelError = (code: ModelErrorCode, detail?: string, options?: ConstructorParameters<typeof ModelError>[2]): ModelError =>
  new ModelError(code, detail === undefined ? MEANING[code] : `${MEANING[code]} (${detail})`, options);
