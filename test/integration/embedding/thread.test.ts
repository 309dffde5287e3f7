import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { miniLmIdentity, miniLmStarter, openMiniLm } from '../../../services/embedding/minilm.js';
import type { Embedder } from '../../../services/embedding/port.js';
import { AlteredModel } from '../../../services/embedding/thread/client.js';
import { threadEmbedder } from '../../../services/embedding/thread-embedder.js';
import { cosine } from '../../../services/embedding/vectors.js';
import { type TinyModel, tinyModel, writeTinyModel } from '../../support/tiny-model.js';

const tiny = tinyModel();
let root: string;
let dir: string;
const open: Embedder[] = [];

const place = async (name: string, model: TinyModel) => {
  await writeTinyModel(join(root, name), model);
  return join(root, name);
};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'omnimem-thread-'));
  dir = await place('tiny', tiny);
});
afterEach(async () => {
  for (const embedder of open.splice(0)) await embedder.close();
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** An embedder over the tiny model, and the thread that serves it now. */
const openTiny = async (options: { dir?: string; model?: TinyModel } = {}) => {
  const { manifest } = options.model ?? tiny;
  const start = miniLmStarter({ dir: options.dir ?? dir, manifest });
  const threads: Worker[] = [];
  const embedder = await threadEmbedder(miniLmIdentity(manifest), () => {
    const thread = start();
    threads.push(thread);
    return thread;
  });
  open.push(embedder);
  return { embedder, threads };
};

const long = (words: number) => Array.from({ length: words }, (_, i) => ['queue', 'test', 'login', 'car'][i % 4]).join(' ');
const only = (windows: Float32Array[] | undefined): Float32Array => windows?.[0] ?? new Float32Array();

describe('texts become unit vectors', () => {
  it('whose neighbours mean the same', async () => {
    const { embedder } = await openTiny();
    const [a, b, c] = await embedder.embed(['The database crashed', 'postgres outage', 'a quick kitten']);
    expect(cosine(only(a), only(b))).toBeGreaterThan(0.5);
    expect(cosine(only(a), only(c))).toBeLessThan(cosine(only(a), only(b)) - 0.3);
  });

  it('in the order asked, whatever their lengths, and the same as alone', async () => {
    const { embedder } = await openTiny();
    const texts = Array.from({ length: 60 }, (_, i) => `${'database '.repeat(i % 7)}${long(i % 23)} kitten`);
    const together = await embedder.embed(texts);
    for (const [i, text] of texts.entries()) {
      const [alone] = await embedder.embed([text]);
      expect(cosine(only(together[i]), only(alone))).toBeGreaterThan(1 - 1e-5);
    }
  });

  it('one vector a window of a long text, the last of which finds its tail', async () => {
    const { embedder } = await openTiny();
    const [windows = []] = await embedder.embed([`${long(2000)}. The kitten was repaired.`]);
    expect(windows.length).toBeGreaterThan(30);
    const query = await embedder.embedQuery('feline patch');
    const scores = windows.map((window) => cosine(window, query));
    expect(scores.indexOf(Math.max(...scores))).toBe(windows.length - 1);
  });

  it('also where the tokenizer knows nothing: halves of surrogate pairs, emoji, Chinese, control characters', async () => {
    const { embedder } = await openTiny();
    const texts = ['\ud800', 'ok \udfff', '\u{1f600}', '数据库崩溃了', '\u0000\u0007x', '\u200f\u202e', '[PAD]'];
    expect(await embedder.embed(texts)).toHaveLength(texts.length);
  });

  it('nothing for nothing, and a refusal for a blank text', async () => {
    const { embedder } = await openTiny();
    expect(await embedder.embed([])).toEqual([]);
    await expect(embedder.embed(['cat', ' '])).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(embedder.embedQuery('')).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  it('never a vector that is not finite', async () => {
    const zero = tinyModel({ zero: true });
    const { embedder } = await openTiny({ dir: await place('zero', zero), model: zero });
    await expect(embedder.embed(['cat'])).rejects.toMatchObject({ code: 'INTERNAL', message: expect.stringContaining('not finite') });
  });
});

describe('the queue', () => {
  it('lets a query pass documents that wait', async () => {
    const { embedder } = await openTiny();
    let done = 0;
    const documents = Array.from({ length: 300 }, async () => {
      await embedder.embed([long(300)]);
      done++;
    });
    await embedder.embedQuery('kitten');
    expect(done).toBeLessThan(150);
    await Promise.all(documents);
  });

  it('does not keep one document waiting for a large job that came first', async () => {
    const { embedder } = await openTiny();
    let largeDone = false;
    const large = embedder.embed(Array.from({ length: 400 }, () => long(300))).then(() => {
      largeDone = true;
    });
    await embedder.embed(['one more']);
    expect(largeDone).toBe(false);
    await large;
  });

  it('forgets a job that is aborted, at once, and serves the others', async () => {
    const { embedder } = await openTiny();
    const stop = new AbortController();
    const aborted = embedder.embed(
      Array.from({ length: 3000 }, () => long(300)),
      { signal: stop.signal },
    );
    const refused = expect(aborted).rejects.toThrow('not needed');
    stop.abort(new Error('not needed'));
    await refused;
    expect(await embedder.embed(['cat'])).toHaveLength(1);
    await expect(embedder.embed(['cat'], { signal: stop.signal })).rejects.toThrow('not needed');
  });
});

describe('a thread that dies', () => {
  it('fails what it held as UNAVAILABLE, and the next call starts a new one', async () => {
    const { embedder, threads } = await openTiny();
    const before = await embedder.embedQuery('cat');
    const held = [embedder.embed(Array.from({ length: 2000 }, () => long(300))), embedder.embedQuery('dog')];
    const refused = held.map((call) => expect(call).rejects.toMatchObject({ code: 'UNAVAILABLE' }));
    threads[0]?.postMessage(null); // not a request: the thread throws, as it would on a fault of ours
    await Promise.all(refused);

    expect(cosine(await embedder.embedQuery('cat'), before)).toBeCloseTo(1, 6);
    expect(threads).toHaveLength(2);
  });

  it('is not started again after close', async () => {
    const { embedder, threads } = await openTiny();
    const held = embedder.embed(Array.from({ length: 2000 }, () => long(300)));
    const refused = expect(held).rejects.toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('closed') });
    await embedder.close();
    await refused;
    await expect(embedder.embed(['cat'])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(threads).toHaveLength(1);
  });
});

describe('a model that cannot be used', () => {
  it('is refused when a byte of it changed since it was fetched', async () => {
    const bad = await place('bad', tiny);
    const graph = Buffer.from(tiny.files.get(tiny.manifest.graph.path) ?? []);
    graph.writeUInt8(graph.readUInt8(5000) ^ 1, 5000);
    await writeFile(join(bad, tiny.manifest.graph.path), graph);
    await expect(openMiniLm({ dir: bad, manifest: tiny.manifest })).rejects.toThrow(AlteredModel);
    await expect(openMiniLm({ dir: bad, manifest: tiny.manifest })).rejects.toThrow(tiny.manifest.graph.path);
  });

  it('is refused when its folder is empty', async () => {
    await expect(openMiniLm({ dir: join(root, 'nowhere'), manifest: tiny.manifest })).rejects.toThrow('ENOENT');
  });

  it('is refused before any thread starts when its pooling is not known', async () => {
    const manifest = { ...tiny.manifest, pooling: 'cls' };
    expect(() => openMiniLm({ dir, manifest })).toThrowError(expect.objectContaining({ code: 'VALIDATION' }));
  });

  it('says so when the graph has another dimension', async () => {
    const { embedder } = await openTiny({ model: { ...tiny, manifest: { ...tiny.manifest, dimension: 32 } } });
    await expect(embedder.embed(['cat'])).rejects.toMatchObject({ code: 'INTERNAL', message: expect.stringContaining('32') });
  });
});
