import { expect, vi } from 'vitest';
import type { Fact } from '../../../domain/enrichment/facts.js';
import type { RememberInput } from '../../../services/api.js';
import type { TestApp } from '../../support/app.js';

export const fact = (text: string, more: Partial<Fact> = {}): Fact => ({ text, kind: 'fact', ...more });

export const until = (expectation: () => unknown) => vi.waitFor(expectation, { timeout: 20_000, interval: 20 });

/** What the tests of the enricher do with the app of their file, and look at. */
export const deedsWith = (app: () => TestApp) => {
  const status = () => app().app.queries.queueStatus(app().call);
  const eventsOf = async (key: string) => (await app().log.load([key]))[0]?.events ?? [];
  const factsOf = (source: string) => [...app().index.documents.values()].filter(({ enrichedFrom }) => enrichedFrom === source);
  const contentOf = async (key: string) => {
    const [born] = await eventsOf(key);
    return born?.type === 'MemoryRemembered' ? born.data : undefined;
  };
  return {
    status,
    eventsOf,
    factsOf,
    contentOf,
    remember: async (content: string, more: Partial<RememberInput> = {}): Promise<string> => {
      const answer = await app().app.commands.remember({ content, ...more }, app().call);
      if (answer.status !== 'stored') throw new Error(`not stored: ${JSON.stringify(answer)}`);
      return answer.key;
    },
    idle: () =>
      vi.waitFor(async () => expect(await status()).toMatchObject({ pending: 0, in_flight: 0 }), { timeout: 20_000, interval: 30 }),
    contents: async (source: string) => (await Promise.all(factsOf(source).map(({ key }) => contentOf(key)))).map((data) => data?.content),
    forget: async (key: string) => {
      const { preview_id } = (await app().app.commands.forget({ key_or_query: key }, app().call)) as { preview_id: string };
      return app().app.commands.forget({ confirm: true, preview_id }, app().call);
    },
  };
};
