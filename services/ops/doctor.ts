import type { HealthResult } from '../api.js';
import { type LoadedConfig, loadConfig } from '../config.js';
import { findInstance } from '../valkey/instance.js';
import { inspectContext } from './doctor-context.js';
import { type Finding, fail, guarded, ok, warn } from './doctor-finding.js';
import { inspectDataFolder, inspectDisk, inspectNode } from './doctor-machine.js';
import { inspectModel } from './doctor-model.js';
import { inspectInstance, inspectMemory } from './doctor-service.js';
import { inspectValkey } from './doctor-valkey.js';

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
  const instance = await findInstance(config.dataDir);
  const looks: readonly (readonly [string, () => Promise<readonly Finding[]>])[] = [
    ['data folder', () => inspectDataFolder(config.dataDir)],
    ['disk', () => inspectDisk(config.dataDir, config.minFreeBytes)],
    ['instance', () => inspectInstance(config, instance)],
    ['valkey', () => inspectValkey(config, instance)],
    ['model', () => inspectModel(config)],
    ['memory', () => inspectMemory(config, instance, health)],
    ['context', async () => inspectContext(config.mcp.toolset)],
  ];
  for (const [part, look] of looks) found(...(await guarded(part, look)));
  return findings;
};
