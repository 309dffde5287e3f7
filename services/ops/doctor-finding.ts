import { isDomainError } from '../../domain/errors.js';

/** One line of the doctor's report. */
export type Finding = {
  readonly part: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do about it. */
  readonly fix?: string;
};

export const ok = (part: string, detail: string): Finding => ({ part, state: 'ok', detail });
export const warn = (part: string, detail: string, fix: string): Finding => ({ part, state: 'warn', detail, fix });
export const fail = (part: string, detail: string, fix: string): Finding => ({ part, state: 'fail', detail, fix });

/** A part that cannot even be looked at has failed. */
export const guarded = async (part: string, look: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> => {
  try {
    return await look();
  } catch (error) {
    const hint = isDomainError(error) ? error.hint : undefined;
    return [fail(part, error instanceof Error ? error.message : String(error), hint ?? 'The message says what is in the way.')];
  }
};
