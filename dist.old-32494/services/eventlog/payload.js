import { createHash } from 'node:crypto';
import { Packr } from 'msgpackr';
/** Bytes of the random nonce in front of a payload: once it is erased, a short text cannot be guessed from the digest. */
export const NONCE_BYTES = 16;
// Plain maps, no shared record structures: every payload can be read without any other.
const packr = new Packr({ useRecords: false, moreTypes: false, variableMapSize: true });
/** Encodes nonce and content. `nonce` is 16 random bytes, given by the caller. */
export const encodePayload = (nonce, { type, v, at, data }) => Buffer.concat([nonce, packr.pack([type, v, at, withoutUndefined(data)])]);
/** Throws when the bytes are not a payload; the schema of `data` is the catalogue's business. */
export const decodePayload = (bytes) => {
    const content = packr.unpack(bytes.subarray(NONCE_BYTES));
    if (!Array.isArray(content) || content.length !== 4)
        throw new Error('not a payload');
    const [type, v, at, data] = content;
    if (typeof type !== 'string' || typeof v !== 'number' || typeof at !== 'string')
        throw new Error('not a payload');
    return { type, v, at, data };
};
export const digestOf = (payload) => createHash('sha256').update(payload).digest('hex');
const withoutUndefined = (value) => {
    if (Array.isArray(value))
        return value.map(withoutUndefined);
    if (value === null || typeof value !== 'object')
        return value;
    return Object.fromEntries(Object.entries(value)
        .filter(([, field]) => field !== undefined)
        .map(([name, field]) => [name, withoutUndefined(field)]));
};
//# sourceMappingURL=payload.js.map