import type { Redis } from 'iovalkey';
import { detectSearchModule, IN_PROCESS, type VectorEngine } from '../../projections/search/valkey/module.js';
import type { Config } from '../config.js';
import { checkServer } from '../valkey/check-server.js';
import { connect, describeTarget, type ValkeyTarget } from '../valkey/client.js';
import { inspectMachine, valkeyVersion } from '../valkey/install/machine.js';
import { type Plan, planInstall } from '../valkey/install/plan.js';
import type { Instance } from '../valkey/instance.js';
import { findPlace } from '../valkey/place.js';
import { type Finding, fail, ok, warn } from './doctor-finding.js';
import { readVitals } from './valkey-vitals.js';

const PATIENCE_MS = 3_000;
const NEARLY_FULL = 0.8;
const ENGINE_HINT = 'Point VALKEY_URL at a server with valkey-search 1.2 or newer, or set OMNIMEM_VECTOR_ENGINE to auto or in-process.';

/** The server that is in use, else the one that would be. */
export const inspectValkey = async (config: Config, instance: Instance | undefined): Promise<readonly Finding[]> => {
  const { valkey, tenant, vectorEngine } = config;
  const target = valkey ?? (instance?.socket === undefined ? undefined : { path: instance.socket });
  if (target !== undefined) return inspectServer(target, tenant, vectorEngine);
  const version = await valkeyVersion();
  return [
    version === undefined ? planned(planInstall(await inspectMachine())) : ok('valkey', `valkey-server ${version} on PATH`),
    ...(vectorEngine === 'valkey'
      ? [fail('valkey', 'OMNIMEM_VECTOR_ENGINE is valkey, and the server that OmniMem runs by itself loads no search module', ENGINE_HINT)]
      : []),
  ];
};

/** Whether the server can search vectors, where nothing else will do. */
const inspectEngine = async (client: Redis, asked: VectorEngine, cluster: boolean): Promise<readonly Finding[]> => {
  if (asked !== 'valkey') return [];
  const { usable, reason } = await detectSearchModule(client, { cluster });
  return usable
    ? [ok('valkey', reason)]
    : [
        fail(
          'valkey',
          `OMNIMEM_VECTOR_ENGINE is valkey, and this server cannot search vectors: ${reason.replace(`; ${IN_PROCESS}`, '')}`,
          ENGINE_HINT,
        ),
      ];
};

const inspectServer = async (target: ValkeyTarget, tenant: string, engine: VectorEngine): Promise<readonly Finding[]> => {
  const { at } = await findPlace(target, tenant, PATIENCE_MS);
  const client = connect(target, 'general', { name: 'omnimem-doctor', commandTimeoutMs: PATIENCE_MS, ...at });
  try {
    const { version, warnings, cluster } = await checkServer(client);
    const { numbers, aofLastWrite } = await readVitals(client);
    const { used_memory: used = 0, maxmemory: limit = 0 } = numbers;
    const detail = `Valkey ${version} at ${describeTarget(target)}, ${Math.round(used / 2 ** 20)} MB in use`;
    const full = limit > 0 && used > NEARLY_FULL * limit;
    return [
      full
        ? warn('valkey', `${detail} of ${Math.round(limit / 2 ** 20)} MB`, 'Raise maxmemory, or forget what is not needed.')
        : ok('valkey', detail),
      ...(await inspectEngine(client, engine, cluster)),
      ...warnings.map((warning) => warn('valkey', warning, 'Set appendonly yes and appendfsync always on that server.')),
      ...(aofLastWrite === 'ok' || aofLastWrite === 'unknown'
        ? []
        : [fail('valkey', `The last write of its append-only file failed (${aofLastWrite})`, 'Look at its disk and its log.')]),
    ];
  } finally {
    client.disconnect();
  }
};

const planned = (plan: Plan): Finding => {
  switch (plan.kind) {
    case 'present':
      return ok('valkey', `valkey-server ${plan.version} on PATH`);
    case 'commands':
      return warn('valkey', `there is none yet: ${plan.says} at the first start`, 'Nothing to do; or install valkey-server yourself.');
    case 'container':
      return ok('valkey', `${plan.image} in ${plan.engine}`);
    case 'page':
      return fail('valkey', 'there is none on this machine, and it cannot be installed from here', plan.page);
  }
};
