import { createHash, timingSafeEqual } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { DomainError } from '../../../domain/errors.js';
import { problem } from './answers.js';
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
/** Addresses that mean "every interface": no client names them. */
const WILDCARDS = ['0.0.0.0', '[::]'];
const isLoopback = (name) => LOOPBACK_NAMES.includes(name) || (isIPv4(name) && name.startsWith('127.'));
/** Throws VALIDATION for an address that others can reach while no token protects it. */
export const refuseOpenAddress = ({ host, authToken }) => {
    if (authToken !== undefined || isLoopback(bracketed(host)))
        return;
    throw new DomainError('VALIDATION', `MCP_HOST is ${host}, which other machines can reach, and MCP_AUTH_TOKEN is not set`, 'Set MCP_AUTH_TOKEN to a long random text, or MCP_HOST to 127.0.0.1.');
};
export const createAccess = (settings) => {
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
    const digest = settings.authToken === undefined ? undefined : digestOf(settings.authToken);
    const isOurHost = (host) => {
        const name = host === undefined ? undefined : hostnameOf(host);
        return host !== undefined && name !== undefined && (hosts.has(name) || hosts.has(host.toLowerCase()));
    };
    const isOurOrigin = (origin) => {
        if (origins.has(origin.toLowerCase()))
            return true;
        const url = URL.canParse(origin) ? new URL(origin) : undefined;
        return url !== undefined && /^https?:$/.test(url.protocol) && url.origin === origin.toLowerCase() && names.has(url.hostname);
    };
    return {
        checkOrigin: ({ host, origin }) => {
            if (!isOurHost(host))
                return problem(421, 'Misdirected Request', 'This server does not answer for that Host. Behind a proxy, set MCP_PUBLIC_URL or MCP_ALLOWED_HOSTS.');
            if (origin !== undefined && !isOurOrigin(origin))
                return problem(403, 'Forbidden', 'That Origin may not call this server. Set MCP_ALLOWED_ORIGINS to scheme://host[:port] if it should.');
            return undefined;
        },
        checkToken: ({ authorization }) => {
            if (digest === undefined)
                return undefined;
            const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
            if (token !== undefined && timingSafeEqual(digestOf(token), digest))
                return undefined;
            const reason = token === undefined ? '' : ', error="invalid_token"';
            return problem(401, 'Unauthorized', 'Send Authorization: Bearer with the value of MCP_AUTH_TOKEN.', {
                'WWW-Authenticate': `Bearer realm="omnimem"${reason}`,
            });
        },
    };
};
/** Digests have one length, which the comparison in constant time needs. */
const digestOf = (text) => createHash('sha256').update(text).digest();
/** The name in a Host header, without the port; undefined when it is no host at all. */
const hostnameOf = (host) => {
    if (!/^[A-Za-z0-9.:[\]_-]+$/.test(host) || !URL.canParse(`http://${host}`))
        return undefined;
    return new URL(`http://${host}`).hostname;
};
const bracketed = (host) => host.includes(':') && !host.startsWith('[') && host.split(':').length > 2 ? `[${host}]` : host;
/** Headers for a page of an allowed origin, such as an inspector in a browser. */
export const allowPage = (outgoing, origin) => {
    outgoing.setHeader('Access-Control-Allow-Origin', origin);
    outgoing.setHeader('Vary', 'Origin');
    outgoing.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE');
    outgoing.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name');
    outgoing.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate');
};
//# sourceMappingURL=access.js.map