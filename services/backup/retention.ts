import { rm } from 'node:fs/promises';
import { type BackupSet, holdsNothing, isOf } from './layout.js';

export type Retention = {
  /** Complete sets of one log to keep, at least 1. */
  readonly keep: number;
  /** Days after which a set that is not written to any more goes; undefined keeps it. */
  readonly keepDays?: number | undefined;
};

const DAY_MS = 86_400_000;

/**
 * Which sets of a tenant's log may go. Never the newest complete one, and never one that began after it: that one is being written.
 * One that holds nothing is not counted, and goes once a whole one was written after it began. `sets` newest first. Pure.
 */
export const expiredSets = (
  sets: readonly BackupSet[],
  { logId, tenant }: { readonly logId: string; readonly tenant: string },
  { keep, keepDays }: Retention,
  now: number,
): readonly BackupSet[] => {
  const ours = sets.filter((set) => isOf(set, logId, tenant));
  const whole = ours.filter(({ manifest }) => manifest.complete);
  const newest = whole[0];
  const old = whole.filter(({ manifest }, i) => {
    if (i === 0) return false;
    const tooOld = keepDays !== undefined && now - Date.parse(manifest.updated_at) > keepDays * DAY_MS;
    return i >= Math.max(1, keep) || tooOld;
  });
  const empty = ours.filter((set) => newest !== undefined && holdsNothing(set) && set.manifest.updated_at < newest.manifest.updated_at);
  return [...old, ...empty];
};

export const removeSets = async (sets: readonly BackupSet[]): Promise<readonly string[]> => {
  for (const { dir } of sets) await rm(dir, { recursive: true, force: true });
  return sets.map(({ name }) => name);
};
