import { RPC, rpcError } from './answers.js';
/**
 * Reads and parses a JSON body. A body over the limit is answered 413 at once and the rest of it is read and dropped, so
 * that the client gets to see the answer and the connection can be used again.
 */
export const readJson = async (request, maxBytes) => {
    if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
        request.resume();
        return { refusal: rpcError(415, RPC.refused, 'Content-Type must be application/json') };
    }
    const bytes = Number(request.headers['content-length'] ?? 0) > maxBytes ? undefined : await readAll(request, maxBytes);
    if (bytes === undefined) {
        request.resume();
        return {
            refusal: rpcError(413, RPC.refused, `The request is larger than ${maxBytes} bytes. Memories hold at most 50,000 characters; divide the text.`),
        };
    }
    try {
        return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) };
    }
    catch {
        return { refusal: rpcError(400, RPC.parse, 'Parse error: the body is not valid JSON in UTF-8') };
    }
};
/** All bytes, or undefined as soon as there are more than `maxBytes`. Throws when the client goes away. */
const readAll = (request, maxBytes) => new Promise((resolve, reject) => {
    const chunks = [];
    let size = 0;
    request.on('data', (chunk) => {
        size += chunk.length;
        if (size <= maxBytes)
            chunks.push(chunk);
        else
            resolve(undefined);
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
});
//# sourceMappingURL=body.js.map