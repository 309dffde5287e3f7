/**
 * Every physical key of the product is spelled here and nowhere else. On a cluster the tenant is a hash tag, so that all
 * keys of a tenant live in one slot and one script may touch any of them.
 */
export type Keys = ReturnType<typeof createKeys>;

export const createKeys = (tenant: string, cluster = false) => {
  const prefix = cluster ? `{${tenant}}:` : `${tenant}:`;
  const key = (...parts: readonly (string | number)[]): string => prefix + parts.join(':');
  return {
    tenant,
    prefix,
    /** Stream of envelopes: the total order. */
    log: key('log'),
    /** Hash per subject: payloads by version, `v`, `f`, `cv` (version that set the content), `c` (its claims). */
    payloads: (subject: string) => key('ev', subject),
    /** Counter of erasures; whoever read text before it moved reads again. */
    erasures: key('erasures'),
    /** Hash: salted hash of a claimed text or address, to the memory that holds it. */
    claims: key('claims'),
    /** String with a day's expiry: the first result of a command. */
    commandResult: (commandId: string) => key('cmd', commandId),
    /** Hash: who restores into this store now (`token`, `at`, `backup`). While it is there nobody appends. */
    restoring: key('restoring'),
    /** Hash with expiry: the keys, no text, that a preview of forgetting listed. */
    forgetPlan: (id: string) => key('forget-plan', id),
    /** Hash: how far a migration is, until it is recorded in the log. */
    migration: (number: number) => key('migration', number),
    /** Hash: log_id, salt, created_at. */
    meta: key('meta'),
    /** Hash per subject and model: `n` (content version) and `w` (its windows' vectors, concatenated float32). */
    embedding: (model: string, subject: string) => key('emb', model, subject),
    /** Name of the server's vector index over one model and namespace; an index is no key. */
    searchIndex: (model: string, namespace: string) => key('idx', model, namespace),
    /** Beginning of the rows of all such indexes. */
    allSearchRows: key('vec', ''),
    /** What the keys of all rows and all drafts begin with, and no other key of a hash. */
    allSearchHashes: key('vec'),
    /** Beginning of the rows that such an index reads, and of nothing else. */
    searchRows: (model: string, namespace: string) => key('vec', model, namespace, ''),
    /** Hash per window of a memory: its vector and what filters look at. */
    searchRow: (model: string, namespace: string, memory: string, window: number) => key('vec', model, namespace, memory, window),
    /** The same while it is written, before it is renamed: no script may write what an index reads. */
    searchDraft: (model: string, namespace: string, memory: string, window: number) => key('vec-draft', model, namespace, memory, window),
    searchDrafts: (model: string, namespace: string) => key('vec-draft', model, namespace, ''),
    /** Set: every model id that ever had vectors here. */
    models: key('models'),
    /** Capped stream that announces vectors filled in after the append. */
    vectors: key('vectors'),
    /** Hash per projection: `serving`, `building`, `next` generation numbers. */
    projection: (name: string) => key('proj', name),
    /** Hash per generation: `checkpoint`, `version`, `state` (building, serving, retired), `started_at`. */
    generation: (name: string, generation: number) => key('proj', name, `g${generation}`),
    /** Hash per generation: degraded subject to the first fault, as JSON without text. */
    degraded: (name: string, generation: number) => key('proj', name, `g${generation}`, 'degraded'),
    /** Prefix of the rows of one generation. */
    rows: (name: string, generation: number) => key('view', name, `g${generation}`),
    row: (name: string, generation: number, row: string) => key('view', name, `g${generation}`, row),
    /** String with expiry: the token of whoever holds the projection. */
    lease: (name: string) => key('lease', name),
    /** Counter that never expires; each lease takes the next number as its token. */
    leaseTokens: key('lease-tokens'),
    /** Stream of ids and codes of events that could not be applied; no text. */
    deadLetter: key('deadletter'),
    /** Hash: what the worker that enriches does and failed at; keys and codes, no text. */
    enrichment: key('enrichment'),
    /** Capped stream of recalls: keys, ranks, scores; no text. */
    recalls: key('recalls'),
    /** Hash per day: recall id to its query text. */
    recallTexts: (day: string) => key('recall-texts', day),
    /** Counters beside the log. */
    counter: (name: string) => key('n', name),
    /** Hash of live processes: id to JSON with heartbeat. */
    processes: key('processes'),
  } as const;
};

/**
 * What a key may be, for the test that no key is unknown. `log` says whether a replay brings it back, or why it need not.
 */
export const KEY_REGISTER: readonly { readonly pattern: RegExp; readonly kind: 'log' | 'view' | 'cache' | 'counter' | 'ephemeral' }[] = [
  { pattern: /^(log|meta|erasures)$/, kind: 'log' },
  { pattern: /^ev:/, kind: 'log' },
  { pattern: /^(view|proj):/, kind: 'view' },
  { pattern: /^claims$/, kind: 'cache' },
  { pattern: /^(emb|vec|vec-draft):/, kind: 'cache' },
  { pattern: /^(models|vectors|deadletter)$/, kind: 'cache' },
  { pattern: /^n:/, kind: 'counter' },
  { pattern: /^(cmd|lease|recall-texts|forget-plan|migration):/, kind: 'ephemeral' },
  { pattern: /^(recalls|processes|lease-tokens|restoring|enrichment)$/, kind: 'ephemeral' },
];
