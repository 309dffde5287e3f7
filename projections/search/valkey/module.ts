import type { Redis } from 'iovalkey';
import { refusalOf } from './errors.js';

/** Whether the server's search module serves, and in words why or why not. */
export type SearchModule = { readonly usable: boolean; readonly version: string | undefined; readonly reason: string };

/** 1.2.0 as the module spells it: 0x00MMmmpp. */
const OLDEST_USABLE = 0x010200;
const FIRST_HEX = 0x010100;
/** Which engine is asked for: the server's where it can serve, that one or none, or the one in this process. */
export type VectorEngine = 'auto' | 'valkey' | 'in-process';

export const IN_PROCESS = 'vectors are searched in this process';

/**
 * Asks the server for valkey-search. Older than 1.2 it is not used: it answers filters differently, lacks what keeps an
 * answer whole, and 1.0.1 crashes. Nor is it in a cluster, where it sees one node's keys. Rejects when the server does not answer.
 */
export const detectSearchModule = async (redis: Redis, { cluster = false } = {}): Promise<SearchModule> => {
  const listed = (await listing(redis, 'MODULE', 'LIST')) ?? (await listing(redis, 'HELLO'));
  if (listed === undefined) return probe(redis);
  const number = numberOf(listed);
  if (number === undefined) return { usable: false, version: undefined, reason: `The server has no search module; ${IN_PROCESS}` };
  const version = moduleVersion(number);
  if (number < OLDEST_USABLE)
    return { usable: false, version, reason: `valkey-search ${version} is older than 1.2 and is not used; ${IN_PROCESS}` };
  if (cluster)
    return { usable: false, version, reason: `valkey-search ${version} is not used on a cluster, where it sees one node; ${IN_PROCESS}` };
  return { usable: true, version, reason: `valkey-search ${version} searches the vectors` };
};

/** 1.0.x counts in decimal (1.0.0 to 1.0.2 all say 10000), 1.1 and later as 0x00MMmmpp. */
export const moduleVersion = (number: number): string => {
  if (number >= FIRST_HEX) return [number >> 16, (number >> 8) & 0xff, number & 0xff].join('.');
  if (number === 10_000) return '1.0.0 to 1.0.2';
  return [Math.floor(number / 10_000), Math.floor(number / 100) % 100, number % 100].join('.');
};

const listing = async (redis: Redis, command: string, ...args: string[]): Promise<unknown[] | undefined> => {
  try {
    const reply = await redis.call(command, ...args);
    return Array.isArray(reply) ? reply : undefined;
  } catch (error) {
    if (refusalOf(error) === undefined) throw error;
    return undefined;
  }
};

/** The `ver` of the entry named `search`, wherever the list of modules is in the reply. */
const numberOf = (reply: readonly unknown[]): number | undefined => {
  const modules = reply.indexOf('modules');
  const entries = modules < 0 ? reply : (reply[modules + 1] as unknown[]);
  for (const entry of entries) {
    if (!Array.isArray(entry) || entry[entry.indexOf('name') + 1] !== 'search') continue;
    const version = Number(entry[entry.indexOf('ver') + 1]);
    return Number.isInteger(version) ? version : 0;
  }
  return undefined;
};

/** For a user who may not list modules. */
const probe = async (redis: Redis): Promise<SearchModule> => {
  const there = (await listing(redis, 'FT._LIST')) !== undefined;
  const reason = there
    ? `The server has a search module but does not tell its version, so it is not used; ${IN_PROCESS}`
    : `The server has no search module that this user may use; ${IN_PROCESS}`;
  return { usable: false, version: undefined, reason };
};
