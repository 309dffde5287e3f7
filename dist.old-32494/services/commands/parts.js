import { DomainError } from '../../domain/errors.js';
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
/** Who and when, for the events of one call. Throws VALIDATION for a command id that is no ULID. */
export const stampOf = ({ random, now }, { actor, commandId }) => {
    if (commandId !== undefined && !ULID.test(commandId)) {
        throw new DomainError('VALIDATION', 'command_id is not a ULID', 'Make a new one for each write (26 characters), or leave it out');
    }
    const at = now();
    return { commandId: commandId ?? random.ulid(at), repeatable: commandId !== undefined, actor, at: new Date(at).toISOString() };
};
/** `{}` once the views show what was appended, else `{ visible: false }`. An acknowledged write never fails for a late view. */
export const visibility = async ({ settled }, appended) => {
    const position = appended?.events.at(-1)?.position;
    return position === undefined || (await settled(position)) ? {} : { visible: false };
};
//# sourceMappingURL=parts.js.map