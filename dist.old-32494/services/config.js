import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { DomainError } from '../domain/errors.js';
import { misspellings } from './config-names.js';
import { VARIABLES } from './config-variables.js';
import { addressOf } from './valkey/client.js';
/** The folder that holds package.json, from the sources as from `dist`. */
export const projectRoot = () => {
    for (let dir = dirname(fileURLToPath(import.meta.url));; dir = dirname(dir)) {
        if (existsSync(join(dir, 'package.json')) || dir === dirname(dir))
            return dir;
    }
};
/**
 * Reads the environment and `<root>/.env` (the environment wins), once at start. An empty value counts as unset. A relative
 * path is taken from the working directory, or from `root` when it is a default or stands in `.env`. Throws VALIDATION that
 * names each variable with a bad value.
 */
export const loadConfig = (env = process.env, root = projectRoot()) => {
    const outer = withoutEmpty(env);
    const file = withoutEmpty(readEnvFile(join(root, '.env')));
    const parsed = z.object(VARIABLES).safeParse({ ...file, ...outer });
    if (!parsed.success) {
        const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
        throw new DomainError('VALIDATION', `Bad configuration. ${faults.join('; ')}`, 'Correct it in the environment or in .env; .env.example explains each variable.');
    }
    const values = parsed.data;
    const baseOf = (name) => (name in outer ? process.cwd() : root);
    return {
        config: deepFreeze(configOf(values, baseOf)),
        warnings: misspellings(Object.keys({ ...file, ...outer }), Object.keys(VARIABLES)),
        secrets: secretsOf(values),
    };
};
const configOf = (values, baseOf) => ({
    mcp: {
        host: values.MCP_HOST,
        port: values.MCP_PORT,
        authToken: values.MCP_AUTH_TOKEN,
        allowedHosts: values.MCP_ALLOWED_HOSTS,
        allowedOrigins: values.MCP_ALLOWED_ORIGINS,
        publicUrl: values.MCP_PUBLIC_URL,
        maxResponseTokens: values.MCP_MAX_RESPONSE_TOKENS,
        toolset: values.OMNIMEM_TOOLSET,
    },
    dataDir: resolve(baseOf('OMNIMEM_DATA_DIR'), values.OMNIMEM_DATA_DIR),
    minFreeBytes: values.OMNIMEM_MIN_FREE_MB * 2 ** 20,
    tenant: values.OMNIMEM_TENANT,
    user: values.OMNIMEM_USER,
    valkey: valkeyOf(values),
    embedding: {
        choice: values.EMBEDDING,
        modelDir: values.OMNIMEM_MODEL_DIR === undefined ? undefined : resolve(baseOf('OMNIMEM_MODEL_DIR'), values.OMNIMEM_MODEL_DIR),
        hub: values.HF_ENDPOINT.replace(/\/+$/, ''),
    },
    ingestMode: values.INGEST_MODE,
    recall: {
        minScore: values.RECALL_MIN_SCORE,
        topK: values.MEMORY_RECALL_TOP_K,
        recencyDecayDays: values.RECENCY_DECAY_DAYS,
        deprioritisedWeight: values.DEPRIORITISED_WEIGHT,
    },
    duplicateThreshold: values.DEDUP_SIMILARITY_THRESHOLD,
    contradictionThreshold: values.CONTRADICTION_SIMILARITY_THRESHOLD,
    staleMemoryDays: values.STALE_MEMORY_DAYS,
    log: { level: values.LOG_LEVEL, format: values.LOG_FORMAT },
});
/** VALKEY_URL, else VALKEY_HOST with its port and password; VALKEY_PASSWORD also fills a URL that has none. */
const valkeyOf = ({ VALKEY_URL, VALKEY_HOST, VALKEY_PORT, VALKEY_PASSWORD }) => {
    const address = VALKEY_URL ?? (VALKEY_HOST === undefined ? undefined : `redis://${bracketed(VALKEY_HOST)}:${VALKEY_PORT}`);
    if (address === undefined)
        return undefined;
    const { path, password } = addressOf(address);
    if (path !== undefined || password || VALKEY_PASSWORD === undefined)
        return address;
    const url = new URL(address);
    url.password = encodeURIComponent(VALKEY_PASSWORD);
    return url.href;
};
const bracketed = (host) => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host);
const secretsOf = ({ MCP_AUTH_TOKEN, VALKEY_PASSWORD, VALKEY_URL }) => {
    const inUrl = VALKEY_URL === undefined ? undefined : /\/\/[^:@/]*:([^@/]*)@/.exec(VALKEY_URL)?.[1];
    return [MCP_AUTH_TOKEN, VALKEY_PASSWORD, inUrl, inUrl && decodeURIComponent(inUrl)].flatMap((secret) => secret || []);
};
const withoutEmpty = (env) => Object.fromEntries(Object.entries(env).filter((entry) => entry[1] !== undefined && entry[1].trim() !== ''));
const readEnvFile = (path) => {
    if (!existsSync(path))
        return {};
    try {
        return parseEnv(readFileSync(path, 'utf8'));
    }
    catch (error) {
        throw new DomainError('VALIDATION', `${path} cannot be read: ${error.message}`, 'It holds NAME=value lines; see .env.example.');
    }
};
const deepFreeze = (value) => {
    for (const inner of Object.values(value))
        if (typeof inner === 'object' && inner !== null)
            deepFreeze(inner);
    return Object.freeze(value);
};
/** What the roads to the model look at: the settings, and this process's own environment for the programs they run. */
export const modelEnvironment = ({ embedding: { hub, modelDir } }) => ({
    ...process.env,
    HF_ENDPOINT: hub,
    ...(modelDir !== undefined && { OMNIMEM_MODEL_DIR: modelDir }),
});
//# sourceMappingURL=config.js.map