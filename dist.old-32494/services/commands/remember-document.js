import { chunkText } from '../../domain/chunking.js';
import { DomainError } from '../../domain/errors.js';
import { memoryKey } from '../../domain/memory/key.js';
import { CHUNK_STRATEGIES } from '../../domain/vocabulary.js';
import { MAX_EVENTS } from '../eventlog/append.js';
import { textClaim } from './claims.js';
import { embedForWrite, vectorsOf } from './embed.js';
import { intakeOf } from './intake.js';
import { relatedMemories } from './neighbours.js';
import { stampOf, visibility } from './parts.js';
/** Stores a document as one memory per chunk, all in one append; chunks the store has already are left out. */
export const rememberDocument = async (parts, input, call) => {
    const { log, random } = parts;
    const strategy = input.chunk_strategy ?? 'paragraphs';
    if (!CHUNK_STRATEGIES.includes(strategy)) {
        throw new DomainError('VALIDATION', `chunk_strategy is not one of ${CHUNK_STRATEGIES.join(', ')}`, 'Leave it out for paragraphs');
    }
    const intake = intakeOf(input, parts.defaultMode);
    const stamp = stampOf(parts, call);
    const first = stamp.repeatable ? await log.firstAnswer(stamp.commandId) : undefined;
    if (first)
        return { ...first.result, ...(await visibility(parts, first)) };
    const texts = chunkText(intake.remembered.content, strategy, input.chunk_size);
    if (texts.length > MAX_EVENTS) {
        throw new DomainError('TOO_LARGE', `The document falls into ${texts.length} chunks, at most ${MAX_EVENTS} fit`, 'Split it, or take larger chunks');
    }
    call.progress?.('embedding the chunks', 0, texts.length);
    const embedded = texts.length > 0 ? await embedForWrite(parts, texts, call.signal) : { state: 'pending' };
    if (embedded.state === 'stored')
        await parts.noteModel(embedded.embedder.identity.id);
    await parts.fresh();
    let chunks = await newChunks(parts, intake, texts, embedded);
    const doc_id = random.ulid(parts.now());
    for (;;) {
        const result = resultOf(intake, chunks.length > 0 ? doc_id : null, [], texts.length, chunks.length);
        if (chunks.length === 0)
            return result;
        const keyed = chunks.map((chunk) => ({ chunk, key: memoryKey(intake.remembered.namespace, random.ulid(parts.now())) }));
        const stored = { ...result, keys: keyed.map(({ key }) => key) };
        const append = {
            ...stamp,
            writes: keyed.map(({ chunk, key }) => ({
                subject: key,
                expected: 0,
                events: [
                    {
                        type: 'MemoryRemembered',
                        data: { ...intake.remembered, content: chunk.content, doc_id, chunk_index: chunk.index, chunk_strategy: strategy },
                    },
                ],
                claims: [{ claim: chunk.claim, mode: 'free' }],
                vectors: vectorsOf(embedded, chunk.embeddedAs),
            })),
            result: stored,
        };
        const answer = await log.append(append);
        if (answer.outcome === 'claimed') {
            // Another writer stored this very chunk meanwhile: it is a duplicate like the others.
            chunks = chunks.filter(({ claim }) => claim !== answer.claim);
            continue;
        }
        if (answer.outcome === 'appended' || answer.outcome === 'repeated') {
            return { ...answer.result, ...(await visibility(parts, answer)) };
        }
        throw new DomainError('CONFLICT', 'The new keys were taken', 'Repeat the call');
    }
};
const newChunks = async (parts, intake, texts, embedded) => {
    const { namespace, project } = intake.remembered;
    const claims = texts.map((text) => textClaim(parts.log.salt, namespace, project, text));
    const holders = await parts.log.claimHolders(claims);
    const seen = new Set();
    const chunks = [];
    for (const [i, content] of texts.entries()) {
        const claim = claims[i] ?? '';
        if (holders[i] !== undefined || seen.has(claim))
            continue;
        seen.add(claim);
        const related = await relatedMemories(parts, { namespace, project }, content, embedded, i);
        if (related.some(({ neighbour }) => neighbour.relation === 'duplicate'))
            continue;
        chunks.push({ content, index: i, claim, embeddedAs: i });
    }
    return chunks;
};
const resultOf = ({ remembered: { namespace, mode } }, doc_id, keys, total, stored) => ({
    doc_id,
    keys,
    chunks_stored: stored,
    chunks_total: total,
    duplicates_skipped: total - stored,
    namespace,
    mode,
    enrichment: 'none',
});
//# sourceMappingURL=remember-document.js.map