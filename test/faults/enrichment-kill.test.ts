import { mkdtempSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { DomainEvent } from '../../domain/catalogue.js';
import type { Recorded } from '../../domain/envelope.js';
import { connectTools, keyOf } from '../e2e/app/client.js';
import { TEST_SEED } from '../support/chance.js';
import { seededNumbers } from '../support/eventlog.js';
import { type MessagesServer, startMessagesServer } from '../support/messages-server.js';
import { type ServerProcess, startServerProcess, stopServerProcess } from './server.js';
import { entriesOf, lookAt, verifyStore } from './store.js';

const ROUNDS = Number(process.env.TEST_ROUNDS ?? 4);
const MEMORIES = 12;

let dataDir: string;
let model: MessagesServer;
let server: ServerProcess | undefined;
const start = async (): Promise<ServerProcess> => {
  server = await startServerProcess(dataDir, { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: model.url, LLM_CONCURRENCY: '3' });
  return server;
};
beforeEach(async () => {
  dataDir = mkdtempSync('/tmp/omt-');
  model = await startMessagesServer();
});
afterEach(async () => {
  if (server) await stopServerProcess(server);
  await model.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Two facts of their own for every text. */
const factsOf = (prompt: string): string => {
  const name = /beacon\d+/.exec(prompt)?.[0] ?? 'nothing';
  return JSON.stringify([
    { text: `The ${name} is lit by its keeper.`, kind: 'fact' },
    { text: `Whoever keeps ${name} prefers oil.`, kind: 'preference' },
  ]);
};

it(`each memory is enriched once, however often the worker is killed (TEST_SEED=${TEST_SEED})`, { timeout: 300_000 }, async () => {
  const random = seededNumbers(TEST_SEED);
  const { url } = await start();
  // The first calls hang, so that the first kill surely meets work in flight.
  model.answer = () => ({ hang: 'all' });
  const sources: string[] = [];
  {
    await using tools = await connectTools(url);
    for (let n = 0; n < MEMORIES; n++)
      sources.push(
        keyOf(await tools.call('remember', { content: `The keeper of beacon${n} wrote down what she burns in it.`, force: false })),
      );
    await vi.waitFor(async () => expect(await tools.call('queue_status')).toMatchObject({ pending: MEMORIES, in_flight: 3 }), {
      timeout: 10_000,
    });
  }
  await server?.kill('SIGKILL');

  model.answer = async ({ prompt }) => {
    await delay(random() * 60);
    return { text: factsOf(prompt) };
  };
  for (let round = 0; round < ROUNDS; round++) {
    const asked = model.requests.length;
    await start();
    await vi.waitFor(() => expect(model.requests.length).toBeGreaterThan(asked), { timeout: 4_000, interval: 5 }).catch(() => undefined);
    await delay(random() * 150);
    await server?.kill('SIGKILL');
  }

  const last = await start();
  await using tools = await connectTools(last.url);
  await vi.waitFor(async () => expect(await tools.call('queue_status')).toMatchObject({ pending: 0, in_flight: 0, parked: [] }), {
    timeout: 60_000,
    interval: 50,
  });
  const store = await lookAt(dataDir);
  try {
    const events = (await entriesOf(store.log)).flatMap((entry): Recorded<DomainEvent>[] => (entry.kind === 'event' ? [entry.event] : []));
    for (const [n, source] of sources.entries()) {
      const finished = events.filter(({ type, envelope }) => type === 'EnrichmentFinished' && envelope.subject === source);
      const facts = events.flatMap((event) => (event.type === 'MemoryRemembered' && event.data.enriched_from === source ? [event] : []));
      expect(finished, `beacon${n}`).toHaveLength(1);
      expect(facts.map(({ data }) => data.content).sort()).toEqual([
        `The beacon${n} is lit by its keeper.`,
        `Whoever keeps beacon${n} prefers oil.`,
      ]);
      expect(finished[0]?.type === 'EnrichmentFinished' && [...finished[0].data.facts].sort()).toEqual(
        facts.map(({ envelope }) => envelope.subject).sort(),
      );
    }
    await verifyStore(store);
  } finally {
    store.close();
  }
});
