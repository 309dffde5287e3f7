import type { Redis } from 'iovalkey';
import { catalogue, type DomainEvent } from '../../domain/catalogue.js';
import { type LogEntry, ORIGIN, positionOf } from '../../domain/envelope.js';
import { verify } from '../../projections/verify.js';
import type { EventLog } from '../../services/eventlog/log.js';
import { openStore, type Store } from '../../services/ops/store.js';
import { PROJECTIONS } from '../../services/views.js';

const SILENT = { info: () => undefined, warn: () => undefined };

/** A look at the store of a running server, past the server. */
export const lookAt = (dataDir: string): Promise<Store> =>
  openStore({ target: { path: `${dataDir}/valkey/valkey.sock` }, tenant: 'local' });

/** Throws when a view is not what a replay makes of the log. */
export const verifyStore = async ({ redis, keys, log }: Pick<Store, 'redis' | 'keys' | 'log'>): Promise<void> => {
  for (const projection of PROJECTIONS) {
    const report = await verify({ redis, keys, log, fingerprint: catalogue.fingerprint, logger: SILENT }, projection);
    if (!report.equal) throw new Error(`${projection.name} differs from its replay: ${report.differing.join(', ')}`);
  }
};

/** Every entry of the log, in order. */
export const entriesOf = async (log: EventLog): Promise<LogEntry<DomainEvent>[]> => {
  const all: LogEntry<DomainEvent>[] = [];
  for (;;) {
    const last = all.at(-1);
    const page = await log.read(last ? positionOf(last) : ORIGIN, 1_000);
    if (page.length === 0) return all;
    all.push(...page);
  }
};

/** Keys, values and fields that hold a text, whatever the key's type; names of keys. */
export const keysWithText = async (redis: Redis, text: string): Promise<string[]> => {
  const wanted = Buffer.from(text);
  const found: string[] = [];
  let cursor = '0';
  do {
    const [next, names] = await redis.scan(cursor, 'COUNT', 1_000);
    cursor = next;
    for (const name of names) {
      const dump = (await redis.callBuffer('DUMP', [name])) as Buffer | null;
      if (name.includes(text) || dump?.includes(wanted)) found.push(name);
    }
  } while (cursor !== '0');
  return found.sort();
};
