import { setImmediate as messagesRead } from 'node:timers/promises';
import { firstBatch } from './batches.js';
/** Windows made at a time, so that a batch finds others of its length. */
const ROUND = 32;
const reasonOf = (error) => (error instanceof Error ? error.message : String(error));
const flatten = (vectors, dimension) => {
    const flat = new Float32Array(vectors.length * dimension);
    vectors.forEach((vector, i) => {
        flat.set(vector, i * dimension);
    });
    return flat;
};
/**
 * Answers encode requests until it is told to end. The port is read between any two batches, so a query waits for at most one
 * batch of documents, and a cancelled job costs at most one more.
 */
export const serve = (port, encoder) => {
    const queries = [];
    const documents = [];
    let pieces = [];
    let filling = false;
    let working = false;
    let ending = false;
    const answer = (reply, transfer = []) => port.postMessage(reply, transfer);
    const drop = (id) => {
        for (const jobs of [queries, documents]) {
            const at = jobs.findIndex((job) => job.id === id);
            if (at >= 0)
                jobs.splice(at, 1);
        }
        pieces = pieces.filter((piece) => piece.job.id !== id);
    };
    const refuse = (job, error) => {
        drop(job.id);
        answer({ kind: 'refused', job: job.id, reason: reasonOf(error) });
    };
    const finish = (job) => {
        const vectors = flatten(job.vectors.flat(), encoder.dimension);
        answer({ kind: 'encoded', job: job.id, windows: job.vectors.map((of) => of.length), vectors }, [vectors.buffer]);
    };
    const splitNext = (job) => {
        const text = job.split++;
        const windows = encoder.split(job.texts[text] ?? '');
        job.missing += windows.length;
        job.vectors.push([]);
        windows.forEach((window, at) => {
            pieces.push({ job, text, at, window, tokens: encoder.tokens(window) });
        });
    };
    /**
     * Splits one text more, of each waiting job in turn, so that a single text is not kept waiting by a large job. False when
     * a round of windows is ready: the round is then encoded to its end, longest first, before the next is made.
     */
    const fillRound = () => {
        if (pieces.length === 0)
            filling = true;
        if (!filling)
            return false;
        const job = pieces.length < ROUND ? documents.shift() : undefined;
        if (job === undefined) {
            filling = false;
            pieces.sort((a, b) => b.tokens - a.tokens);
            return false;
        }
        try {
            splitNext(job);
            if (job.split < job.texts.length)
                documents.push(job);
        }
        catch (error) {
            refuse(job, error);
        }
        return true;
    };
    const encodeQuery = async (job) => {
        try {
            job.vectors.push(await encoder.encode(encoder.split(job.texts[0] ?? '').slice(0, 1)));
            finish(job);
        }
        catch (error) {
            refuse(job, error);
        }
    };
    const encodeBatch = async () => {
        const batch = firstBatch(pieces, encoder.batch);
        pieces = pieces.slice(batch.length);
        try {
            const vectors = await encoder.encode(batch.map((piece) => piece.window));
            batch.forEach(({ job, text, at }, i) => {
                const of = job.vectors[text];
                const vector = vectors[i];
                if (of === undefined || vector === undefined)
                    throw new Error('The encoder gave fewer vectors than windows.');
                of[at] = vector;
                job.missing--;
            });
        }
        catch (error) {
            for (const job of new Set(batch.map((piece) => piece.job)))
                refuse(job, error);
            return;
        }
        for (const job of new Set(batch.map((piece) => piece.job))) {
            if (job.missing === 0 && job.split === job.texts.length)
                finish(job);
        }
    };
    const work = async () => {
        if (working)
            return;
        working = true;
        while (!ending) {
            await messagesRead();
            const query = queries.shift();
            if (query !== undefined)
                await encodeQuery(query);
            else if (fillRound())
                continue;
            else if (pieces.length > 0)
                await encodeBatch();
            else
                break;
        }
        working = false;
        if (ending)
            port.close();
    };
    const end = () => {
        ending = true;
        if (!working)
            port.close();
    };
    port.on('message', (request) => {
        if (request.kind === 'end')
            return end();
        if (request.kind === 'cancel')
            return drop(request.job);
        const job = { id: request.job, texts: request.texts, split: 0, missing: 0, vectors: [] };
        (request.urgent ? queries : documents).push(job);
        void work();
    });
};
//# sourceMappingURL=serve.js.map