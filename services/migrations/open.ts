import { systemRandom } from '../eventlog/random.js';
import { loadMigrations } from './load.js';
import { type Migrated, type MigrateOptions, type MigrationParts, migrate } from './runner.js';

/** The program's own migrations over a store. */
export const openMigrations =
  (store: Pick<MigrationParts, 'log' | 'redis' | 'keys'>) =>
  async (options: MigrateOptions): Promise<readonly Migrated[]> =>
    migrate(
      { log: store.log, redis: store.redis, keys: store.keys, random: systemRandom(), now: Date.now },
      await loadMigrations(),
      options,
    );
