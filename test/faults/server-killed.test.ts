import { mkdtempSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { endOrphan } from '../../services/valkey/child.js';
import { connectTools, keyOf, resultsOf, type Tools } from '../e2e/app/client.js';
import { TEST_SEED } from '../support/chance.js';
import { newId, seededNumbers } from '../support/eventlog.js';
import { type ServerProcess, startServerProcess, stopServerProcess } from './server.js';
import { lookAt, verifyStore } from './store.js';

const ROUNDS = Number(process.env.TEST_ROUNDS ?? (process.env.SOAK ? 8 : 2));
const WRITERS = 4;

type Written = { readonly key: string; content: string; tags: readonly string[]; keys?: readonly string[] };

/** Remembers, revises, retags and stores documents until the server goes; what was acknowledged is noted the moment it is. */
const write = async (tools: Tools, name: string, written: Map<string, Written>): Promise<void> => {
  try {
    for (let n = 0; ; n++) {
      const content = `Writer ${name} noted beacon${name}x${n} in the ledger.`;
      const key = keyOf(await tools.call('remember', { content, force: true, command_id: newId() }));
      written.set(key, { key, content, tags: [] });
      if (n % 3 === 0) {
        const revised = `Writer ${name} corrected beacon${name}x${n} in the ledger.`;
        await tools.call('revise', { key, content: revised });
        written.set(key, { key, content: revised, tags: [] });
        await tools.call('retag', { key, add: ['seen'] });
        written.set(key, { key, content: revised, tags: ['seen'] });
      }
      if (n % 5 === 1) {
        const parts = Array.from({ length: 3 }, (_, i) => `Part ${i} by ${name} number ${n}. ${`word${i}${name}${n} `.repeat(120)}`);
        const { keys } = await tools.call('remember_document', { content: parts.join('\n\n') });
        for (const part of keys as string[]) written.set(part, { key: part, content: '', tags: [], keys: keys as string[] });
      }
    }
  } catch {
    // The server is gone; what was not acknowledged may or may not be there, but never half.
  }
};

it(`every acknowledged write outlives kill -9 of the server at any moment (${ROUNDS} times)`, { timeout: 300_000 }, async () => {
  const random = seededNumbers(TEST_SEED);
  const dataDir = mkdtempSync('/tmp/omt-');
  const written = new Map<string, Written>();
  let server: ServerProcess | undefined;
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const hint = `TEST_SEED=${TEST_SEED}, round ${round}`;
      server = await startServerProcess(dataDir);
      const { url } = server;
      const clients = await Promise.all(Array.from({ length: WRITERS }, (_, n) => connectTools(url, `w${n}`)));
      const before = written.size;
      const writing = clients.map((tools, n) => write(tools, `r${round}w${n}`, written));
      while (written.size < before + WRITERS) await new Promise((resolve) => setTimeout(resolve, 2));
      await new Promise((resolve) => setTimeout(resolve, random() * 400));
      await server.kill('SIGKILL');
      // A client of the library waits for its stream to come back; closing it ends the call.
      await Promise.all(clients.map((tools) => tools.close().catch(() => undefined)));
      await Promise.all(writing);

      server = await startServerProcess(dataDir);
      await using tools = await connectTools(server.url);
      const all = [...written.values()];
      for (let from = 0; from < all.length; from += 50) {
        const page = all.slice(from, from + 50);
        const details = resultsOf(await tools.call('recall_detail', { keys: page.map(({ key }) => key) }));
        for (const [i, { key, content, tags, keys }] of page.entries()) {
          expect(details[i], hint).toMatchObject({ key, state: 'active' });
          if (keys) continue;
          // The next command of its writer may have been done without an answer.
          expect([content, content.replace('noted', 'corrected')], hint).toContain(details[i]?.content);
          if (tags.length > 0) expect(details[i]?.tags, hint).toEqual(tags);
        }
      }
      for (const { key, content } of all.filter(({ keys }) => !keys).slice(-5)) {
        const beacon = /beacon\w+/.exec(content)?.[0] ?? '';
        expect(resultsOf(await tools.call('recall', { query: beacon }))[0], hint).toMatchObject({ key });
      }
      const store = await lookAt(dataDir);
      await verifyStore(store);
      // None half: a document has all of its chunks or none, and every hash of payloads is whole.
      const documents = new Map<string, number[]>();
      for (const key of await store.redis.keys(`${store.keys.prefix}ev:mem:*`)) {
        const subject = key.slice(`${store.keys.prefix}ev:`.length);
        const [history] = await store.log.load([subject]);
        expect(history?.events.length, hint).toBe(history?.version);
        const [first] = history?.events ?? [];
        if (first?.type !== 'MemoryRemembered' || first.data.doc_id === undefined) continue;
        documents.set(first.data.doc_id, [...(documents.get(first.data.doc_id) ?? []), first.data.chunk_index ?? -1]);
      }
      for (const chunks of documents.values()) expect(chunks.sort(), hint).toEqual([0, 1, 2]);
      store.close();
      const { issues } = (await tools.call('health')) as { issues: { severity: string; code: string }[] };
      expect(
        issues.filter(({ severity }) => severity === 'red'),
        hint,
      ).toEqual([]);
      await tools.close();
      if (round % 2 === 0) await stopServerProcess(server);
      else await server.kill('SIGKILL');
    }
    expect(written.size).toBeGreaterThanOrEqual(ROUNDS * WRITERS);
  } finally {
    await server?.kill();
    await endOrphan(`${dataDir}/valkey`);
    rmSync(dataDir, { recursive: true, force: true });
  }
});
