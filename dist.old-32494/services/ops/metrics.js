import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
const STAGE_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const CALL_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];
/** The product's figures in a registry of their own. Labels never hold text of a memory. */
export const createMetrics = (vitals, version) => {
    const registry = new Registry();
    const registers = [registry];
    collectDefaultMetrics({ register: registry, prefix: 'omnimem_' });
    new Gauge({ name: 'omnimem_info', help: 'Version of the running program', labelNames: ['version'], registers }).set({ version }, 1);
    const appends = new Counter({
        name: 'omnimem_events_appended_total',
        help: 'Events this process appended to the log',
        labelNames: ['type'],
        registers,
    });
    const refusals = new Counter({
        name: 'omnimem_appends_refused_total',
        help: 'Appends that the log refused (version conflicts, claims, erasures)',
        labelNames: ['reason'],
        registers,
    });
    const stages = new Histogram({
        name: 'omnimem_recall_stage_seconds',
        help: 'Time spent in each stage of a recall',
        labelNames: ['stage'],
        buckets: STAGE_BUCKETS,
        registers,
    });
    const toolCalls = new Counter({ name: 'omnimem_tool_calls_total', help: 'MCP tool calls', labelNames: ['tool', 'outcome'], registers });
    const toolSeconds = new Histogram({
        name: 'omnimem_tool_call_seconds',
        help: 'Time that MCP tool calls took',
        labelNames: ['tool'],
        buckets: CALL_BUCKETS,
        registers,
    });
    const embeddings = new Counter({
        name: 'omnimem_embedding_cache_total',
        help: 'Vectors asked of the cache (hit, miss)',
        labelNames: ['outcome'],
        registers,
    });
    const gauge = (name, help, labelNames = []) => new Gauge({ name, help, labelNames: [...labelNames], registers });
    const up = gauge('omnimem_valkey_up', 'Whether Valkey answered at this scrape');
    const lagEvents = gauge('omnimem_projection_lag_events', 'Events of the log that a view has not passed', ['projection']);
    const lagSeconds = gauge('omnimem_projection_lag_seconds', 'Age of the oldest event that a view has not passed', ['projection']);
    const deadLetters = gauge('omnimem_dead_letters', 'Events that a view could not use', ['projection']);
    const degraded = gauge('omnimem_degraded_subjects', 'Subjects that stand still behind a dead letter', ['projection']);
    const memories = gauge('omnimem_memories_total', 'Memories by namespace and state', ['namespace', 'state']);
    const pending = gauge('omnimem_vectors_pending', 'Memories that wait for a vector');
    const refused = gauge('omnimem_vectors_refused', 'Memories whose stored vector was refused');
    const logEvents = gauge('omnimem_log_events', 'Entries of the event log');
    const valkey = gauge('omnimem_valkey', "Valkey's own vitals, by name", ['vital']);
    const read = async () => {
        try {
            const now = await vitals();
            up.set(1);
            for (const view of now.projections) {
                lagEvents.set({ projection: view.name }, view.lagEvents);
                lagSeconds.set({ projection: view.name }, view.lagSeconds);
                deadLetters.set({ projection: view.name }, view.deadLetters);
                degraded.set({ projection: view.name }, view.degraded);
            }
            for (const { namespace, state, count } of now.memories)
                memories.set({ namespace, state }, count);
            pending.set(now.vectorsPending);
            refused.set(now.vectorsRefused);
            logEvents.set(now.logEvents);
            for (const [vital, value] of Object.entries(now.valkey))
                valkey.set({ vital }, value);
        }
        catch {
            up.set(0);
        }
    };
    return {
        /** Prometheus text, with the gauges read now. Never rejects for an outage: `omnimem_valkey_up` says it. */
        render: async () => {
            await read();
            return { contentType: registry.contentType, body: await registry.metrics() };
        },
        appended: (type) => appends.inc({ type }),
        refused: (reason) => refusals.inc({ reason }),
        recallStage: (stage, milliseconds) => stages.observe({ stage }, milliseconds / 1000),
        toolCall: (tool, outcome, milliseconds) => {
            toolCalls.inc({ tool, outcome });
            toolSeconds.observe({ tool }, milliseconds / 1000);
        },
        embeddingCache: (outcome, count = 1) => embeddings.inc({ outcome }, count),
    };
};
//# sourceMappingURL=metrics.js.map