import { expect, vi } from 'vitest';
import { servingGeneration } from '../../projections/generation.js';
import { PROJECTIONS } from '../../services/views.js';
import type { TestApp } from './app.js';

/** Resolves when every view serves: right after the start of a store that is empty, they are still being made. */
export const viewsServe = ({ redis, keys }: Pick<TestApp, 'redis' | 'keys'>): Promise<void> =>
  vi.waitFor(
    async () => {
      for (const { name } of PROJECTIONS) expect(await servingGeneration(redis, keys, name)).toBeDefined();
    },
    { timeout: 20_000, interval: 50 },
  );
