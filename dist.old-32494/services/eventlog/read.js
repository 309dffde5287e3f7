import { Envelope } from '../../domain/envelope.js';
import { EventFault } from '../../domain/event.js';
import { loadScript, runScriptBuffer } from '../../projections/scripts.js';
import { decodePayload, digestOf } from './payload.js';
const SCRIPT = loadScript('services/eventlog/payloads.lua');
/** Reads `count` entries after `after`, each with its payload, decoded, lifted and validated. Rejects with the raw Valkey error. */
export const readEntries = async (redis, keys, catalogue, after, count) => withPayloads(redis, keys, catalogue, await redis.xrange(keys.log, `(${after}`, '+', 'COUNT', count));
/** Reads the entries at the given places; a place that holds nothing is left out. */
export const readPositions = async (redis, keys, catalogue, positions) => {
    const pipeline = redis.pipeline();
    for (const position of positions)
        pipeline.xrange(keys.log, position, position);
    const pages = (await pipeline.exec()) ?? [];
    const entries = pages.flatMap(([error, page]) => {
        if (error)
            throw error;
        return page;
    });
    return withPayloads(redis, keys, catalogue, entries);
};
const withPayloads = async (redis, keys, catalogue, entries) => {
    const parsed = entries.map(([position, fields]) => parseEnvelope(position, fields));
    const readable = parsed.filter((envelope) => 'envelope' in envelope);
    if (readable.length === 0)
        return parsed.map((fault) => ({ kind: 'fault', fault }));
    const found = (await runScriptBuffer(redis, SCRIPT, readable.map(({ envelope }) => keys.payloads(envelope.subject)), readable.map(({ envelope }) => envelope.n)));
    let at = 0;
    return parsed.map((entry) => {
        if (!('envelope' in entry))
            return { kind: 'fault', fault: entry };
        const payload = found[2 * at] ?? undefined;
        const erasedBelow = Number(found[2 * at + 1]?.toString() ?? 0);
        at += 1;
        return entryOf(entry, payload, erasedBelow, catalogue);
    });
};
const parseEnvelope = (position, fields) => {
    const raw = {};
    for (let i = 0; i + 1 < fields.length; i += 2)
        raw[fields[i] ?? ''] = fields[i + 1] ?? '';
    const envelope = Envelope.safeParse(raw);
    if (envelope.success)
        return { position, envelope: envelope.data };
    const where = envelope.error.issues.map(({ path }) => path.join('.')).join(', ');
    return {
        position,
        code: 'BAD_ENVELOPE',
        message: `The envelope is not readable (${where})`,
        subject: raw.subject || undefined,
        eventId: raw.id || undefined,
    };
};
const entryOf = ({ position, envelope }, payload, erasedBelow, catalogue) => {
    const fault = (code, message) => ({
        kind: 'fault',
        fault: { position, code, message, subject: envelope.subject, eventId: envelope.id },
    });
    if (!payload) {
        return envelope.n < erasedBelow
            ? { kind: 'husk', husk: { position, envelope } }
            : fault('MISSING_PAYLOAD', 'The payload is missing, and no erasure explains it');
    }
    if (digestOf(payload) !== envelope.digest)
        return fault('DIGEST_MISMATCH', 'The payload is not the one that was appended');
    try {
        const { type, v, data } = decodePayload(payload);
        if (type !== envelope.type || v !== envelope.v)
            return fault('BAD_PAYLOAD', 'The payload belongs to another event');
        const event = catalogue.read(type, v, data);
        return { kind: 'event', event: { ...event, envelope, position } };
    }
    catch (error) {
        return error instanceof EventFault ? fault(error.code, error.message) : fault('BAD_PAYLOAD', 'The payload cannot be decoded');
    }
};
//# sourceMappingURL=read.js.map