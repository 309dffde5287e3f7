import { createHash } from 'node:crypto';
import { DomainError } from '../../domain/errors.js';
import type { Call } from '../api.js';
import { RESULT_SECONDS } from '../eventlog/append.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import type { CommandParts } from './parts.js';

/**
 * Holds a command id to the command it was first used for: repeated with the same name and input it answers the first
 * result; with another it would answer a result that is not its own, so it is refused. Throws CONFLICT.
 */
export const heldToItsCommand = async <T>(
  parts: CommandParts,
  name: string,
  input: unknown,
  call: Call,
  run: () => Promise<T>,
): Promise<T> => {
  if (call.commandId === undefined) return run();
  const { redis, keys } = parts;
  const key = keys.commandResult(`${call.commandId}:of`);
  const print = `${name}:${createHash('sha256').update(JSON.stringify(input)).digest('hex').slice(0, 32)}`;
  refuseAnother(await unavailableWhenDown(() => redis.get(key)), print);
  const result = await run();
  refuseAnother(await unavailableWhenDown(() => redis.set(key, print, 'EX', RESULT_SECONDS, 'NX', 'GET')), print);
  return result;
};

const refuseAnother = (first: string | null, print: string): void => {
  if (first === null || first === print) return;
  throw new DomainError(
    'CONFLICT',
    `This command_id was used for another call of ${first.split(':')[0]}; nothing was done`,
    'Make a new command_id for each write; repeat one only with the very same input',
  );
};
