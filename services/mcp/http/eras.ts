import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { STATELESS_VERSION } from '../wire.js';

export type Settled = {
  readonly era: 'stateless' | 'session';
  readonly headers: Headers;
  readonly body: unknown;
  /** Header and body disagreed, which is worth a line in the log. */
  readonly differs: boolean;
};

type Message = {
  readonly method?: unknown;
  readonly id?: unknown;
  readonly params?: { readonly _meta?: Readonly<Record<string, unknown>>; readonly name?: unknown; readonly uri?: unknown };
};

const VERSION = 'mcp-protocol-version';

/**
 * Which era a request belongs to, with headers and body put in order. `_meta` decides: some clients name one revision there
 * and another in the header, or none, and the people who use them cannot change that.
 */
export const settle = (headers: Headers, body: unknown): Settled => {
  const header = headers.get(VERSION)?.trim();
  const claimed = claimedVersion(body);
  const opensSession = methodOf(body) === 'initialize'; // whatever it claims: the newer revision has no such method
  if (claimed !== undefined && !isSessionVersion(claimed) && !opensSession) {
    return { era: 'stateless', headers: aligned(headers, claimed, body), body, differs: header !== claimed };
  }

  const refersToSession = opensSession || headers.has('mcp-session-id');
  if (header === STATELESS_VERSION && !refersToSession && isMessage(body)) {
    // `_meta` names an older revision although nothing refers to a session: only the header can be meant.
    return {
      era: 'stateless',
      headers: aligned(headers, header, body),
      body: claimed === undefined ? body : withVersion(body, header),
      differs: claimed !== undefined,
    };
  }
  const foreign = header !== undefined && !isSessionVersion(header) && /^\d{4}-\d{2}-\d{2}$/.test(header);
  if (!foreign) return { era: 'session', headers, body, differs: false };
  const settled = new Headers(headers);
  settled.delete(VERSION); // newer than what was agreed on: the session's own revision holds
  return { era: 'session', headers: settled, body, differs: true };
};

const withVersion = (body: unknown, version: string): unknown => {
  const message = body as Message;
  return { ...message, params: { ...message.params, _meta: { ...message.params?._meta, [PROTOCOL_VERSION_META_KEY]: version } } };
};

export const methodOf = (body: unknown): unknown => (typeof body === 'object' && body !== null ? (body as Message).method : undefined);

export const idOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Message).id : undefined;

/** Whether it is a JSON-RPC message, or a batch of them as revisions up to 2025-03-26 allow. */
export const isJsonRpc = (body: unknown): boolean => (Array.isArray(body) ? body.length > 0 && body.every(isMessage) : isMessage(body));

const isMessage = (value: unknown): boolean =>
  isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResultResponse(value) || isJSONRPCErrorResponse(value);

const isSessionVersion = (version: string): boolean => SUPPORTED_PROTOCOL_VERSIONS.includes(version);

const claimedVersion = (body: unknown): string | undefined => {
  if (typeof body !== 'object' || body === null) return undefined;
  const version = (body as Message).params?._meta?.[PROTOCOL_VERSION_META_KEY];
  return typeof version === 'string' ? version : undefined;
};

/** Headers that repeat what the body says: the version is set, the others are filled in where a client left them out. */
const aligned = (headers: Headers, version: string, body: unknown): Headers => {
  const { method, params } = body as Message;
  const settled = new Headers(headers);
  settled.set(VERSION, version);
  if (!settled.has('mcp-method') && typeof method === 'string') settled.set('mcp-method', method);
  const name = params?.name ?? params?.uri;
  if (!settled.has('mcp-name') && typeof name === 'string' && /^[\x20-\x7e]+$/.test(name)) settled.set('mcp-name', name);
  return settled;
};
