import { DomainError } from '../../../domain/errors.js';
/** The model's bytes are not the ones that were pinned. Fetching it again mends this. */
export class AlteredModel extends Error {
    name = 'AlteredModel';
}
const gone = (name, cause) => new DomainError('UNAVAILABLE', `The embedding thread of ${name} stopped.`, 'Try again: the next call starts it afresh.', { cause });
const closed = (name) => new DomainError('UNAVAILABLE', `The embedder ${name} is closed.`, 'Start the server again.');
const cutByText = (vectors, windows, dimension) => {
    let at = 0;
    const next = () => {
        at += dimension;
        return vectors.slice(at - dimension, at);
    };
    return windows.map((count) => Array.from({ length: count }, next));
};
/** The main thread's end of an encoder thread: requests out, vectors in, and a new thread after one has died. */
export const encoderThread = (options) => {
    const { name, dimension, start } = options;
    let running;
    let isClosed = false;
    let lastJob = 0;
    const settle = (from, reply) => {
        if (reply.kind !== 'encoded' && reply.kind !== 'refused')
            return;
        const waiting = from.waiting.get(reply.job);
        from.waiting.delete(reply.job);
        if (from.waiting.size === 0)
            from.worker.unref();
        if (waiting === undefined)
            return;
        if (reply.kind === 'encoded')
            waiting.resolve(cutByText(reply.vectors, reply.windows, dimension));
        else
            waiting.reject(new DomainError('INTERNAL', `${name} could not embed this text: ${reply.reason}`, 'Run `omnimem doctor`.'));
    };
    const begin = () => {
        const worker = start();
        const waiting = new Map();
        const loaded = new Promise((resolve, reject) => {
            worker.on('message', (reply) => {
                if (reply.kind === 'ready')
                    resolve(reply.loadMs);
                if (reply.kind === 'unusable')
                    reject(reply.altered ? new AlteredModel(reply.reason) : new Error(reply.reason));
            });
            worker.on('error', reject);
            worker.on('exit', (code) => reject(new Error(`the thread ended with code ${code}`)));
        });
        const ended = new Promise((resolve) => worker.on('exit', () => resolve()));
        const fresh = { worker, loaded, ended, waiting };
        let cause;
        const remember = (error) => {
            cause ??= error;
        };
        worker.on('error', remember);
        loaded.catch(remember);
        worker.on('message', (reply) => settle(fresh, reply));
        worker.on('exit', () => {
            if (running === fresh)
                running = undefined;
            for (const { reject } of waiting.values())
                reject(gone(name, cause));
            waiting.clear();
        });
        loaded.then(() => waiting.size === 0 && worker.unref(), () => { });
        return fresh;
    };
    const current = () => {
        if (isClosed)
            throw closed(name);
        running ??= begin();
        return running;
    };
    return {
        load: async () => current().loaded,
        encode: async (texts, { urgent, signal }) => {
            signal?.throwIfAborted();
            const { worker, waiting } = current();
            const job = ++lastJob;
            const ask = (request) => worker.postMessage(request);
            let stop;
            try {
                return await new Promise((resolve, reject) => {
                    stop = () => {
                        waiting.delete(job);
                        ask({ kind: 'cancel', job });
                        reject(signal?.reason);
                    };
                    signal?.addEventListener('abort', stop, { once: true });
                    waiting.set(job, { resolve, reject });
                    worker.ref();
                    ask({ kind: 'encode', job, texts, urgent });
                });
            }
            finally {
                if (stop !== undefined)
                    signal?.removeEventListener('abort', stop);
            }
        },
        close: async () => {
            isClosed = true;
            if (running === undefined)
                return;
            const { worker, waiting, ended } = running;
            for (const { reject } of waiting.values())
                reject(closed(name));
            waiting.clear();
            worker.ref();
            worker.postMessage({ kind: 'end' });
            await ended;
        },
    };
};
//# sourceMappingURL=client.js.map