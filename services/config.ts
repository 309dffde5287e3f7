import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { DomainError } from '../domain/errors.js';
import type { VectorEngine } from '../projections/search/valkey/module.js';
import { type BackupSettings, intervalOf } from './backup/settings.js';
import { misspellings } from './config-names.js';
import { type Environment, VARIABLES } from './config-variables.js';
import type { LlmSettings } from './llm/open.js';
import { addressOf, type ValkeyTarget } from './valkey/address.js';

export type Config = {
  readonly mcp: {
    readonly host: string;
    readonly port: number;
    readonly authToken: string | undefined;
    /** Tokens that open the memories of other tenants. */
    readonly tenantTokens: readonly { readonly tenant: string; readonly token: string }[];
    /** Beside loopback, the bind host and the host of `publicUrl`. */
    readonly allowedHosts: readonly string[];
    readonly allowedOrigins: readonly string[];
    readonly publicUrl: string | undefined;
    readonly maxResponseTokens: number;
    readonly toolset: 'essential' | 'full';
    readonly outputSchemas: boolean;
  };
  /** Absolute. */
  readonly dataDir: string;
  readonly minFreeBytes: number;
  readonly tenant: string;
  /** `valkey`: a server without the search module is refused; `in-process`: the module is left alone. */
  readonly vectorEngine: VectorEngine;
  readonly user: string;
  /** Undefined: this process runs a server of its own under `dataDir`. */
  readonly valkey: ValkeyTarget | undefined;
  readonly embedding: {
    readonly choice: 'auto' | 'minilm' | 'use-lite' | 'none';
    /** Absolute; undefined: a folder under `dataDir`. */
    readonly modelDir: string | undefined;
    /** Undefined: the hub itself. */
    readonly hub: string | undefined;
  };
  readonly ingestMode: 'full' | 'raw';
  readonly llm: LlmSettings;
  readonly enrichment: { readonly batch: boolean; readonly maxFacts: number; readonly maxAttempts: number };
  readonly recall: {
    /** Whether queries are rephrased when a call does not say. */
    readonly expand: boolean;
    readonly expandCount: number;
    /** Undefined: the floor measured for the model that serves. */
    readonly minScore: number | undefined;
    readonly topK: number;
    readonly recencyDecayDays: number;
    readonly deprioritisedWeight: number;
  };
  /** Undefined: what the model that serves carries. */
  readonly duplicateThreshold: number | undefined;
  readonly contradictionThreshold: number | undefined;
  readonly staleMemoryDays: number;
  readonly maintenance: {
    /** Briefings of a project from one run to the next; 0: never by itself. */
    readonly interval: number;
    readonly maxChanges: number;
  };
  readonly backup: BackupSettings;
  readonly log: { readonly level: Environment['LOG_LEVEL']; readonly format: Environment['LOG_FORMAT'] };
};

export type LoadedConfig = {
  readonly config: Config;
  /** For people: unknown names and the like. No secret in them. */
  readonly warnings: readonly string[];
  /** What no log line may hold. */
  readonly secrets: readonly string[];
};

/** The folder that holds package.json, from the sources as from `dist`. */
export const projectRoot = (): string => {
  for (let dir = dirname(fileURLToPath(import.meta.url)); ; dir = dirname(dir)) {
    if (existsSync(join(dir, 'package.json')) || dir === dirname(dir)) return dir;
  }
};

/**
 * Reads the environment and `<root>/.env` (the environment wins), once at start. An empty value counts as unset. A relative
 * path is taken from the working directory, or from `root` when it is a default or stands in `.env`. Throws VALIDATION that
 * names each variable with a bad value.
 */
export const loadConfig = (env: NodeJS.ProcessEnv = process.env, root: string = projectRoot()): LoadedConfig => {
  const outer = withoutEmpty(env);
  const inFile = readEnvFile(join(root, '.env'));
  const file = withoutEmpty(inFile);
  // Whoever sets a passphrase of blanks means to encrypt, and would not be.
  const blank = isBlank(env.BACKUP_PASSPHRASE) || isBlank(inFile.BACKUP_PASSPHRASE) ? { BACKUP_PASSPHRASE: '' } : {};
  const parsed = z.object(VARIABLES).safeParse({ ...file, ...blank, ...outer });
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new DomainError(
      'VALIDATION',
      `Bad configuration. ${faults.join('; ')}`,
      'Correct it in the environment or in .env; .env.example explains each variable.',
    );
  }
  const values = parsed.data;
  const baseOf = (name: string): string => (name in outer ? process.cwd() : root);
  return {
    config: deepFreeze(configOf(values, baseOf)),
    warnings: misspellings(Object.keys({ ...file, ...outer }), Object.keys(VARIABLES)),
    secrets: secretsOf(values),
  };
};

const configOf = (values: Environment, baseOf: (name: string) => string): Config => ({
  mcp: {
    host: values.MCP_HOST,
    port: values.MCP_PORT,
    authToken: values.MCP_AUTH_TOKEN,
    tenantTokens: values.MCP_TENANT_TOKENS,
    allowedHosts: values.MCP_ALLOWED_HOSTS,
    allowedOrigins: values.MCP_ALLOWED_ORIGINS,
    publicUrl: values.MCP_PUBLIC_URL,
    maxResponseTokens: values.MCP_MAX_RESPONSE_TOKENS,
    toolset: values.OMNIMEM_TOOLSET,
    outputSchemas: values.MCP_OUTPUT_SCHEMAS,
  },
  dataDir: resolve(baseOf('OMNIMEM_DATA_DIR'), values.OMNIMEM_DATA_DIR),
  minFreeBytes: values.OMNIMEM_MIN_FREE_MB * 2 ** 20,
  tenant: values.OMNIMEM_TENANT,
  vectorEngine: values.OMNIMEM_VECTOR_ENGINE,
  user: values.OMNIMEM_USER,
  valkey: valkeyOf(values),
  embedding: {
    choice: values.EMBEDDING,
    modelDir: values.OMNIMEM_MODEL_DIR === undefined ? undefined : resolve(baseOf('OMNIMEM_MODEL_DIR'), values.OMNIMEM_MODEL_DIR),
    hub: values.HF_ENDPOINT?.replace(/\/+$/, ''),
  },
  ingestMode: values.INGEST_MODE,
  llm: {
    apiKey: values.ANTHROPIC_API_KEY,
    baseURL: values.ANTHROPIC_BASE_URL?.replace(/\/+$/, ''),
    names: {
      extraction: values.FACT_EXTRACTION_MODEL,
      expansion: values.QUERY_EXPANSION_MODEL,
      contradiction: values.CONTRADICTION_MODEL,
    },
    timeoutMs: values.LLM_TIMEOUT_SECONDS * 1_000,
    concurrency: values.LLM_CONCURRENCY,
  },
  enrichment: {
    batch: values.ENRICHMENT_BATCH_MODE,
    maxFacts: values.ENRICHMENT_MAX_FACTS,
    maxAttempts: values.ENRICHMENT_MAX_ATTEMPTS,
  },
  recall: {
    expand: values.RECALL_EXPAND_QUERIES,
    expandCount: values.RECALL_EXPAND_COUNT,
    minScore: values.RECALL_MIN_SCORE,
    topK: values.MEMORY_RECALL_TOP_K,
    recencyDecayDays: values.RECENCY_DECAY_DAYS,
    deprioritisedWeight: values.DEPRIORITISED_WEIGHT,
  },
  duplicateThreshold: values.DEDUP_SIMILARITY_THRESHOLD,
  contradictionThreshold: values.CONTRADICTION_SIMILARITY_THRESHOLD,
  staleMemoryDays: values.STALE_MEMORY_DAYS,
  maintenance: { interval: values.AUTO_MAINTENANCE_INTERVAL, maxChanges: values.MAINTENANCE_MAX_CHANGES },
  backup: {
    dir:
      values.BACKUP_DIR === undefined
        ? join(resolve(baseOf('OMNIMEM_DATA_DIR'), values.OMNIMEM_DATA_DIR), 'backups')
        : resolve(baseOf('BACKUP_DIR'), values.BACKUP_DIR),
    everyMs: intervalOf(values.BACKUP_SCHEDULE),
    newSetDays: values.BACKUP_NEW_SET_DAYS,
    keep: values.BACKUP_KEEP,
    keepDays: values.BACKUP_KEEP_DAYS,
    withEmbeddings: values.BACKUP_EMBEDDINGS,
    passphrase: values.BACKUP_PASSPHRASE,
    keyFile: values.BACKUP_KEY_FILE === undefined ? undefined : resolve(baseOf('BACKUP_KEY_FILE'), values.BACKUP_KEY_FILE),
  },
  log: { level: values.LOG_LEVEL, format: values.LOG_FORMAT },
});

/** VALKEY_URL, else VALKEY_HOST with its port and password; VALKEY_PASSWORD also fills a URL that has none. */
const valkeyOf = ({ VALKEY_URL, VALKEY_HOST, VALKEY_PORT, VALKEY_PASSWORD }: Environment): string | undefined => {
  const address = VALKEY_URL ?? (VALKEY_HOST === undefined ? undefined : `redis://${bracketed(VALKEY_HOST)}:${VALKEY_PORT}`);
  if (address === undefined) return undefined;
  const { path, password } = addressOf(address);
  if (path !== undefined || password || VALKEY_PASSWORD === undefined) return address;
  const url = new URL(address);
  url.password = encodeURIComponent(VALKEY_PASSWORD);
  return url.href;
};

const bracketed = (host: string): string => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host);

const secretsOf = ({
  MCP_AUTH_TOKEN,
  MCP_TENANT_TOKENS,
  VALKEY_PASSWORD,
  VALKEY_URL,
  BACKUP_PASSPHRASE,
  ANTHROPIC_API_KEY,
}: Environment): string[] => {
  const inUrl = VALKEY_URL === undefined ? undefined : /\/\/[^:@/]*:([^@/]*)@/.exec(VALKEY_URL)?.[1];
  const named = [MCP_AUTH_TOKEN, ...MCP_TENANT_TOKENS.map(({ token }) => token), VALKEY_PASSWORD, BACKUP_PASSPHRASE, ANTHROPIC_API_KEY];
  return [...named, inUrl, inUrl && decodeURIComponent(inUrl)].flatMap((secret) => secret || []);
};

const isBlank = (value: string | undefined): boolean => value !== undefined && value !== '' && value.trim() === '';

const withoutEmpty = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1].trim() !== ''));

const readEnvFile = (path: string): NodeJS.ProcessEnv => {
  if (!existsSync(path)) return {};
  try {
    return parseEnv(readFileSync(path, 'utf8')) as NodeJS.ProcessEnv;
  } catch (error) {
    throw new DomainError(
      'VALIDATION',
      `${path} cannot be read: ${(error as Error).message}`,
      'It holds NAME=value lines; see .env.example.',
    );
  }
};

const deepFreeze = <T extends object>(value: T): T => {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value);
};

/** What the roads to the model look at: the settings, and this process's own environment for the programs they run. */
export const modelEnvironment = ({ embedding: { hub, modelDir } }: Config): NodeJS.ProcessEnv => ({
  ...process.env,
  ...(hub !== undefined && { HF_ENDPOINT: hub }),
  ...(modelDir !== undefined && { OMNIMEM_MODEL_DIR: modelDir }),
});
