import { expect } from 'vitest';
import { type Decider, fold } from '../../domain/decider.js';
import { type ErrorCode, isDomainError } from '../../domain/errors.js';

/** Given past events, when a command, then new events or a refusal. */
export const specFor =
  <State, Command, Event>(decider: Decider<State, Command, Event>) =>
  (...past: readonly Event[]) => ({
    when: (command: Command) => ({
      // biome-ignore lint/suspicious/noThenProperty: given, when, then; nobody awaits it
      then: (...events: readonly Event[]): void => expect(decider.decide(command, fold(decider, past))).toEqual(events),
      thenThrows: (code: ErrorCode): void => {
        const refusal = thrownBy(() => decider.decide(command, fold(decider, past)));
        expect(isDomainError(refusal) ? { code: refusal.code, hinted: Boolean(refusal.hint) } : refusal).toEqual({ code, hinted: true });
      },
    }),
    thenState: (state: unknown): void => expect(fold(decider, past)).toEqual(state),
  });

const thrownBy = (call: () => unknown): unknown => {
  try {
    return { returned: call() };
  } catch (error) {
    return error;
  }
};
