import { createKeys } from '../../projections/keys.js';
import { type ConnectionSettings, connect, type ValkeyTarget } from './client.js';
import { unavailableWhenDown } from './errors.js';
import { parseInfo } from './info.js';

/** Where a tenant lives on a server. */
export type Place = {
  /** Keys must then carry the tenant as a hash tag. */
  readonly cluster: boolean;
  /** For connections that shall lead to the tenant's primary, whichever node `VALKEY_URL` names. */
  readonly at: Pick<ConnectionSettings, 'slotOf'>;
};

/** The setting that leads a connection to a tenant. */
export const placeOf = (tenant: string, cluster: boolean): Place => ({
  cluster,
  at: cluster ? { slotOf: createKeys(tenant, true).log } : {},
});

/** Asks the server, a cluster's replica too. Throws UNAVAILABLE when it does not answer. */
export const findPlace = async (target: ValkeyTarget, tenant: string, commandTimeoutMs = 10_000): Promise<Place> => {
  const client = connect(target, 'general', { name: 'omnimem-look', commandTimeoutMs });
  try {
    const info = parseInfo(await unavailableWhenDown(() => client.info('cluster')));
    return placeOf(tenant, info.get('cluster_enabled') === '1');
  } finally {
    client.disconnect();
  }
};
