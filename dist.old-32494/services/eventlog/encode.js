import { digestOf, encodePayload, NONCE_BYTES } from './payload.js';
const SETS_CONTENT = new Set(['MemoryRemembered', 'MemoryRevised']);
/** Validates an event against the catalogue and gives it its id, nonce and digest. Throws EventFault. */
export const encodeEvent = (event, stamp, catalogue, random) => {
    const { v, data } = catalogue.write(event);
    const payload = encodePayload(random.bytes(NONCE_BYTES), { type: event.type, v, at: stamp.at, data });
    const { at, actor, commandId, causation = '' } = stamp;
    return {
        args: [random.ulid(Date.parse(at)), event.type, String(v), at, actor, commandId, causation, digestOf(payload), payload],
        payload,
        setsContent: SETS_CONTENT.has(event.type),
    };
};
//# sourceMappingURL=encode.js.map