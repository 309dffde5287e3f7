import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import type { Redis } from 'iovalkey';
import { connect } from '../../services/valkey/client.js';
import { encode, endOfValue, type Session, serveResp } from './resp.js';
import { type EngineOptions, SearchEngine } from './search-engine.js';
import { startValkey, type TestValkey, type TestValkeyOptions } from './valkey.js';

export type SearchServer = AsyncDisposable & {
  /** Path of the unix socket at which the server has a search module. */
  readonly socket: string;
  readonly engine: SearchEngine;
  readonly valkey: TestValkey;
  readonly client: () => Redis;
};

/** A real valkey-server behind a front that answers FT.* by an emulation of valkey-search; see `SearchEngine`. */
export const startSearchServer = async (options: EngineOptions & TestValkeyOptions = {}): Promise<SearchServer> => {
  const valkey = await startValkey(options);
  const engine = new SearchEngine(valkey.client(), options);
  const home = mkdtempSync('/tmp/omt-');
  const socket = `${home}/s`;
  const front = await serveResp(socket, () => forwarding(valkey.socket, engine));
  const clients = new Set<Redis>();
  return {
    socket,
    engine,
    valkey,
    client: () => {
      const client = connect({ path: socket }, 'general');
      clients.add(client);
      return client;
    },
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) client.disconnect();
      await front[Symbol.asyncDispose]();
      await valkey.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
};

/** Hands on what is not for the module, over a connection of its own. */
const forwarding = (path: string, engine: SearchEngine): Session => {
  const upstream = createConnection(path);
  let received = Buffer.alloc(0);
  let wake: (() => void) | undefined;
  let closed = false;
  upstream.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    wake?.();
  });
  upstream.on('error', () => undefined);
  upstream.on('close', () => {
    closed = true;
    wake?.();
  });
  const answer = async (args: Buffer[], request: Buffer): Promise<Buffer> => {
    const reply = await engine.answer(args);
    if (reply !== undefined) return encode(reply);
    upstream.write(request);
    let end = endOfValue(received, 0);
    while (end === undefined) {
      if (closed) throw new Error('the server behind is gone');
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      end = endOfValue(received, 0);
    }
    const bytes = received.subarray(0, end);
    received = received.subarray(end);
    return bytes;
  };
  return { answer, end: () => upstream.destroy() };
};
