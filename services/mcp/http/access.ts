import type { ServerResponse } from 'node:http';
import { isIPv4 } from 'node:net';
import { DomainError } from '../../../domain/errors.js';
import { problem } from './answers.js';
import { bearerOf, createTokens, type TenantToken } from './tokens.js';

export type AccessSettings = {
  readonly host: string;
  readonly authToken?: string | undefined;
  /** Tokens that open the memories of other tenants. */
  readonly tenantTokens?: readonly TenantToken[] | undefined;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly publicUrl?: string | undefined;
};

export type AccessRequest = {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
};

export type Access = {
  /** 421 for a Host that is not ours, 403 for a browser page of another origin (DNS rebinding); undefined: come in. */
  readonly checkOrigin: (request: AccessRequest) => Response | undefined;
  /** 401 without a bearer token that is known, when any is set; else whose memory is meant (undefined: that of the process). */
  readonly checkToken: (request: AccessRequest) => Response | { readonly tenant: string | undefined };
};

const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
/** Addresses that mean "every interface": no client names them. */
const WILDCARDS: readonly string[] = ['0.0.0.0', '[::]'];

const isLoopback = (name: string): boolean => LOOPBACK_NAMES.includes(name) || (isIPv4(name) && name.startsWith('127.'));

/** Throws VALIDATION for an address that others can reach while no token protects it. */
export const refuseOpenAddress = ({ host, authToken, tenantTokens = [] }: AccessSettings): void => {
  if (authToken !== undefined || tenantTokens.length > 0 || isLoopback(bracketed(host))) return;
  throw new DomainError(
    'VALIDATION',
    `MCP_HOST is ${host}, which other machines can reach, and MCP_AUTH_TOKEN is not set`,
    'Set MCP_AUTH_TOKEN to a long random text, or MCP_HOST to 127.0.0.1.',
  );
};

export const createAccess = (settings: AccessSettings): Access => {
  const published = settings.publicUrl === undefined ? undefined : new URL(settings.publicUrl);
  const bound = bracketed(settings.host);
  const names = new Set([...LOOPBACK_NAMES, ...(WILDCARDS.includes(bound) ? [] : [bound])]);
  // With a port an entry means that port only; without one, any.
  const hosts = new Set([
    ...names,
    ...settings.allowedHosts.map((entry) => bracketed(entry.toLowerCase())),
    ...(published ? [published.host] : []),
  ]);
  const origins = new Set([
    ...settings.allowedOrigins.map((entry) => entry.toLowerCase().replace(/\/$/, '')),
    ...(published ? [published.origin] : []),
  ]);
  const tokens = createTokens(settings.authToken, settings.tenantTokens ?? []);

  const isOurHost = (host: string | undefined): boolean => {
    const name = host === undefined ? undefined : hostnameOf(host);
    return host !== undefined && name !== undefined && (hosts.has(name) || hosts.has(host.toLowerCase()));
  };
  const isOurOrigin = (origin: string): boolean => {
    if (origins.has(origin.toLowerCase())) return true;
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    return url !== undefined && /^https?:$/.test(url.protocol) && url.origin === origin.toLowerCase() && names.has(url.hostname);
  };

  return {
    checkOrigin: ({ host, origin }) => {
      if (!isOurHost(host))
        return problem(
          421,
          'Misdirected Request',
          'This server does not answer for that Host. Behind a proxy, set MCP_PUBLIC_URL or MCP_ALLOWED_HOSTS.',
        );
      if (origin !== undefined && !isOurOrigin(origin))
        return problem(
          403,
          'Forbidden',
          'That Origin may not call this server. Set MCP_ALLOWED_ORIGINS to scheme://host[:port] if it should.',
        );
      return undefined;
    },
    checkToken: ({ authorization }) => {
      if (!tokens.required) return { tenant: undefined };
      const bearer = tokens.read(authorization);
      if (bearer) return bearer;
      const reason = bearerOf(authorization) === undefined ? '' : ', error="invalid_token"';
      return problem(
        401,
        'Unauthorized',
        'Send Authorization: Bearer with the value of MCP_AUTH_TOKEN, or with the token of your tenant.',
        {
          'WWW-Authenticate': `Bearer realm="omnimem"${reason}`,
        },
      );
    },
  };
};

/** The name in a Host header, without the port; undefined when it is no host at all. */
const hostnameOf = (host: string): string | undefined => {
  if (!/^[A-Za-z0-9.:[\]_-]+$/.test(host) || !URL.canParse(`http://${host}`)) return undefined;
  return new URL(`http://${host}`).hostname;
};

const bracketed = (host: string): string =>
  host.includes(':') && !host.startsWith('[') && host.split(':').length > 2 ? `[${host}]` : host;

/** Headers for a page of an allowed origin, such as an inspector in a browser. */
export const allowPage = (outgoing: ServerResponse, origin: string): void => {
  outgoing.setHeader('Access-Control-Allow-Origin', origin);
  outgoing.setHeader('Vary', 'Origin');
  outgoing.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE');
  outgoing.setHeader(
    'Access-Control-Allow-Headers',
    'Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name',
  );
  outgoing.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate');
};
