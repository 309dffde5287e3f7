export const exchangeOf = (incoming, outgoing, body) => {
    const gone = new AbortController();
    const done = new Promise((resolve) => {
        outgoing.on('close', () => {
            if (!outgoing.writableFinished)
                gone.abort();
            resolve();
        });
    });
    const headers = new Headers();
    for (const [name, value] of Object.entries(incoming.headers))
        if (value !== undefined)
            headers.set(name, Array.isArray(value) ? value.join(', ') : value);
    const request = new Request(new URL(incoming.url ?? '/', 'http://localhost'), {
        method: incoming.method ?? 'GET',
        headers,
        signal: gone.signal,
    });
    return { request, body, done };
};
/** Sends a web-standard answer, with backpressure. When the client goes away the source is told at once, not at its next chunk. */
export const send = async (outgoing, response) => {
    for (const [name, value] of response.headers)
        outgoing.setHeader(name, value);
    outgoing.writeHead(response.status);
    if (response.body === null) {
        outgoing.end();
        return;
    }
    outgoing.flushHeaders();
    const reader = response.body.getReader();
    outgoing.on('close', () => void reader.cancel().catch(() => { }));
    for (;;) {
        const { done, value } = await reader.read();
        if (done || outgoing.destroyed)
            break;
        if (!outgoing.write(value))
            await drained(outgoing);
    }
    outgoing.end();
};
const drained = (outgoing) => new Promise((resolve) => {
    const go = () => {
        outgoing.off('drain', go).off('close', go);
        resolve();
    };
    outgoing.on('drain', go).on('close', go);
});
//# sourceMappingURL=exchange.js.map