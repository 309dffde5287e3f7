import { checkServer } from './check-server.js';
import { connect, describeTarget } from './client.js';
import { obtainValkey } from './install/install.js';
import { startSupervisor } from './supervisor.js';
/**
 * Uses the server that the configuration names, else runs one on the data folder, which this process must have claimed
 * (`claimDataDir`), installing it first if need be. UNAVAILABLE or VALIDATION, with a hint, when that cannot be done.
 */
export const openValkey = async ({ config, log, progress, onChange }) => {
    if (config.valkey !== undefined) {
        const description = describeTarget(config.valkey);
        progress(`connecting to ${description}`);
        return { target: config.valkey, description, facts: await lookAt(config.valkey), status: () => undefined, stop: async () => undefined };
    }
    const { command, description } = await obtainValkey(config.dataDir, progress);
    progress(`starting ${description}`);
    const { dataDir, minFreeBytes } = config;
    const supervisor = await startSupervisor({ dataDir, minFreeBytes, log, command, ...(onChange && { onChange }) });
    try {
        return {
            target: supervisor.target,
            description,
            facts: await lookAt(supervisor.target),
            status: supervisor.status,
            stop: supervisor.stop,
        };
    }
    catch (error) {
        await supervisor.stop();
        throw error;
    }
};
const lookAt = async (target) => {
    const client = connect(target, 'general');
    try {
        return await checkServer(client);
    }
    finally {
        client.disconnect();
    }
};
//# sourceMappingURL=open.js.map