import { join } from 'node:path';
import { DomainError } from '../../domain/errors.js';
import type { Secrets } from './crypt.js';
import type { Retention } from './retention.js';

export type BackupSettings = Retention &
  Secrets & {
    /** Absolute. */
    readonly dir: string;
    /** Milliseconds between two scheduled runs; undefined: none is scheduled. */
    readonly everyMs: number | undefined;
    /** Days after which a new set is begun. */
    readonly newSetDays: number;
    readonly withEmbeddings: boolean;
    /** Whether they are of a tenant that is served by its token: it is shown no path of this machine. */
    readonly byToken?: boolean | undefined;
  };

/** Tenants that are served by their tokens have folders of their own among the sets; no set can have such a name. */
export const TENANT_FOLDER = /^@([a-z0-9][a-z0-9_-]{0,31})$/;

/** The settings of a tenant that is served by its token, beside the one of the process. */
export const settingsOfTenant = (settings: BackupSettings, tenant: string): BackupSettings => ({
  ...settings,
  dir: join(settings.dir, `@${tenant}`),
  byToken: true,
});

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const NAMES: Readonly<Record<string, string>> = { hourly: '1h', daily: '1d', weekly: '1w' };

export const SCHEDULE = /^(off|hourly|daily|weekly|[1-9]\d{0,4}[mhdw])$/;

/** Milliseconds of `hourly`, `daily`, `weekly`, `30m`, `6h`, `2d`, `1w`; undefined for `off`. Throws VALIDATION. */
export const intervalOf = (schedule: string): number | undefined => {
  if (schedule === 'off') return undefined;
  const [, count, unit] = /^(\d+)([mhdw])$/.exec(NAMES[schedule] ?? schedule) ?? [];
  if (!SCHEDULE.test(schedule) || count === undefined || unit === undefined) {
    throw new DomainError(
      'VALIDATION',
      `${JSON.stringify(schedule)} is no schedule`,
      'Use off, hourly, daily, weekly, or 30m, 6h, 2d, 1w.',
    );
  }
  return Number(count) * (UNITS[unit] ?? 0);
};
