import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One memory server as a client meets it: how it is started, and which of its tools do what. */
export type MemoryServer = {
  readonly name: string;
  /** Arguments of node, and what the environment adds, for a store in this folder. */
  readonly start: (folder: string) => { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };
  /** Memories that one call may write while a store is filled. */
  readonly together: number;
  readonly write: (memories: readonly PeerMemory[]) => { readonly tool: string; readonly arguments: Record<string, unknown> };
  readonly search: (query: string) => { readonly tool: string; readonly arguments: Record<string, unknown> };
};

export type PeerMemory = { readonly name: string; readonly text: string };

/** Best answers that a question looks at. */
export const SHOWN = 5;

const CLI = fileURLToPath(new URL('../../../services/cli/main.js', import.meta.url));
const asEntities = (memories: readonly PeerMemory[]) => ({
  tool: 'create_entities',
  arguments: { entities: memories.map(({ name, text }) => ({ name, entityType: 'memory', observations: [text] })) },
});

export const omnimem = (modelEnv: Readonly<Record<string, string>>): MemoryServer => ({
  name: 'omnimem',
  start: (folder) => ({
    args: [CLI, 'mcp', '--stdio', '--data-dir', join(folder, 'data')],
    env: { MCP_PORT: '0', OMNIMEM_MIN_FREE_MB: '0', INGEST_MODE: 'raw', ...modelEnv },
  }),
  together: 1,
  write: ([memory]) => ({ tool: 'remember', arguments: { content: memory?.text ?? '' } }),
  search: (query) => ({ tool: 'recall', arguments: { query, top_k: SHOWN } }),
});

export const PEERS = {
  'server-memory': '@modelcontextprotocol/server-memory@2026.8.31',
  'memory-libsql': 'mcp-memory-libsql@0.0.17',
} as const;

/** The reference server: a knowledge graph in one file of JSON lines. */
export const serverMemory = (packages: string): MemoryServer => ({
  name: 'server-memory',
  start: (folder) => ({
    args: [join(packages, 'node_modules/.bin/mcp-server-memory')],
    env: { MEMORY_FILE_PATH: join(made(folder), 'memory.jsonl') },
  }),
  together: 500,
  write: asEntities,
  search: (query) => ({ tool: 'search_nodes', arguments: { query } }),
});

/** A server over SQLite with text search. */
export const memoryLibsql = (packages: string): MemoryServer => ({
  name: 'memory-libsql',
  start: (folder) => ({
    args: [join(packages, 'node_modules/.bin/mcp-memory-libsql')],
    env: { LIBSQL_URL: `file:${join(made(folder), 'memory.db')}` },
  }),
  together: 50,
  write: asEntities,
  search: (query) => ({ tool: 'search_nodes', arguments: { query, limit: SHOWN } }),
});

const made = (folder: string): string => {
  mkdirSync(folder, { recursive: true });
  return folder;
};
