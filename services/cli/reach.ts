import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../../domain/errors.js';
import { type Attachment, attach } from '../attachments.js';
import type { Config } from '../config.js';
import type { ValkeyTarget } from '../valkey/client.js';
import { findInstance, type Instance } from '../valkey/instance.js';
import { isAlive } from '../valkey/process-identity.js';
import { type Launch, launchInstance } from './launch.js';

/** The instance that serves a data folder, kept running until `leave`. */
export type Reached = {
  readonly url: string;
  readonly token: string | undefined;
  readonly valkey: ValkeyTarget;
  /** Whether it is still there, as far as can be told without asking it. */
  readonly holds: () => Promise<boolean>;
  /** When it was started for clients such as this one, and this was the last, waits until it has gone. */
  readonly leave: () => Promise<void>;
};

export type ReachOptions = {
  /** What is waited for, in words. */
  readonly onWait?: ((what: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
};

const LOOK_AGAIN_MS = 50;
/** Without any sign of life for so long, a start has failed. Installing Valkey and fetching the model give signs. */
const PATIENCE_MS = 120_000;
const LAST_LOOKS = 60;

/**
 * Finds the instance that runs on the data folder, or starts one in the background that runs for as long as somebody is
 * attached to it. Any number of processes may do this at once: one instance takes the folder and serves them all.
 * UNAVAILABLE, with the reason, when none can be started; CONFLICT when it serves another tenant.
 */
export const reachInstance = async (config: Config, { onWait, signal }: ReachOptions = {}): Promise<Reached> => {
  const begun = performance.now();
  let launched: Launch | undefined;
  let attachment: Attachment | undefined;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const found = await findInstance(config.dataDir);
      if (found) {
        refuseOtherTenant(found, config);
        if (found.attachPort !== undefined && !attachment?.holds()) attachment = await attach(found.attachPort);
        const valkey = found.valkey && (found.socket === undefined ? config.valkey : { path: found.socket });
        const kept = found.attachPort === undefined || attachment !== undefined;
        const ours = launched !== undefined && launched.pid === found.pid;
        const failed = ours ? launched?.ended() : undefined;
        if (failed) throw failed.error;
        // One that was just started is used once it has a memory to use: why it has none is said by it alone.
        if (found.mcpUrl !== undefined && valkey && kept && (!ours || launched?.opened())) {
          if (launched && launched.pid !== found.pid) await launched.withdraw();
          return reached(config, found, found.mcpUrl, valkey, attachment);
        }
      } else {
        const end = launched?.ended();
        if (end && !end.taken) throw end.error;
        if (launched === undefined || end) {
          onWait?.('OmniMem to start');
          launched = await launchInstance(config, (news) => onWait?.(news));
        }
      }
      if (performance.now() - Math.max(begun, launched?.heardAt() ?? 0) > PATIENCE_MS) throw tooLate(config);
      await sleep(LOOK_AGAIN_MS);
    }
  } catch (error) {
    await attachment?.leave();
    await launched?.withdraw();
    throw error;
  } finally {
    launched?.letGo();
  }
};

const reached = (config: Config, found: Instance, url: string, valkey: ValkeyTarget, attachment: Attachment | undefined): Reached => ({
  url,
  token: config.mcp.authToken,
  valkey,
  holds: async () => (attachment?.holds() ?? true) && (await findInstance(config.dataDir))?.mcpUrl === url,
  leave: async () => {
    if ((await attachment?.leave()) !== 'ending') return;
    // Its connections are closed a little before it is gone.
    for (let looks = 0; looks < LAST_LOOKS && (await isAlive(found)); looks++) await sleep(LOOK_AGAIN_MS);
  },
});

const refuseOtherTenant = ({ tenant }: Instance, config: Config): void => {
  if (tenant === undefined || tenant === config.tenant) return;
  throw new DomainError(
    'CONFLICT',
    `The OmniMem instance on ${config.dataDir} serves the tenant ${tenant}, not ${config.tenant}`,
    'Set OMNIMEM_TENANT to that one, or OMNIMEM_DATA_DIR to a folder of its own.',
  );
};

const tooLate = ({ dataDir }: Config): DomainError =>
  new DomainError(
    'UNAVAILABLE',
    `OmniMem on ${dataDir} has not started for two minutes`,
    'Run omnimem doctor; the log of an instance that was started in the background is omnimem.log in that folder.',
  );
