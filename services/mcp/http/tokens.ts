import { createHash, timingSafeEqual } from 'node:crypto';
import { DomainError } from '../../../domain/errors.js';

/** Whoever carries the token is served this tenant's memory and no other. */
export type TenantToken = { readonly tenant: string; readonly token: string };

export type Tokens = {
  /** Whether a request without a token is refused. */
  readonly required: boolean;
  /** Whose memory an Authorization header opens; `tenant` undefined: that of the process. Undefined: nobody's. */
  readonly read: (authorization: string | undefined) => { readonly tenant: string | undefined } | undefined;
};

/** Throws VALIDATION when one token would open two memories. */
export const createTokens = (authToken: string | undefined, tenantTokens: readonly TenantToken[]): Tokens => {
  const given = [...(authToken === undefined ? [] : [{ tenant: undefined, token: authToken }]), ...tenantTokens];
  if (new Set(given.map(({ token }) => token)).size < given.length)
    throw new DomainError(
      'VALIDATION',
      'One token stands for two memories',
      'Give each tenant of MCP_TENANT_TOKENS a token of its own, and another than MCP_AUTH_TOKEN.',
    );
  const known = given.map(({ tenant, token }) => ({ tenant, digest: digestOf(token) }));
  return {
    required: known.length > 0,
    read: (authorization) => {
      const token = bearerOf(authorization);
      if (token === undefined) return undefined;
      const digest = digestOf(token);
      // Every one is compared, so that the time says nothing about which it was.
      const [found] = known.filter((one) => timingSafeEqual(one.digest, digest));
      return found && { tenant: found.tenant };
    },
  };
};

export const bearerOf = (authorization: string | undefined): string | undefined => /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];

/** Digests have one length, which the comparison in constant time needs. */
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
