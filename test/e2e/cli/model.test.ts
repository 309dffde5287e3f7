import type { ChildProcess } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realModel, TEST_MODELS } from '../../support/real-model.js';
import { built, endOf, environment, launch, leftOver, newFolder, omnimem, remove } from './run.js';

const model = await realModel();
const folder = newFolder();
const env = environment(folder, { EMBEDDING: 'minilm' });

describe.skipIf(typeof model === 'string')('with the real model', () => {
  let server: ChildProcess | undefined;
  beforeAll(async () => {
    await built();
    symlinkSync(TEST_MODELS, join(folder, 'models'));
    server = launch(['start', '--json'], env);
    server.stdout?.resume();
    server.stderr?.resume();
  });
  afterAll(async () => {
    if (!server) return; // it did not even start
    const ended = endOf(server);
    server.kill('SIGTERM');
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(leftOver(folder)).toEqual([]);
    remove(folder);
  });

  const value = async (args: readonly string[], variables = env) => {
    const { out, err, code } = await omnimem([...args, '--json'], variables);
    expect([code, err]).toEqual([0, '']);
    return JSON.parse(out);
  };

  it('recalls with vectors, moves recall to another model, and knows when there is nothing to do', async () => {
    expect(await value(['model', 'fetch'])).toMatchObject({ model: 'all-MiniLM-L6-v2', road: 'disk' });
    for (let ready = false; !ready; ) ready = (await value(['health'])).model_loaded;
    expect(await value(['remember', 'We release new versions every Tuesday morning'])).toMatchObject({
      status: 'stored',
      embedding: 'stored',
    });
    const found = await value(['recall', 'Tuesday releases']);
    expect(found).toMatchObject({ search: 'fused', results: [{ content: 'We release new versions every Tuesday morning' }] });

    expect(await value(['reembed'])).toMatchObject({ status: 'unchanged', to: expect.stringContaining('minilm') });
    const moved = await value(['reembed'], { ...env, EMBEDDING: 'use-lite' });
    expect(moved).toMatchObject({
      status: 'moved',
      from: expect.stringContaining('minilm'),
      to: expect.stringContaining('uselite'),
      memories: 1,
    });
    const { out } = await omnimem(['log', '--type', 'EmbeddingModelChanged', '--all'], env);
    expect(out).toContain(`to=${moved.to}`);
  });
});
