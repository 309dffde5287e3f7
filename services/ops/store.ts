import type { Redis } from 'iovalkey';
import { createKeys, type Keys } from '../../projections/keys.js';
import { type EventLog, openEventLog } from '../eventlog/log.js';
import { checkServer } from '../valkey/check-server.js';
import { connect, type ValkeyTarget } from '../valkey/client.js';
import { findPlace } from '../valkey/place.js';

/** The log and the views' keys alone: for what looks at the store beside a running instance and needs no index and no model. */
export type Store = {
  readonly redis: Redis;
  readonly keys: Keys;
  readonly log: EventLog;
  readonly cluster: boolean;
  readonly close: () => void;
};

/** Throws UNAVAILABLE when the server does not answer, VALIDATION when it is none that can be used. */
export const openStore = async ({ target, tenant }: { readonly target: ValkeyTarget; readonly tenant: string }): Promise<Store> => {
  const { at } = await findPlace(target, tenant);
  const open = (kind: Parameters<typeof connect>[1]): Redis =>
    connect(target, kind, { name: 'omnimem-cli', commandTimeoutMs: 10_000, ...at });
  const [append, read, blocking] = [open('append'), open('general'), open('blocking')];
  const disconnect = (): void => {
    for (const connection of [append, read, blocking]) connection.disconnect();
  };
  try {
    const { cluster } = await checkServer(read);
    const keys = createKeys(tenant, cluster);
    const log = await openEventLog({ append, read, blocking }, keys);
    return {
      redis: read,
      keys,
      log,
      cluster,
      close: () => {
        log.close();
        disconnect();
      },
    };
  } catch (error) {
    disconnect();
    throw error;
  }
};
