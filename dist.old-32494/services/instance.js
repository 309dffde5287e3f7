import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DomainError } from '../domain/errors.js';
import { openApp } from './app.js';
import { modelEnvironment } from './config.js';
import { openEmbedderProvider } from './embedding/select.js';
import { createLazyApp } from './lazy-app.js';
import { createStartup } from './lifecycle.js';
import { startMcpHttp } from './mcp/http.js';
import { checkServer } from './valkey/check-server.js';
import { connect, describeTarget } from './valkey/client.js';
import { obtainValkey } from './valkey/install/install.js';
import { claimDataDir } from './valkey/instance.js';
import { startSupervisor } from './valkey/supervisor.js';
/** A data folder that another living process holds. */
export class AlreadyRunning extends DomainError {
    mcpUrl;
    constructor(dataDir, pid, mcpUrl) {
        super('CONFLICT', `OmniMem already runs on ${dataDir} (process ${pid}${mcpUrl ? `, MCP at ${mcpUrl}` : ', still starting'})`, 'Use that one, stop it first, or set OMNIMEM_DATA_DIR to another folder');
        this.mcpUrl = mcpUrl;
    }
}
/**
 * Starts the product: data folder, Valkey, views, model and MCP address, each a step of its own that is reported and can
 * fail alone. Throws AlreadyRunning when the data folder is taken; every other failure is in the steps.
 */
export const startInstance = async (options) => {
    const { config, logger, signal, roles = ['mcp', 'projector'] } = options;
    const serves = roles.includes('mcp');
    // Several services of one deployment share a server, so only a process with a Valkey of its own takes the folder.
    const claim = config.valkey === undefined || roles.length === 2 ? await takeFolder(config) : undefined;
    const lazy = createLazyApp();
    const held = {};
    const provider = openEmbedderProvider({
        choice: config.embedding.choice,
        fetch: {
            dir: join(config.dataDir, 'models'),
            env: modelEnvironment(config),
        },
        log: logger,
        onProgress: ({ file, loaded, total }) => options.onModel?.(`fetching the embedding model: ${file} ${percent(loaded, total)}`),
    });
    const startup = createStartup([
        {
            name: 'valkey',
            run: async (progress) => {
                lazy.waitsFor('Valkey');
                if (config.valkey !== undefined) {
                    await mkdir(config.dataDir, { recursive: true });
                    held.target = config.valkey;
                }
                else {
                    const { command, description } = await obtainValkey(config.dataDir, progress);
                    progress(`starting ${description}`);
                    held.supervisor = await startSupervisor({ dataDir: config.dataDir, log: logger, minFreeBytes: config.minFreeBytes, command });
                    held.target = held.supervisor.target;
                    await claim?.publish({ socket: held.supervisor.target.path });
                }
                const facts = await inspect(held.target);
                held.cluster = facts.cluster;
                for (const warning of facts.warnings)
                    logger.warn(warning);
                return `Valkey ${facts.version} at ${describeTarget(held.target)}`;
            },
        },
        {
            name: 'memory',
            after: ['valkey'],
            run: async (progress, stop) => {
                lazy.waitsFor('the views of the log');
                if (!held.target)
                    throw new DomainError('UNAVAILABLE', 'There is no Valkey to open');
                await held.opened?.close();
                const supervisor = held.supervisor;
                held.opened = await openApp({
                    config,
                    logger,
                    target: held.target,
                    cluster: held.cluster ?? false,
                    provider,
                    supervised: supervisor && (() => supervisor.status()),
                    projects: roles.includes('projector'),
                });
                lazy.opened(held.opened.app);
                progress('reading the log');
                await held.opened.app.whenReady(2 ** 31 - 1, undefined, stop);
                return `${held.opened.index.documents.size} memories, ${await held.opened.log.size()} events`;
            },
        },
        ...(serves
            ? [
                {
                    name: 'mcp',
                    run: async () => {
                        const { host, port, authToken, allowedHosts, allowedOrigins, publicUrl, maxResponseTokens, toolset } = config.mcp;
                        held.mcp = await startMcpHttp({
                            app: lazy.app,
                            config: { host, port, authToken, allowedHosts, allowedOrigins, publicUrl, maxResponseTokens, toolset },
                            log: logger,
                        });
                        await claim?.publish({ mcpUrl: held.mcp.url, ...(held.supervisor && { socket: held.supervisor.target.path }) });
                        return held.mcp.url;
                    },
                },
            ]
            : []),
    ], { signal, ...(options.onStep && { onChange: options.onStep }) });
    const steps = await startup.run();
    await claim?.publish({ ...(held.mcp && { mcpUrl: held.mcp.url }), ...(held.supervisor && { socket: held.supervisor.target.path }) });
    let closed;
    return {
        steps,
        mcpUrl: held.mcp?.url,
        valkey: held.target && describeTarget(held.target),
        provider,
        opened: held.opened,
        close: () => {
            closed ??= (async () => {
                await held.mcp?.close();
                await held.opened?.close();
                await provider.close();
                await held.supervisor?.stop();
                await claim?.release();
            })();
            return closed;
        },
    };
};
const takeFolder = async (config) => {
    const answer = await claimDataDir(config.dataDir);
    if ('held' in answer)
        return answer.held;
    throw new AlreadyRunning(config.dataDir, answer.running.pid, answer.running.mcpUrl);
};
const inspect = async (target) => {
    const client = connect(target, 'general', { name: 'omnimem-check', commandTimeoutMs: 10_000 });
    try {
        return await checkServer(client);
    }
    finally {
        client.disconnect();
    }
};
const percent = (loaded, total) => total ? `${Math.round((100 * loaded) / total)} %` : `${loaded} bytes`;
//# sourceMappingURL=instance.js.map