import type { ChainableCommander, Redis } from 'iovalkey';

export const PIPELINE = 100;

/** Sends one command an item, so many in a pipeline, each pipeline awaited: the baseline of writes. Throws for a failed command. */
export const byPipelines = async <Item>(
  redis: Redis,
  items: readonly Item[],
  add: (pipeline: ChainableCommander, item: Item) => void,
): Promise<void> => {
  for (let from = 0; from < items.length; from += PIPELINE) {
    const pipeline = redis.pipeline();
    for (const item of items.slice(from, from + PIPELINE)) add(pipeline, item);
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  }
};
