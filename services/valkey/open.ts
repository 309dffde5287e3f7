import type { Config } from '../config.js';
import type { Logger } from '../log.js';
import { checkServer, type ServerFacts } from './check-server.js';
import { connect, describeTarget, type ValkeyTarget } from './client.js';
import { obtainValkey } from './install/install.js';
import { startSupervisor, type ValkeyStatus } from './supervisor.js';

/** The Valkey of this process, ready and looked at. */
export type OpenValkey = {
  readonly target: ValkeyTarget;
  /** Shown to people; holds no password. */
  readonly description: string;
  readonly facts: ServerFacts;
  /** Of the managed server; undefined with VALKEY_URL. */
  readonly status: () => ValkeyStatus | undefined;
  /** Ends the managed server; leaves a foreign one alone. */
  readonly stop: () => Promise<void>;
};

export type OpenValkeyOptions = {
  readonly config: Pick<Config, 'valkey' | 'dataDir' | 'minFreeBytes'>;
  readonly log: Logger;
  readonly progress: (text: string) => void;
  readonly onChange?: (status: ValkeyStatus) => void;
};

/**
 * Uses the server that the configuration names, else runs one on the data folder, which this process must have claimed
 * (`claimDataDir`), installing it first if need be. UNAVAILABLE or VALIDATION, with a hint, when that cannot be done.
 */
export const openValkey = async ({ config, log, progress, onChange }: OpenValkeyOptions): Promise<OpenValkey> => {
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
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
};

const lookAt = async (target: ValkeyTarget): Promise<ServerFacts> => {
  const client = connect(target, 'general');
  try {
    return await checkServer(client);
  } finally {
    client.disconnect();
  }
};
