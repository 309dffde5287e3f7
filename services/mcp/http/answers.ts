/** Answers that are made here, as opposed to those of the protocol library. */

/** JSON-RPC codes that we use ourselves; the last two are the library's own for the same faults. */
export const RPC = { parse: -32_700, invalidRequest: -32_600, internal: -32_603, refused: -32_000, sessionNotFound: -32_001 } as const;

/** A JSON-RPC error. It carries the id of its request when that could be read. */
export const rpcError = (
  status: number,
  code: number,
  message: string,
  id: unknown = null,
  headers: Record<string, string> = {},
): Response =>
  Response.json(
    { jsonrpc: '2.0', error: { code, message }, id: typeof id === 'string' || typeof id === 'number' ? id : null },
    { status, headers },
  );

/** RFC 9457, for what is no JSON-RPC exchange. `detail` says what to do. */
export const problem = (status: number, title: string, detail: string, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify({ type: 'about:blank', title, status, detail }), {
    status,
    headers: { 'Content-Type': 'application/problem+json', ...headers },
  });

export const eventStream = (body: ReadableStream<Uint8Array>): Response =>
  new Response(body, {
    headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' },
  });
