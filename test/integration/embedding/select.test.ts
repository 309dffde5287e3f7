import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchModel } from '../../../services/embedding/fetch.js';
import { miniLmIdentity } from '../../../services/embedding/minilm.js';
import type { EmbedderProvider, EmbeddingChoice } from '../../../services/embedding/provider.js';
import { openEmbedderProvider, type ProviderOptions } from '../../../services/embedding/select.js';
import { USE_LITE } from '../../../services/embedding/use-lite.js';
import { tinyModel } from '../../support/tiny-model.js';
import { type HubMirror, startHubMirror } from './hub-mirror.js';

const tiny = tinyModel();
const tinyId = miniLmIdentity(tiny.manifest).id;

let root: string;
let hub: HubMirror;
let hubIsUp: boolean;
let provider: EmbedderProvider | undefined;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'omnimem-select-'));
  hubIsUp = true;
  hub = await startHubMirror(tiny.files, (_, __, response) => {
    if (!hubIsUp) response.writeHead(503).end();
    return !hubIsUp;
  });
});
afterEach(async () => {
  await provider?.close();
  await hub.close();
  await rm(root, { recursive: true, force: true });
});

const fetch = (): ProviderOptions['fetch'] => ({ dir: root, manifest: tiny.manifest, roads: ['hub'], env: { HF_ENDPOINT: hub.endpoint } });
const start = (choice: EmbeddingChoice, options: Partial<ProviderOptions> = {}): EmbedderProvider => {
  provider = openEmbedderProvider({ choice, fetch: fetch(), retry: { firstMs: 50, maxMs: 100 }, ...options });
  return provider;
};
const changeTo = (from: EmbedderProvider, modelId: string) =>
  new Promise<void>((resolve) => {
    from.onChange((embedder) => embedder.identity.id === modelId && resolve());
  });

describe('auto', () => {
  it('is usable at once, and becomes MiniLM when that is fetched', async () => {
    const files: string[] = [];
    const provider = start('auto', { onProgress: ({ file }) => files.push(file) });
    expect(provider.current()).toBeUndefined();
    expect(provider.status()).toMatchObject({ choice: 'auto', state: 'loading' });

    const embedder = await provider.ready();
    expect(embedder.identity.id).toBe(tinyId);
    expect(provider.current()).toBe(embedder);
    expect(provider.status()).toMatchObject({ state: 'ready', modelId: tinyId, reason: undefined });
    expect(new Set(files)).toEqual(new Set(['tokenizer.json', 'onnx/model.onnx']));
  });

  it('takes what is on disk without asking anyone', async () => {
    await fetchModel(fetch());
    const before = hub.asked.length;
    await start('auto').ready();
    expect(hub.asked).toHaveLength(before);
  });

  it('serves the offline encoder while no road leads to MiniLM, says why, and changes when one does', async () => {
    hubIsUp = false;
    const provider = start('auto');
    expect((await provider.ready()).identity.id).toBe(USE_LITE.id);
    expect(provider.status()).toMatchObject({
      state: 'ready',
      modelId: USE_LITE.id,
      reason: expect.stringContaining('503'),
      failedRoads: [{ road: 'hub' }],
    });

    const better = changeTo(provider, tinyId);
    hubIsUp = true;
    await better;
    expect(provider.current()?.identity.id).toBe(tinyId);
    expect(provider.status()).toMatchObject({ modelId: tinyId, reason: undefined, failedRoads: [] });

    const former = await provider.forModel(USE_LITE.id);
    expect(await former?.embedQuery('an index of the former model')).toHaveLength(512);
    await provider.release(USE_LITE.id);
    await expect(former?.embedQuery('no more')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await provider.release(tinyId);
    expect(await provider.current()?.embedQuery('the current one stays')).toHaveLength(64);
  });

  it('lets the offline encoder serve when a fetch takes too long', async () => {
    await hub.close();
    hub = await startHubMirror(tiny.files, () => true);
    const provider = start('auto', { graceMs: 20 });
    expect((await provider.ready()).identity.id).toBe(USE_LITE.id);
    expect(provider.status()).toMatchObject({ state: 'ready', reason: expect.stringContaining('still being fetched') });
  });
});

describe('the other choices', () => {
  it('minilm waits for MiniLM and nothing else', async () => {
    hubIsUp = false;
    const provider = start('minilm');
    await expect(provider.ready(AbortSignal.timeout(400))).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(provider.current()).toBeUndefined();
    expect(provider.status()).toMatchObject({ modelId: undefined, reason: expect.stringContaining('503') });
    hubIsUp = true;
    expect((await provider.ready()).identity.id).toBe(tinyId);
  });

  it('use-lite asks no one', async () => {
    expect((await start('use-lite').ready()).identity.id).toBe(USE_LITE.id);
    expect(hub.asked).toEqual([]);
  });

  it('none has no embedder, but opens the one that an older index needs', async () => {
    const provider = start('none');
    await expect(provider.ready()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(provider.status()).toMatchObject({ state: 'off', modelId: undefined });
    expect(await provider.forModel(tinyId)).toBeUndefined();
    expect((await provider.forModel(USE_LITE.id))?.identity.id).toBe(USE_LITE.id);
    expect(hub.asked).toEqual([]);
  });
});

it('closes in the middle of a fetch, and whoever waited is told', async () => {
  await hub.close();
  hub = await startHubMirror(tiny.files, () => true);
  const provider = start('auto');
  const waiting = expect(provider.ready()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await Promise.all([provider.close(), provider.close()]);
  await waiting;
  await expect(provider.ready()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
