import type { Redis } from 'iovalkey';
import type { Keys } from './keys.js';

const STEP = 500;

/** Names of a generation's rows, a few hundred at a time; a name may come twice while the server reorganises. */
export async function* scanRows(redis: Redis, keys: Keys, name: string, generation: number): AsyncGenerator<readonly string[]> {
  const prefix = `${keys.rows(name, generation)}:`;
  let cursor = '0';
  do {
    const [next, found] = await redis.scan(cursor, 'MATCH', `${literally(prefix)}*`, 'COUNT', STEP);
    cursor = next;
    if (found.length > 0) yield found.map((key) => key.slice(prefix.length));
  } while (cursor !== '0');
}

/** Deletes a generation in steps that never block the server for long: rows first, so that a crash can be made good. */
export const deleteGeneration = async (redis: Redis, keys: Keys, name: string, generation: number): Promise<void> => {
  for await (const rows of scanRows(redis, keys, name, generation)) {
    await redis.unlink(...rows.map((row) => keys.row(name, generation, row)));
  }
  await redis.unlink(keys.degraded(name, generation), keys.generation(name, generation));
  await redis.hdel(keys.projection(name), `retired:${generation}`);
};

/** Text as a pattern that matches just itself. */
const literally = (text: string): string => text.replace(/[\\*?[\]^-]/g, '\\$&');
