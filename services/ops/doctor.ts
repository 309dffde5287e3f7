import { inspectContext } from './doctor-context.js';
import { inspectDataFolder, inspectDisk, inspectNode } from './doctor-machine.js';
import { inspectModel } from './doctor-model.js';
import { inspectAddress, inspectInstance, inspectMemory } from './doctor-service.js';
import { inspectValkey } from './doctor-valkey.js';
import { type LoadedConfig, loadConfig } from '../config.js';
import type { HealthResult } from '../api.js';
import { findInstance } from '../valkey/instance.js';
import { type Finding, fail, guarded, ok, warn } from './doctor-finding.js';

export type DoctorOptions = {
  readonly env: NodeJS.ProcessEnv;
  /** Asks the instance that runs at this address. */
  readonly health: (url: string, token: string | undefined) => Promise<HealthResult>;
  /** Each finding as it comes. */
  readonly onFinding: (finding: Finding) => void;
};

/**
 * Looks at everything that memory rests on, changing nothing and starting nothing. A part that cannot be looked at is a
 * finding of its own; none hides another.
 */
export const examine = async ({ env, health, onFinding }: DoctorOptions): Promise<readonly Finding[]> => {
  const findings: Finding[] = [];
  const found = (...more: readonly Finding[]): void => {
    for (const finding of more) {
      findings.push(finding);
      onFinding(finding);
    }
  };

  found(inspectNode(process.versions.node));
  let loaded: LoadedConfig;
  try {
    loaded = loadConfig(env);
  } catch (error) {
    found(fail('settings', (error as Error).message, 'Correct it in the environment or in .env; .env.example explains each variable.'));
    return findings;
  }
  const { config, warnings } = loaded;
  found(...warnings.map((warning) => warn('settings', warning, 'Correct or remove it.')));
  if (warnings.length === 0) found(ok('settings', 'every name is known and every value fits'));
  found(await guarded('data folder', () => inspectDataFolder(config.dataDir)));
  found(await guarded('disk', () => inspectDisk(config.dataDir, config.minFreeBytes)));
  const instance = await findInstance(config.dataDir);
  found(inspectInstance(instance));
  found(...(await guarded('valkey', () => inspectValkey(config, instance))));
  found(await guarded('model', () => inspectModel(config)));
  found(await guarded('address', () => inspectAddress(config, instance)));
  found(...(await guarded('memory', () => inspectMemory(config, instance, health))));
  found(...inspectContext(config.mcp.toolset));
  return findings;
};
