import { DomainError } from '../../domain/errors.js';
import { EventFault } from '../../domain/event.js';
import { decodePayload } from './payload.js';
/** Loads subjects in one round trip. Throws INTERNAL when a payload is missing or unreadable: nothing is decided on half a history. */
export const loadSubjects = async (redis, keys, catalogue, subjects) => {
    const pipeline = redis.pipeline();
    for (const subject of subjects)
        pipeline.hgetallBuffer(keys.payloads(subject));
    const replies = (await pipeline.exec()) ?? [];
    return replies.map(([error, hash], i) => {
        if (error)
            throw error;
        return historyOf(subjects[i] ?? '', hash, catalogue);
    });
};
const historyOf = (subject, hash, catalogue) => {
    const version = Number(hash.v?.toString() ?? 0);
    const erasedBelow = Number(hash.f?.toString() ?? 0);
    const events = [];
    for (let n = Math.max(erasedBelow, 1); n <= version; n++) {
        const payload = hash[String(n)];
        if (!payload)
            throw damaged(subject, n, 'is missing');
        try {
            const { type, v, at, data } = decodePayload(payload);
            events.push({ ...catalogue.read(type, v, data), n, at });
        }
        catch (error) {
            throw damaged(subject, n, error instanceof EventFault ? error.message : 'cannot be decoded');
        }
    }
    return { subject, version, events, claims: hash.c?.toString().split(' ') ?? [] };
};
const damaged = (subject, n, what) => new DomainError('INTERNAL', `Event ${n} of ${subject} ${what}`, 'Run omnimem doctor; a backup of the log may hold it intact');
//# sourceMappingURL=subject.js.map