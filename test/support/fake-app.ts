import { ulid } from 'ulid';
import { DomainError } from '../../domain/errors.js';
import { memoryKey } from '../../domain/memory/key.js';
import type {
  App,
  Call,
  Commands,
  HealthResult,
  MemoryCommands,
  MemoryDetail,
  MemoryQueries,
  Queries,
  RecallItem,
  StampResult,
} from '../../services/api.js';

/**
 * An app in memory for tests of the transports: it stores, finds by words and forgets, and shows what the edges passed in.
 * It knows none of the product's rules.
 */
export type FakeApp = App & {
  readonly memories: Map<string, MemoryDetail>;
  /** Every command and query with what it was given, in order. */
  readonly seen: { readonly name: string; readonly input: unknown; readonly call: Call | undefined }[];
  readonly counted: { readonly tool: string; readonly outcome: string }[];
  /** Runs inside every command and query, before its work. */
  during: (name: string, call: Call | undefined) => Promise<void>;
  /** Undefined: ready. Else what it waits for. */
  waitsFor: string | undefined;
  readonly becomeReady: () => void;
};

const AT = '2026-11-30T10:00:00.000Z';

export const createFakeApp = (): FakeApp => {
  const memories = new Map<string, MemoryDetail>();
  const topics = new Map<string, string>();
  const results = new Map<string, unknown>();
  const waiting = new Set<() => void>();
  const seen: FakeApp['seen'] = [];

  const run = async <T>(name: string, input: unknown, call: Call | undefined, work: () => T): Promise<T> => {
    seen.push({ name, input, call });
    if (call?.commandId !== undefined && results.has(call.commandId)) return results.get(call.commandId) as T;
    await app.during(name, call);
    const result = work();
    if (call?.commandId !== undefined) results.set(call.commandId, result);
    return result;
  };
  const found = (key: string): MemoryDetail => {
    const memory = memories.get(key);
    if (!memory) throw new DomainError('NOT_FOUND', `No memory ${key}`, 'recall finds keys.');
    return memory;
  };
  const stamp = (keys: readonly string[]): StampResult => ({
    classified: keys.filter((key) => memories.has(key)).length,
    cascaded: 0,
    not_found: keys.filter((key) => !memories.has(key)),
  });
  const transition = (key: string, state: MemoryDetail['state']) => {
    const memory = found(key);
    memories.set(key, { ...memory, state });
    return { affected: [{ key, previous_state: memory.state, new_state: state, surface_score: state === 'active' ? 1 : 0.2 }] };
  };

  const commands: MemoryCommands = {
    remember: (input, call) =>
      run('remember', input, call, () => {
        if (input.content.trim() === '') throw new DomainError('VALIDATION', 'content is empty', 'Say what is to be remembered.');
        const namespace = input.namespace ?? 'episodic';
        const key = memoryKey(namespace, ulid());
        memories.set(key, {
          key,
          content: input.content,
          namespace,
          state: 'active',
          ...(input.project && { project: input.project }),
          ...(input.tags && { tags: input.tags }),
          licence: 'own',
          provenance: 'concluded',
          created_at: AT,
          updated_at: AT,
        });
        return { status: 'stored' as const, key, namespace, embedding: 'off' as const, enrichment: 'none' as const };
      }),
    rememberDocument: (input, call) =>
      run('rememberDocument', input, call, () => ({
        doc_id: null,
        keys: [],
        chunks_stored: 0,
        chunks_total: 0,
        duplicates_skipped: 0,
        namespace: 'episodic' as const,
        mode: 'full' as const,
        enrichment: 'none' as const,
      })),
    revise: (input, call) =>
      run('revise', input, call, () => {
        memories.set(input.key, { ...found(input.key), content: input.content });
        return { status: 'revised' as const, key: input.key };
      }),
    retag: (input, call) =>
      run('retag', input, call, () => {
        const memory = found(input.key);
        const tags = [...(input.tags ?? memory.tags ?? []), ...(input.add ?? [])];
        memories.set(input.key, { ...memory, tags });
        return { status: 'updated' as const, key: input.key, tags, previous_tags: memory.tags ?? [] };
      }),
    deprioritise: (input, call) => run('deprioritise', input, call, () => transition(input.key_or_query, 'deprioritised')),
    archive: (input, call) => run('archive', input, call, () => transition(input.key_or_query, 'archived')),
    reinstate: (input, call) => run('reinstate', input, call, () => transition(input.key_or_query, 'active')),
    forget: (input, call) =>
      run('forget', input, call, () => {
        const memory = memories.get(input.key_or_query ?? input.keys?.[0] ?? '');
        if (!memory) return { status: 'not_found' as const, note: 'nothing matches' };
        if (!input.confirm) {
          return {
            status: 'preview' as const,
            preview_id: ulid(),
            expires_at: AT,
            total: 1,
            by_namespace: { [memory.namespace]: 1 },
            targets: [{ key: memory.key, content: memory.content }],
            next: 'confirm',
            receipt: 'a command',
          };
        }
        memories.delete(memory.key);
        return { status: 'deleted' as const, deleted: 1, deleted_keys: [memory.key], erased: true as const, disk: 'pending' as const };
      }),
    undo: (input, call) =>
      run('undo', input, call, () => ({
        status: 'unchanged' as const,
        correlation: input.correlation,
        restored: [],
        kept: [],
        irreversible: [],
      })),
    suppressTopic: (input, call) =>
      run('suppressTopic', input, call, () => {
        topics.set(input.topic, input.reason ?? '');
        return { topic: input.topic };
      }),
    unsuppressTopic: (input, call) =>
      run('unsuppressTopic', input, call, () => {
        topics.delete(input.topic);
        return { topic: input.topic };
      }),
    setLicence: (input, call) => run('setLicence', input, call, () => stamp(input.keys)),
    setProvenance: (input, call) => run('setProvenance', input, call, () => stamp(input.keys)),
  };

  const matching = (query: string): RecallItem[] => {
    const words = query.toLowerCase().split(/\W+/).filter(Boolean);
    return [...memories.values()]
      .filter(({ content }) => words.some((word) => content.toLowerCase().includes(word)))
      .map(({ updated_at: _updated, chunk_index: _index, ...memory }) => ({ ...memory, score: 0.9 }));
  };

  const queries: MemoryQueries = {
    recall: (input, call) =>
      run('recall', input, call, () => ({ results: matching(input.query).slice(0, input.top_k ?? 5), search: 'lexical' as const })),
    recallIndex: (input, call) =>
      run('recallIndex', input, call, () => ({
        results: matching(input.query)
          .slice(0, input.top_k ?? 10)
          .map(({ content, created_at: _at, ...item }) => ({
            ...item,
            snippet: content.slice(0, input.snippet_length ?? 150),
            estimated_tokens: 10,
          })),
        token_estimate: { index: 10, full: 20 },
      })),
    recallDetail: (input, call) =>
      run('recallDetail', input, call, () => ({
        results: input.keys.map((key) => memories.get(key) ?? { key, status: 'not_found' as const }),
      })),
    listSuppressions: (input, call) => run('listSuppressions', input, call, () => ({ suppressed_topics: [...topics.keys()].sort() })),
    findDuplicates: (input, call) =>
      run('findDuplicates', input, call, () => ({ namespace: input.namespace ?? 'episodic', clusters: [], scanned: memories.size })),
    memoryAudit: (input, call) =>
      run('memoryAudit', input, call, () => {
        const { offset = 0, limit = 100 } = input;
        const entries = [...memories.values()]
          .slice(offset, offset + limit)
          .map(({ key, content, state }) => ({ key, content: content.slice(0, 80), state }));
        return {
          summary: { active: memories.size, deprioritised: 0, archived: 0, deleted: 0 },
          total: memories.size,
          matching_total: memories.size,
          offset,
          limit,
          returned: entries.length,
          has_more: offset + entries.length < memories.size,
          entries,
        };
      }),
    explainMemory: (input, call) =>
      run('explainMemory', input, call, () => {
        const memory = memories.get(input.key);
        if (!memory) return { status: 'not_found' as const, key: input.key };
        const line = { n: 1, event: 'MemoryRemembered', event_id: ulid(), position: '1-1', at: AT, actor: 'cli', correlation: ulid() };
        return { ...memory, status: 'found' as const, timeline: [line] };
      }),
    health: async () => HEALTH,
    version: () => ({ version: '0.0.0-test' }),
  };

  /** The areas that no transport test looks at: noted, and answered with nothing in it. */
  const withRest = <Known extends object, Whole extends Known>(known: Known): Whole =>
    new Proxy(known as Whole, {
      get: (target, name: string) =>
        name in target ? target[name as keyof Whole] : (input: unknown, call: Call | undefined) => run(name, input, call, () => ({})),
    });

  const app: FakeApp = {
    commands: withRest<MemoryCommands, Commands>(commands),
    queries: withRest<MemoryQueries, Queries>(queries),
    backups: {
      dump: (input, call) => run('dump', input, call, () => DUMPED),
      list: async () => ({ dir: '/backups', backups: [], unreadable: [] }),
      restore: (input, call) => run('restore', input, call, () => ({ ...RESTORED, filename: input.filename })),
    },
    memories,
    seen,
    counted: [],
    during: async () => {},
    waitsFor: undefined,
    becomeReady: () => {
      app.waitsFor = undefined;
      for (const wake of waiting) wake();
      waiting.clear();
    },
    whenReady: (timeoutMs, onWait, signal) => {
      if (app.waitsFor === undefined) return Promise.resolve();
      onWait?.(app.waitsFor);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(wake);
          reject(new DomainError('UNAVAILABLE', 'The store is not ready', 'Try again.'));
        }, timeoutMs);
        const wake = (): void => {
          clearTimeout(timer);
          resolve();
        };
        waiting.add(wake);
        signal?.addEventListener('abort', () => {
          clearTimeout(timer);
          waiting.delete(wake);
          reject(signal.reason);
        });
      });
    },
    metrics: async () => ({ contentType: 'text/plain; version=0.0.4; charset=utf-8', body: 'omnimem_tool_calls_total 0\n' }),
    countToolCall: (tool, outcome) => void app.counted.push({ tool, outcome }),
  };
  return app;
};

const HEALTH: HealthResult = {
  status: 'green',
  issues: [],
  valkey_connected: true,
  records: {},
  indexes: {},
  model_loaded: false,
  log: { log_id: 'test', events: 0, head: null },
  projections: {},
  vectors: { pending: 0, refused: 0 },
  valkey: {},
  uptime_seconds: 1,
};

const DUMPED = {
  filename: 'omnimem-test',
  path: '/backups/omnimem-test',
  total_events: 0,
  events_added: 0,
  segments_added: 0,
  size_kb: 0,
  encrypted: false,
  log_digest: '0'.repeat(64),
  expired: [],
};

const RESTORED = {
  status: 'dry_run',
  would: 'unchanged',
  log_id: 'test',
  events_in_backup: 0,
  events_restored: 0,
  kept_forgotten: 0,
  unreadable: 0,
  complete: true,
  note: '',
} as const;
