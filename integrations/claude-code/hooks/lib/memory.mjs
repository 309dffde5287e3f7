// The running OmniMem server, spoken to over its MCP address. Nothing is started and nothing is changed by these calls.

const VERSION = '2026-07-28';

export const serverUrl = () => process.env.OMNIMEM_URL || 'http://127.0.0.1:8765/mcp';

/** The server could not be asked, or did not answer as it should. */
export class Unavailable extends Error {}

const meta = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'claude-code-hook', version: '0.1.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/**
 * Calls a tool and answers its text; undefined when the server has no such tool. Throws Unavailable with a short reason
 * when there is no answer, or when the answer is a refusal.
 */
export const callTool = async (name, args, signal) => {
  const response = await fetch(serverUrl(), {
    method: 'POST',
    redirect: 'error',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': VERSION,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
      ...(process.env.MCP_AUTH_TOKEN && { Authorization: `Bearer ${process.env.MCP_AUTH_TOKEN}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta: meta } }),
    signal,
  }).catch((error) => {
    throw new Unavailable(signal.aborted ? 'no answer in time' : error.cause?.code || 'no answer');
  });
  const { result, error } = messageIn(await response.text());
  if (error?.code === -32602 && /no tool/i.test(error.message ?? '')) return undefined;
  const text = result?.content?.find?.(({ type }) => type === 'text')?.text;
  if (typeof text !== 'string') throw new Unavailable(response.ok ? 'no MCP answer' : `HTTP ${response.status}`);
  if (result.isError) throw new Unavailable(`refused: ${codeIn(text)}`);
  return text;
};

/** The answer, written as JSON or as the last event of a stream. */
const messageIn = (body) => {
  const events = [...body.matchAll(/^data: (\{.*\})\r?$/gm)].map(([, data]) => data);
  for (const text of [...events.reverse(), body]) {
    try {
      const message = JSON.parse(text);
      if (message?.result !== undefined || message?.error !== undefined) return message;
    } catch {
      // not this one
    }
  }
  return {};
};

const codeIn = (text) => /"code":"([A-Z_]+)"/.exec(text)?.[1] ?? 'no reason given';

/** Whether anything answers at the server's address. */
export const isUp = async (signal) => {
  try {
    const { ok } = await fetch(new URL('/healthz', serverUrl()), { signal });
    return ok;
  } catch {
    return false;
  }
};
