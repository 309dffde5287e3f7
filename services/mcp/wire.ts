import type * as sdk from '@modelcontextprotocol/server';

/**
 * What one request to a running instance needs of the protocol. The values are the protocol's own (the compiler compares them
 * with the library's), written here so that a short command need not load the whole server.
 */
export const PROTOCOL_VERSION_META_KEY: typeof sdk.PROTOCOL_VERSION_META_KEY = 'io.modelcontextprotocol/protocolVersion';
export const CLIENT_INFO_META_KEY: typeof sdk.CLIENT_INFO_META_KEY = 'io.modelcontextprotocol/clientInfo';
export const CLIENT_CAPABILITIES_META_KEY: typeof sdk.CLIENT_CAPABILITIES_META_KEY = 'io.modelcontextprotocol/clientCapabilities';

/** Under this name `_meta` says which conversation a request without a session belongs to. */
export const SESSION_META_KEY = 'omnimem/session';

/** The revision that is served without sessions. */
export const STATELESS_VERSION = '2026-07-28';
