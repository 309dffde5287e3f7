import type { Redis } from 'iovalkey';
import { DomainError } from '../domain/errors.js';
import type { Keys } from './keys.js';
import { scanRows } from './rows.js';

/** Bytes. `limit` is `maxmemory`, or the machine's memory where none is set. */
export type MemoryNeed = { readonly need: number; readonly used: number; readonly limit: number };

/** Rows measured of each few hundred. */
const SAMPLES = 3;

/** What a second generation would take, judged by the rows of the one that serves. */
export const memoryNeed = async (
  redis: Redis,
  keys: Keys,
  serving: readonly { readonly name: string; readonly generation: number }[],
): Promise<MemoryNeed> => {
  let need = 0;
  for (const { name, generation } of serving) {
    for await (const rows of scanRows(redis, keys, name, generation)) {
      const sample = rows.slice(0, SAMPLES);
      const sizes = await Promise.all(sample.map((row) => redis.memory('USAGE', keys.row(name, generation, row), 'SAMPLES', 0)));
      need += (sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0) / sample.length) * rows.length;
    }
  }
  const info = await redis.info('memory');
  const figure = (field: string): number => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  return { need: Math.ceil(need), used: figure('used_memory'), limit: figure('maxmemory') || figure('total_system_memory') };
};

/** Throws TOO_LARGE, with the figures, when a rebuild would not fit beside what is there. */
export const refuseWhenTooLarge = (names: readonly string[], { need, used, limit }: MemoryNeed): void => {
  if (limit === 0 || used + need <= limit) return;
  const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  throw new DomainError(
    'TOO_LARGE',
    `Rebuilding ${names.join(', ')} needs about ${mebibytes(need)} beside the ${mebibytes(used)} in use, and the limit is ${mebibytes(limit)}`,
    'Raise maxmemory or free memory, then replay again. The present view goes on serving.',
  );
};
