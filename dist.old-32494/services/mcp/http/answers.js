/** Answers that are made here, as opposed to those of the protocol library. */
/** JSON-RPC codes that we use ourselves; the last two are the library's own for the same faults. */
export const RPC = { parse: -32_700, invalidRequest: -32_600, internal: -32_603, refused: -32_000, sessionNotFound: -32_001 };
/** A JSON-RPC error. It carries the id of its request when that could be read. */
export const rpcError = (status, code, message, id = null, headers = {}) => Response.json({ jsonrpc: '2.0', error: { code, message }, id: typeof id === 'string' || typeof id === 'number' ? id : null }, { status, headers });
/** RFC 9457, for what is no JSON-RPC exchange. `detail` says what to do. */
export const problem = (status, title, detail, headers = {}) => new Response(JSON.stringify({ type: 'about:blank', title, status, detail }), {
    status,
    headers: { 'Content-Type': 'application/problem+json', ...headers },
});
export const eventStream = (body) => new Response(body, {
    headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' },
});
//# sourceMappingURL=answers.js.map