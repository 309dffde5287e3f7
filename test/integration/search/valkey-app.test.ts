import { createConnection } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ORIGIN } from '../../../domain/envelope.js';
import { RecallIndex } from '../../../projections/recall/recall-index.js';
import { InMemoryLexicalIndex } from '../../../projections/search/lexical.js';
import { valkeyVectors } from '../../../projections/search/valkey/space.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { hashedEmbedder, providerOf } from '../../support/embedders.js';
import type { EngineOptions } from '../../support/search-engine.js';
import { type SearchServer, startSearchServer } from '../../support/search-server.js';
import { startValkey } from '../../support/valkey.js';

/** The whole product on a server that reports a search module. */
describe('the product on a server with a search module', () => {
  let server: SearchServer;
  let test: TestApp;
  let provider: ReturnType<typeof providerOf>;
  const open = async (options: EngineOptions = {}, env: Readonly<Record<string, string>> = {}): Promise<void> => {
    server = await startSearchServer(options);
    provider = providerOf(hashedEmbedder('use-lite'));
    test = await openTestApp({ provider, env, valkey: { ...server.valkey, socket: server.socket } });
    ends.push(test.end, server[Symbol.asyncDispose]);
  };
  const ends: (() => PromiseLike<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  const remember = async (content: string, more: object = {}) => {
    const stored = await test.app.commands.remember({ content, force: true, ...more }, test.call);
    return 'key' in stored ? stored.key : '';
  };
  const recall = (query: string, more: object = {}) => test.app.queries.recall({ query, ...more }, test.call);
  const rows = () => server.valkey.client().keys(`${test.keys.prefix}vec:*`);
  const served = () => test.index.serving?.stats();
  const health = () => test.app.queries.health();

  describe('of 1.2', () => {
    beforeEach(async () => {
      await open();
      await vi.waitFor(() => expect(test.index.serving).toBeDefined(), 10_000);
    });

    it('searches vectors there, from what was just stored', async () => {
      await remember('The staging API listens on port 8080.', { project: 'ports' });
      await remember('Bananas ripen faster in a paper bag.', { project: 'fruit' });
      const { results } = await recall('which port does the staging API use?', { score_breakdown: true });
      expect(results[0]).toMatchObject({ content: 'The staging API listens on port 8080.' });
      expect(served()).toMatchObject({ episodic: { engine: 'valkey-search', memories: 2 } });
      expect(server.engine.requests.some(([command, , text]) => command === 'FT.SEARCH' && text?.includes('KNN'))).toBe(true);
      const { results: scoped } = await recall('which port does the staging API use?', { project_filter: 'fruit' });
      expect(scoped.map((result) => result.project)).not.toContain('ports');
    });

    it('names what serves in health, and is well', async () => {
      await remember('Something to search for.');
      await vi.waitFor(async () => expect(served()).toMatchObject({ episodic: { state: 'ready' } }), 20_000);
      const { indexes, issues } = await health();
      expect(indexes.search).toMatchObject({ usable: true, version: '1.2.1' });
      expect(issues.filter(({ code }) => code.startsWith('SEARCH'))).toEqual([]);
    });

    it('deletes the rows of a memory with its forgetting', async () => {
      const key = await remember('A secret that has to go: the maiden name is Quux.');
      await remember('Another that stays.');
      expect(await rows()).toHaveLength(2);
      const [entry] = await test.app.queries.recall({ query: 'secret maiden name Quux' }, test.call).then(({ results }) => results);
      expect(entry?.key).toBe(key);
      await test.app.commands.forget({ key_or_query: key, confirm: true }, test.call);
      expect((await rows()).filter((row) => row.includes(key))).toEqual([]);
      expect(await rows()).toHaveLength(1);
    });

    it('removes what a process left that was killed as it forgot or wrote a row, before an erasure is confirmed', async () => {
      const key = await remember('The lighthouse keeper lives alone.');
      await remember('Another that stays.');
      const redis = server.valkey.client();
      const model = test.index.serving?.model.id ?? '';
      const own = test.keys.searchRow(model, 'episodic', key, 0);
      const left = ['em_killed', 'em_killed_too'].flatMap((memory) => [
        test.keys.searchRow(model, 'episodic', memory, 0),
        test.keys.searchDraft(model, 'episodic', memory, 1),
      ]);
      for (const row of left) await redis.copy(own, row);
      await test.app.commands.forget({ key_or_query: key, confirm: true }, test.call);
      await vi.waitFor(async () => expect(await redis.exists(...left)).toBe(0), 20_000);
      expect(await rows()).toHaveLength(1);
    });

    it('never writes what an index reads by a script or in a transaction, after which the module may stand still', async () => {
      const monitor = createConnection(server.valkey.socket);
      const seen: { readonly command: string; readonly row: boolean; readonly script: boolean }[] = [];
      createInterface(monitor).on('line', (line) => {
        const [, source, command = ''] = /^\S+ \[\d+ (\S+)\] "(\w+)"/.exec(line) ?? [];
        seen.push({ command: command.toLowerCase(), row: line.includes(`"${test.keys.prefix}vec:`), script: source === 'lua' });
      });
      monitor.write('MONITOR\r\n');
      await vi.waitFor(() => expect(seen).not.toEqual([]), 20_000);
      const key = await remember('The lighthouse keeper lives alone.');
      await test.app.commands.revise({ key, content: 'The lighthouse keeper has a dog.' }, test.call);
      await test.app.commands.archive({ key_or_query: key }, test.call);
      await recall('lighthouse keeper', { include_archived: true });
      await test.app.commands.forget({ key_or_query: key, confirm: true }, test.call);
      await vi.waitFor(() => expect(seen.some(({ command, row }) => row && command === 'unlink')).toBe(true), 20_000);
      const reads = ['hget', 'hgetall', 'hmget', 'exists', 'scan', 'evalsha', 'eval'];
      const written = seen.filter(({ command, row }) => row && !reads.includes(command));
      expect(new Set(written.filter(({ script }) => !script).map(({ command }) => command))).toEqual(
        new Set(['rename', 'renamenx', 'unlink']),
      );
      expect(written.filter(({ script }) => script)).toEqual([]);
      expect(seen.filter(({ command }) => command === 'multi')).toEqual([]);
      expect(await rows()).toEqual([]);
      monitor.destroy();
    });

    it('follows a change of state, of text and a second process', async () => {
      const key = await remember('The lighthouse keeper lives alone.');
      const second = await test.another();
      await second.app.whenReady(10_000);
      await test.app.commands.archive({ key_or_query: key }, test.call);
      expect(await server.valkey.client().hget((await rows())[0] ?? '', 'state')).toBe('archived');
      expect((await second.app.queries.recall({ query: 'lighthouse keeper' }, test.call)).results).toEqual([]);
      expect(await rows()).toHaveLength(1);
      await second.close();
    });

    it('moves to another model, and removes the index and rows of the old one', async () => {
      await remember('The lighthouse keeper lives alone.');
      const old = test.index.serving?.model.id ?? '';
      expect(await rows()).toEqual([expect.stringContaining(old)]);
      provider.arrive(hashedEmbedder('all-MiniLM-L6-v2', 64));
      await vi.waitFor(() => expect(test.index.serving?.model.dimension).toBe(64), 20_000);
      await vi.waitFor(async () => expect((await rows()).filter((row) => row.includes(old))).toEqual([]), 10_000);
      expect(await rows()).toHaveLength(1);
      expect([...server.engine.indexes.keys()].filter((name) => name.includes(old))).toEqual([]);
      expect((await recall('lighthouse keeper')).search).toBe('fused');
    });

    it('removes what a process left of the old model that was killed between the move and its clean-up', async () => {
      await remember('The lighthouse keeper lives alone.');
      const old = test.index.serving?.model.id ?? '';
      const left = async () => (await rows()).filter((row) => row.includes(old));
      // Killed there: none of the removal comes to pass, and nobody of this process tries again.
      server.engine.intercept = ([command, name]) =>
        command === 'FT.DROPINDEX' && name?.includes(old) ? { error: 'killed before the answer' } : undefined;
      provider.arrive(hashedEmbedder('all-MiniLM-L6-v2', 64));
      await vi.waitFor(() => expect(test.index.serving?.model.dimension).toBe(64), 20_000);
      const model = test.index.serving?.model.id ?? '';
      await test.close();
      expect(await left()).toHaveLength(1);
      expect([...server.engine.indexes.keys()].filter((name) => name.includes(old))).not.toEqual([]);

      server.engine.intercept = undefined;
      const next = await test.another();
      await vi.waitFor(async () => expect(await left()).toEqual([]), 15_000);
      expect([...server.engine.indexes.keys()].filter((name) => name.includes(old))).toEqual([]);
      expect(await rows()).toEqual([expect.stringContaining(model)]);
      expect((await next.app.queries.recall({ query: 'lighthouse keeper' }, test.call)).search).toBe('fused');
      await next.close();
    });

    it('says that the index fails while the server refuses it, takes no vector for bad, and goes on afterwards', async () => {
      server.engine.intercept = ([command]) =>
        command === 'FT.CREATE' ? { error: "OOM command not allowed when used memory > 'maxmemory'." } : undefined;
      await remember('The lighthouse keeper lives alone.');
      await vi.waitFor(async () => expect((await health()).issues.map(({ code }) => code)).toContain('SEARCH_INDEX_FAILED'), 10_000);
      expect(test.index.serving?.refused.size).toBe(0);
      server.engine.intercept = undefined;
      await vi.waitFor(() => expect(served()).toMatchObject({ episodic: { state: 'ready', memories: 1 } }), 10_000);
      expect((await recall('lighthouse keeper')).search).toBe('fused');
    });

    it('names rows that no memory is behind, and reindex removes them', async () => {
      const key = await remember('The lighthouse keeper lives alone.');
      const redis = server.valkey.client();
      await vi.waitFor(async () => expect(served()).toMatchObject({ episodic: { state: 'ready', memories: 1 } }), 20_000);
      const issue = async () => (await health()).issues.find(({ code }) => code === 'SEARCH_PHANTOMS');
      expect(await issue()).toBeUndefined();
      const model = test.index.serving?.model.id ?? '';
      const own = test.keys.searchRow(model, 'episodic', key, 0);
      // As a killed process leaves them: of a memory that is forgotten, in a namespace without any memory, a window too many.
      const [gone, elsewhere, beyond] = [
        test.keys.searchRow(model, 'episodic', 'em_gone', 0),
        test.keys.searchRow(model, 'project', 'project:gone:context', 0),
        test.keys.searchRow(model, 'episodic', key, 3),
      ];
      for (const left of [gone, elsewhere, beyond]) await redis.copy(own, left);
      expect(await issue()).toMatchObject({
        severity: 'amber',
        message: "2 rows of the server's vector index of episodic belong to no memory",
        hint: expect.stringContaining('reindex'),
      });
      const result = await test.app.commands.reindex({}, test.call);
      expect(result).toMatchObject({ status: 'ok', total_phantoms_removed: 3 });
      expect('reindexed' in result && result.reindexed.find(({ namespace }) => namespace === 'episodic')).toMatchObject({
        removed_phantoms: 2,
        after_num_docs: 1,
      });
      expect(await rows()).toEqual([own]);
      expect(await issue()).toBeUndefined();
      expect((await recall('lighthouse keeper')).results[0]?.key).toBe(key);
    });

    it('starts from its files, words in them and vectors in the server', async () => {
      const key = await remember('The lighthouse keeper lives alone.');
      const log = { ...test.log, read: vi.fn(test.log.read) };
      const openIndex = async () => {
        const index = new RecallIndex({
          ...{ log, redis: test.redis, keys: test.keys, createLexical: () => new InMemoryLexicalIndex() },
          createVectors: valkeyVectors(test.redis, test.keys),
          snapshot: { directory: join(test.dataDir, 'index-of-another'), edition: '1', worth: 1 },
          generation: async () => 1,
          onTrouble: (message, error) => expect.fail(`${message}: ${String(error)}`),
        });
        index.start();
        const head = await test.log.head();
        await index.progress.waitFor(head?.position ?? ORIGIN, 5_000);
        await index.progress.waitFor('end', 5_000);
        await index.settled();
        return index;
      };
      const before = await openIndex();
      const { position } = before.progress;
      await before.close();
      log.read.mockClear();
      const after = await openIndex();
      expect(log.read.mock.calls[0]?.[0]).toBe(position);
      expect(after.words('episodic').search('lighthouse', 5, {})).toMatchObject([{ key }]);
      expect(after.serving?.stats()).toMatchObject({ episodic: { engine: 'valkey-search', memories: 1 } });
      expect(after.serving?.missing.size).toBe(0);
      await after.close();
    });

    it('falls back to words, and says so, while the server refuses to search', async () => {
      await remember('The lighthouse keeper lives alone.');
      server.engine.intercept = ([command]) =>
        command === 'FT.SEARCH' ? { error: "OOM command not allowed when used memory > 'maxmemory'." } : undefined;
      const { results, search, search_note } = await recall('lighthouse keeper');
      expect(results[0]?.content).toBe('The lighthouse keeper lives alone.');
      expect(search).toBe('lexical');
      expect(search_note).toBe("The server's vector search refused (memory); this was a search by words only.");
    });
  });

  describe('as asked for', () => {
    it('leaves the module alone, and says so in health, not as a problem', async () => {
      await open({}, { OMNIMEM_VECTOR_ENGINE: 'in-process' });
      await remember('The lighthouse keeper lives alone.');
      await vi.waitFor(() => expect(served()).toMatchObject({ episodic: { engine: 'exact' } }), 10_000);
      expect(server.engine.requests).toEqual([]);
      const { indexes, issues } = await health();
      expect(indexes.search).toEqual({
        asked: 'in-process',
        usable: false,
        reason: 'OMNIMEM_VECTOR_ENGINE is in-process; vectors are searched in this process',
      });
      expect(issues.filter(({ code }) => code.startsWith('SEARCH'))).toEqual([]);
    });

    it('uses the module and nothing else', async () => {
      await open({}, { OMNIMEM_VECTOR_ENGINE: 'valkey' });
      await remember('The lighthouse keeper lives alone.');
      await vi.waitFor(() => expect(served()).toMatchObject({ episodic: { engine: 'valkey-search' } }), 10_000);
      expect((await health()).indexes.search).toMatchObject({ asked: 'valkey', usable: true });
    });

    it.each([
      [{ version: 65_793 }, 'valkey-search 1.1.1 is older than 1.2 and is not used'],
      [{ version: undefined }, 'The server has no search module'],
    ])('refuses to start without it: %j', async ({ version }, why) => {
      const module = version === undefined ? undefined : await startSearchServer({ version });
      const bare = module?.valkey ?? (await startValkey());
      const valkey = module ? { ...bare, socket: module.socket } : bare;
      await expect(openTestApp({ valkey, env: { OMNIMEM_VECTOR_ENGINE: 'valkey' } })).rejects.toMatchObject({
        code: 'VALIDATION',
        message: `OMNIMEM_VECTOR_ENGINE is valkey, and this server cannot search vectors: ${why}`,
        hint: 'Load valkey-search 1.2 or newer into the server, or set OMNIMEM_VECTOR_ENGINE to auto or in-process',
      });
      await (module?.[Symbol.asyncDispose]() ?? bare.stop());
    });
  });

  it('does not use an older one, and says so in health', async () => {
    await open({ version: 65_793 });
    await remember('The lighthouse keeper lives alone.');
    await vi.waitFor(() => expect(served()).toMatchObject({ episodic: { engine: 'exact' } }), 10_000);
    expect(await rows()).toEqual([]);
    const { issues } = await health();
    expect(issues).toContainEqual(
      expect.objectContaining({
        code: 'SEARCH_MODULE_UNUSED',
        message: 'valkey-search 1.1.1 is older than 1.2 and is not used; vectors are searched in this process',
      }),
    );
  });
});
