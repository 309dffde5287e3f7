import type { ErrorCode } from '../domain/errors.js';
import type { StepReport } from './lifecycle.js';

/** What an instance tells the process that started it, for as long as that one listens. */
export type StartNews =
  | { readonly step: StepReport }
  /** Nothing was started. `taken`: another process holds the data folder. */
  | {
      readonly refused: { readonly code: ErrorCode; readonly message: string; readonly hint: string | undefined; readonly taken: boolean };
    };

/** Resolves when it is on its way, or when nobody listens. */
export const tellParent = (news: StartNews): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send?.(news, undefined, undefined, () => resolve());
    else resolve();
  });
