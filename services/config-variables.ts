import { z } from 'zod';
import { SCHEDULE } from './backup/settings.js';
import { LOG_LEVELS } from './log-levels.js';
import { addressOf } from './valkey/address.js';

const number = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d+(\.\d+)?$/, 'must be a number')
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));
const whole = (min: number, max: number) => number(min, max).pipe(z.number().int('must be a whole number'));
const oneOf = <const T extends readonly [string, ...string[]]>(values: T) => z.enum(values, `must be one of ${values.join(', ')}`);
const list = z
  .string()
  .transform((text) => text.split(',').flatMap((part) => part.trim() || []))
  .default([]);
const TENANT = /^[a-z0-9][a-z0-9_-]{0,31}$/;
/** Two entries may name one tenant, which is how a token is replaced without an outage. */
const tenantTokens = list
  .refine(
    (entries) => entries.every((entry) => TENANT.test(entry.split(':')[0] ?? '') && /^[^:]+:\S{8,}$/.test(entry)),
    'must be tenant:token, comma-separated; a token has at least 8 characters and no blank or comma',
  )
  .transform((entries) =>
    entries.map((entry) => ({ tenant: entry.slice(0, entry.indexOf(':')), token: entry.slice(entry.indexOf(':') + 1) })),
  );
const webUrl = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' });
const path = z.string().refine((text) => !text.includes('\0'), 'must not hold a null byte');

const isAddress = (url: string): boolean => {
  try {
    return addressOf(url) !== undefined;
  } catch {
    return false;
  }
};

/**
 * Every variable that is read, with its default and, in `describe`, its meaning and unit: the text of .env.example.
 * A test holds the two together.
 */
export const VARIABLES = {
  MCP_HOST: z.string().default('127.0.0.1').describe('Address to listen on. Anything but loopback needs MCP_AUTH_TOKEN.'),
  MCP_PORT: whole(0, 65_535).default(8765).describe('Port of the MCP server, /metrics, /healthz and /readyz. 0 picks a free one.'),
  MCP_AUTH_TOKEN: z
    .string()
    .min(8, 'must have at least 8 characters')
    .optional()
    .describe('Bearer token that every MCP request must carry.'),
  MCP_TENANT_TOKENS: tenantTokens.describe(
    'Bearer tokens of other tenants, as tenant:token, comma-separated: whoever sends one is served the memory of that tenant.',
  ),
  MCP_ALLOWED_HOSTS: list.describe('Host headers to accept beside loopback, comma-separated.'),
  MCP_ALLOWED_ORIGINS: list.describe('Browser origins to accept beside loopback (scheme://host:port), comma-separated.'),
  MCP_PUBLIC_URL: webUrl.optional().describe('Address under which a proxy publishes this server; its host and origin are accepted.'),
  MCP_MAX_RESPONSE_TOKENS: whole(1_000, 1_000_000)
    .default(20_000)
    .describe('Hard ceiling of one answer, in tokens of about 3.5 characters.'),
  OMNIMEM_TOOLSET: oneOf(['essential', 'full']).default('full').describe('Which tools are listed: essential or full.'),
  MCP_OUTPUT_SCHEMAS: oneOf(['true', 'false'])
    .default('true')
    .transform((value) => value === 'true')
    .describe('Whether tools are listed with output schemas; some hosts have a small budget for tool definitions.'),
  OMNIMEM_DATA_DIR: path.default('./data').describe('Where the log, the model and the indexes live.'),
  OMNIMEM_MIN_FREE_MB: number(0, 1_000_000).default(64).describe('Free disk space in megabytes below which nothing new is stored.'),
  OMNIMEM_TENANT: z
    .string()
    .regex(TENANT, 'must be 1 to 32 of a-z, 0-9, _ and -, beginning with a letter or digit')
    .default('local')
    .describe('Prefix of every key in Valkey: several memories may share one server.'),
  OMNIMEM_VECTOR_ENGINE: oneOf(['auto', 'valkey', 'in-process'])
    .default('auto')
    .describe(
      'Where vectors are searched: auto (by valkey-search where the server has 1.2 or newer), valkey (there or not at all) or in-process.',
    ),
  OMNIMEM_USER: z.string().default('local').describe('Name of the person, part of the keys of generated skills.'),
  VALKEY_URL: z
    .string()
    .refine(isAddress, 'must be redis://, rediss://, valkey://, valkeys:// or unix:///path')
    .optional()
    .describe(
      'A Valkey server to use, or any node of a cluster (redis://, rediss://, valkey://, valkeys://, unix:///path). Unset: one is run for you.',
    ),
  VALKEY_HOST: z
    .string()
    .regex(/^([^\s/:@[\]]+|\[?[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*\]?)$/i, 'must be a host name or address alone; the port goes to VALKEY_PORT')
    .optional()
    .describe('The same as three parts: host name.'),
  VALKEY_PORT: whole(1, 65_535).default(6379).describe('Port that goes with VALKEY_HOST.'),
  VALKEY_PASSWORD: z.string().optional().describe('Password that goes with VALKEY_HOST, or with a VALKEY_URL that has none.'),
  EMBEDDING: oneOf(['auto', 'minilm', 'use-lite', 'none'])
    .default('auto')
    .describe('auto (MiniLM, else the offline encoder until it can be fetched), minilm, use-lite or none (words only).'),
  OMNIMEM_MODEL_DIR: path
    .optional()
    .describe('A local folder that holds the model, for machines without the hub. Unset: fetched into the data folder.'),
  HF_ENDPOINT: webUrl.optional().describe('A mirror of the model hub. Unset: the hub itself.'),
  INGEST_MODE: oneOf(['full', 'raw']).default('full').describe('full: a memory is also queued for enrichment; raw: kept as it is.'),
  ANTHROPIC_API_KEY: z
    .string()
    .optional()
    .transform((key) => (key === 'your_key_here' ? undefined : key))
    .describe('Key for the Messages API. Unset (or your_key_here): no language model; memories are kept as they are.'),
  ANTHROPIC_BASE_URL: webUrl.optional().describe('Another address that speaks the Messages API. Unset: the service itself.'),
  FACT_EXTRACTION_MODEL: z.string().default('claude-haiku-4-5-20251001').describe('Model that draws facts from memories.'),
  QUERY_EXPANSION_MODEL: z.string().default('claude-haiku-4-5-20251001').describe('Model that rephrases queries.'),
  CONTRADICTION_MODEL: z.string().default('claude-haiku-4-5-20251001').describe('Model that judges whether two memories contradict.'),
  LLM_TIMEOUT_SECONDS: number(1, 600).default(60).describe('Seconds after which a call to a language model is given up.'),
  LLM_CONCURRENCY: whole(1, 32)
    .default(2)
    .describe('Calls to a language model at once: so many in the background, and as many for callers who wait.'),
  ENRICHMENT_BATCH_MODE: oneOf(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .describe('true: one call for all chunks of a document; false: one for each.'),
  ENRICHMENT_MAX_FACTS: whole(1, 100).default(20).describe('How many facts are drawn from one memory at most.'),
  ENRICHMENT_MAX_ATTEMPTS: whole(1, 100).default(8).describe('Failures after which a memory is parked until somebody asks again.'),
  RECALL_EXPAND_QUERIES: oneOf(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .describe('Whether recall also searches rephrasings of a query when the call does not say.'),
  RECALL_EXPAND_COUNT: whole(1, 10).default(3).describe('How many rephrasings.'),
  RECALL_MIN_SCORE: number(0, 1)
    .optional()
    .describe('Below this score (0 to 1) nothing counts as a match. Unset: the floor measured for the model.'),
  MEMORY_RECALL_TOP_K: whole(1, 50).default(5).describe('How many memories a recall returns when the call does not say.'),
  RECENCY_DECAY_DAYS: number(1, 36_500).default(90).describe('Age in days that sets how fast a score fades.'),
  DEPRIORITISED_WEIGHT: number(0, 1).default(0.2).describe('Multiplier (0 to 1) on the score of a deprioritised memory.'),
  DEDUP_SIMILARITY_THRESHOLD: number(0, 1)
    .optional()
    .describe("Cosine from which two texts count as duplicates. Unset: the model's own (MiniLM 0.92)."),
  CONTRADICTION_SIMILARITY_THRESHOLD: number(0, 1)
    .optional()
    .describe("Cosine from which two texts are examined for contradiction. Unset: the model's own (MiniLM 0.70)."),
  STALE_MEMORY_DAYS: whole(1, 36_500)
    .default(30)
    .describe('Days without a change after which an audit and the briefing call an active episodic memory stale.'),
  AUTO_MAINTENANCE_INTERVAL: whole(0, 10_000)
    .default(10)
    .describe('Briefings of a project from one run of maintenance to the next. 0: it never runs by itself.'),
  MAINTENANCE_MAX_CHANGES: whole(1, 500).default(50).describe('How many memories and pairs one run of maintenance may change.'),
  BACKUP_DIR: path.optional().describe('Where backups go. Unset: the folder backups in the data folder.'),
  BACKUP_SCHEDULE: z
    .string()
    .regex(SCHEDULE, 'must be off, hourly, daily, weekly, or a number with m, h, d or w, such as 6h')
    .default('off')
    .describe('How often a backup is brought up to date: off, hourly, daily, weekly, or 30m, 6h, 2d, 1w.'),
  BACKUP_NEW_SET_DAYS: whole(1, 3_650).default(30).describe('Days after which a backup begins anew, with everything in it.'),
  BACKUP_KEEP: whole(1, 1_000).default(3).describe('How many of these whole backups are kept.'),
  BACKUP_KEEP_DAYS: whole(1, 36_500)
    .optional()
    .describe('Days after which a backup that is not the newest goes. Unset: only their number counts.'),
  BACKUP_EMBEDDINGS: oneOf(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .describe('Whether scheduled backups carry the vectors. Without them a restore makes them again.'),
  BACKUP_PASSPHRASE: z
    .string()
    .min(8, 'must have at least 8 characters')
    .optional()
    .describe('Passphrase that backups are encrypted to (age). Unset, with no key file: they are not encrypted.'),
  BACKUP_KEY_FILE: path
    .optional()
    .describe('A key file of age-keygen that backups are encrypted to; its public half is enough to write them.'),
  LOG_LEVEL: oneOf(LOG_LEVELS).default('info').describe('trace, debug, info, warn, error, fatal or silent.'),
  LOG_FORMAT: oneOf(['auto', 'json', 'text'])
    .default('auto')
    .describe('json, text, or auto: text when a person watches at a terminal. Logs go to stderr.'),
};

const SCHEMA = z.object(VARIABLES);
export type Environment = z.infer<typeof SCHEMA>;

/** The text of .env.example. */
export const envExample = (): string => {
  const blocks = Object.entries(VARIABLES).map(([name, schema]) => {
    const fallback = schema.safeParse(undefined).data;
    const value = fallback === undefined || Array.isArray(fallback) ? '' : String(fallback);
    return `# ${schema.description ?? ''}\n#${name}=${value}\n`;
  });
  return `${['# Copy to .env and change what you need. Every line shows the default; an empty value counts as unset.\n', ...blocks].join('\n')}`;
};
