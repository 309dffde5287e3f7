import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig, projectRoot } from '../../services/config.js';
import { editDistance } from '../../services/config-names.js';
import { envExample, VARIABLES } from '../../services/config-variables.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync('/tmp/omc-');
});
afterEach(() => rmSync(root, { recursive: true }));

const load = (env: NodeJS.ProcessEnv = {}): ReturnType<typeof loadConfig> => loadConfig(env, root);
const config = (env: NodeJS.ProcessEnv = {}): ReturnType<typeof loadConfig>['config'] => load(env).config;

describe('an empty environment', () => {
  it('gives the defaults of the specification', () => {
    expect(load()).toEqual({
      config: {
        mcp: {
          host: '127.0.0.1',
          port: 8765,
          authToken: undefined,
          tenantTokens: [],
          allowedHosts: [],
          allowedOrigins: [],
          publicUrl: undefined,
          maxResponseTokens: 20_000,
          toolset: 'full',
          outputSchemas: true,
        },
        dataDir: join(root, 'data'),
        minFreeBytes: 64 * 2 ** 20,
        tenant: 'local',
        vectorEngine: 'auto',
        user: 'local',
        valkey: undefined,
        embedding: { choice: 'auto', modelDir: undefined, hub: undefined },
        ingestMode: 'full',
        llm: {
          apiKey: undefined,
          baseURL: undefined,
          names: {
            extraction: 'claude-haiku-4-5-20251001',
            expansion: 'claude-haiku-4-5-20251001',
            contradiction: 'claude-haiku-4-5-20251001',
          },
          timeoutMs: 60_000,
          concurrency: 2,
        },
        enrichment: { batch: false, maxFacts: 20, maxAttempts: 8 },
        recall: { expand: false, expandCount: 3, minScore: undefined, topK: 5, recencyDecayDays: 90, deprioritisedWeight: 0.2 },
        duplicateThreshold: undefined,
        contradictionThreshold: undefined,
        staleMemoryDays: 30,
        maintenance: { interval: 10, maxChanges: 50 },
        backup: {
          dir: join(root, 'data', 'backups'),
          everyMs: undefined,
          newSetDays: 30,
          keep: 3,
          keepDays: undefined,
          withEmbeddings: false,
          passphrase: undefined,
          keyFile: undefined,
        },
        log: { level: 'info', format: 'auto' },
      },
      warnings: [],
      secrets: [],
    });
  });
  it('is frozen all the way down', () => {
    const { mcp } = config();
    expect(Object.isFrozen(mcp) && Object.isFrozen(mcp.allowedHosts)).toBe(true);
  });
});

describe('a variable', () => {
  it('that is empty or blank counts as unset', () => expect(config({ MCP_PORT: '', OMNIMEM_TENANT: '  ' })).toEqual(config()));
  it('of several parts is split at commas', () =>
    expect(config({ MCP_ALLOWED_HOSTS: 'a.example, b.example:1,' }).mcp.allowedHosts).toEqual(['a.example', 'b.example:1']));
  it('that is a relative path is taken from the working directory', () =>
    expect(config({ OMNIMEM_DATA_DIR: 'größe x' }).dataDir).toBe(join(process.cwd(), 'größe x')));
  it.each([
    [{ MCP_PORT: '70000' }, /MCP_PORT: must be at most 65535/],
    [{ MCP_PORT: '8765x' }, /MCP_PORT: must be a number/],
    [{ MCP_PORT: '1.5' }, /MCP_PORT: must be a whole number/],
    [{ OMNIMEM_TOOLSET: 'all' }, /OMNIMEM_TOOLSET: must be one of essential, full/],
    [{ EMBEDDING: 'gpt' }, /EMBEDDING: must be one of auto, minilm, use-lite, none/],
    [{ OMNIMEM_VECTOR_ENGINE: 'redis' }, /OMNIMEM_VECTOR_ENGINE: must be one of auto, valkey, in-process/],
    [{ OMNIMEM_TENANT: 'a:b' }, /OMNIMEM_TENANT: must be 1 to 32/],
    [{ MCP_PUBLIC_URL: 'ftp://x' }, /MCP_PUBLIC_URL: must be an http/],
    [{ VALKEY_URL: 'localhost' }, /VALKEY_URL: must be redis/],
    [{ VALKEY_HOST: 'db:6379' }, /VALKEY_HOST: must be a host name/],
    [{ MCP_AUTH_TOKEN: 'short' }, /MCP_AUTH_TOKEN: must have/],
    [{ MCP_TENANT_TOKENS: 'a:long-enough,b' }, /MCP_TENANT_TOKENS: must be tenant:token/],
    [{ MCP_TENANT_TOKENS: 'a:short' }, /MCP_TENANT_TOKENS: must be tenant:token/],
    [{ MCP_TENANT_TOKENS: 'A b:long-enough' }, /MCP_TENANT_TOKENS: must be tenant:token/],
    [{ RECALL_MIN_SCORE: '2' }, /RECALL_MIN_SCORE: must be at most 1/],
  ])('with a bad value is named: %j', (env, message) => expect(() => load(env)).toThrowError(message));
  it('with a bad value does not hide another', () =>
    expect(() => load({ MCP_PORT: 'x', EMBEDDING: 'y' })).toThrowError(/MCP_PORT.*EMBEDDING/));
  it('that is secret does not show in the message about it', () => {
    expect(() => load({ MCP_AUTH_TOKEN: 'hush' })).not.toThrowError(/hush/);
    expect(() => load({ VALKEY_URL: 'http://u:hush-hush@h' })).not.toThrowError(/hush/);
    expect(() => load({ MCP_TENANT_TOKENS: 'A:hush-hush-hush' })).not.toThrowError(/hush/);
  });
});

describe('the Valkey server', () => {
  it('is the one of VALKEY_URL', () => expect(config({ VALKEY_URL: 'unix:///run/v.sock' }).valkey).toBe('unix:///run/v.sock'));
  it('may be named by parts', () =>
    expect(config({ VALKEY_HOST: 'v', VALKEY_PORT: '7', VALKEY_PASSWORD: 'p/w@1' }).valkey).toBe('redis://:p%2Fw%401@v:7'));
  it('takes the password from VALKEY_PASSWORD when its URL has none', () =>
    expect(config({ VALKEY_URL: 'redis://v/2', VALKEY_PASSWORD: 'pw' }).valkey).toBe('redis://:pw@v/2'));
  it('keeps the password of its URL', () =>
    expect(config({ VALKEY_URL: 'redis://u:mine@v', VALKEY_PASSWORD: 'other' }).valkey).toBe('redis://u:mine@v'));
  it('may be an IPv6 address', () => expect(config({ VALKEY_HOST: '::1' }).valkey).toBe('redis://[::1]:6379'));
  it('is not VALKEY_PORT alone', () => expect(config({ VALKEY_PORT: '7' }).valkey).toBeUndefined());
});

describe('tokens of tenants', () => {
  it('are read, are secrets, and may hold a colon', () =>
    expect(load({ MCP_TENANT_TOKENS: 'red:red-token, blue:blue:token' })).toMatchObject({
      config: {
        mcp: {
          tenantTokens: [
            { tenant: 'red', token: 'red-token' },
            { tenant: 'blue', token: 'blue:token' },
          ],
        },
      },
      secrets: ['red-token', 'blue:token'],
    }));
});

describe('secrets', () => {
  it('are listed, as written and as meant', () =>
    expect(load({ MCP_AUTH_TOKEN: 'token-token', VALKEY_URL: 'redis://u:p%40ss@v' }).secrets).toEqual(['token-token', 'p%40ss', 'p@ss']));
});

describe('the key of the language model', () => {
  it('is a secret, and the placeholder of a copied example is none', () => {
    expect(load({ ANTHROPIC_API_KEY: 'sk-real-key' })).toMatchObject({
      config: { llm: { apiKey: 'sk-real-key' } },
      secrets: ['sk-real-key'],
    });
    expect(load({ ANTHROPIC_API_KEY: 'your_key_here' })).toMatchObject({ config: { llm: { apiKey: undefined } }, secrets: [] });
  });
});

describe('names that nobody reads', () => {
  it.each([
    ['OMNIMEM_DATADIR', 'OMNIMEM_DATA_DIR'],
    ['OMNIMEM_TENNANT', 'OMNIMEM_TENANT'],
    ['MCP_AUTH_TOKN', 'MCP_AUTH_TOKEN'],
  ])('%s is taken for a misspelling of %s', (name, meant) =>
    expect(load({ [name]: 'x' }).warnings).toEqual([expect.stringContaining(meant)]),
  );
  it('of ours are warned about, of others not', () =>
    expect(load({ OMNIMEM_WHATEVER_ELSE: 'x', MCP_SOMETHING: 'x', PATH: '/bin', LOGNAME: 'me' }).warnings).toEqual([
      expect.stringContaining('OMNIMEM_WHATEVER_ELSE'),
    ]));
  it('are compared by edits', () =>
    expect([editDistance('', 'abc'), editDistance('abc', 'abc'), editDistance('kitten', 'sitting')]).toEqual([3, 0, 3]));
});

describe('.env', () => {
  const write = (text: string): void => writeFileSync(join(root, '.env'), text);
  it('is read, and the environment wins over it', () => {
    write('# comment\nMCP_PORT=1\nOMNIMEM_TENANT="a-b"\nOMNIMEM_DATA_DIR=there\nOMNIMEM_TYPO_X=1\n');
    const { config: read, warnings } = load({ MCP_PORT: '2' });
    expect(read).toMatchObject({ mcp: { port: 2 }, tenant: 'a-b', dataDir: join(root, 'there') });
    expect(warnings).toEqual([expect.stringContaining('OMNIMEM_TYPO_X')]);
  });
  it('does not hide a value behind an empty one of the environment', () => {
    write('MCP_PORT=1');
    expect(config({ MCP_PORT: '' }).mcp.port).toBe(1);
  });
});

describe('.env.example', () => {
  it('lists every variable with its default and meaning', () => {
    expect(readFileSync(join(projectRoot(), '.env.example'), 'utf8')).toBe(envExample());
    for (const [name, schema] of Object.entries(VARIABLES)) expect(schema.description, name).toMatch(/\.$/);
  });
  it('changes nothing when it is copied and all of it is switched on', () => {
    const before = config();
    writeFileSync(join(root, '.env'), envExample().replace(/^#(?=[A-Z_]+=)/gm, ''));
    expect(config()).toEqual(before);
  });
});
