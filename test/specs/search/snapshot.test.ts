import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InMemoryLexicalIndex } from '../../../projections/search/lexical.js';
import { loadSnapshot, removeSnapshot, type SearchIndexes, saveSnapshot } from '../../../projections/search/snapshot.js';
import { InProcessVectorIndex } from '../../../projections/search/vectors.js';
import { clusteredUnits, facets, generator } from './samples.js';

const OPTIONS = { dimension: 32, graphFrom: 400, scanMost: 50 };
const POSITION = { logId: 'log-1', streamId: '17-0', eventId: '01J' };
const MODEL = 'model-a';

describe('a snapshot of the indexes', () => {
  const opened: InProcessVectorIndex[] = [];
  let directory: string;

  const indexes = async (count: number): Promise<SearchIndexes> => {
    const vectors = new InProcessVectorIndex(OPTIONS);
    const words = new InMemoryLexicalIndex();
    opened.push(vectors);
    for (const [i, vector] of clusteredUnits(count, OPTIONS.dimension, generator(5)).entries()) {
      const each = facets({ project: i % 3 === 0 ? 'atlas' : `projekt-ü${i % 5}`, createdAt: i });
      await vectors.upsert(`m${i}`, i % 4 === 0 ? [vector, vector] : [vector], each);
      words.upsert(`m${i}`, `memory number${i} of group${i % 7} größe 日本`, each);
    }
    await vectors.remove('m3');
    words.remove('m3');
    await vectors.settled();
    return { vectors, words };
  };
  const load = async (model = MODEL) => {
    const outcome = await loadSnapshot(directory, model, OPTIONS);
    if (outcome.status === 'loaded') opened.push(outcome.vectors);
    return outcome;
  };
  const file = async (kind: string) => join(directory, (await readdir(directory)).find((name) => name.startsWith(kind)) as string);

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'omnimem snapshot ü '));
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((index) => index.close()));
    await rm(directory, { recursive: true, force: true });
  });

  it.each([20, 900])('of %i memories answers as the indexes did', async (count) => {
    const before = await indexes(count);
    await saveSnapshot(directory, MODEL, POSITION, before);
    const after = await load();
    if (after.status !== 'loaded') throw new Error(JSON.stringify(after));
    expect(after.position).toEqual(POSITION);
    expect(after.vectors.stats()).toEqual(before.vectors.stats());
    expect(after.words.stats()).toEqual(before.words.stats());
    for (const query of clusteredUnits(10, OPTIONS.dimension, generator(6)))
      for (const filter of [{}, { projects: ['projekt-ü1', 'atlas'] }, { createdFrom: 10 }])
        expect(await after.vectors.knn(query, 8, filter)).toEqual(await before.vectors.knn(query, 8, filter));
    expect(after.words.search('group3 größe number5', 8, { projects: ['atlas'] })).toEqual(
      before.words.search('group3 größe number5', 8, { projects: ['atlas'] }),
    );
  });

  it('goes on from where it was', async () => {
    await saveSnapshot(directory, MODEL, POSITION, await indexes(900));
    const after = await load();
    if (after.status !== 'loaded') throw new Error(JSON.stringify(after));
    const [fresh, other] = clusteredUnits(2, OPTIONS.dimension, generator(8)) as [Float32Array, Float32Array];
    await after.vectors.upsert('m5', [fresh], facets());
    await after.vectors.upsert('new', [other], facets());
    await after.vectors.settled();
    expect((await after.vectors.knn(fresh, 1, {}))[0]).toMatchObject({ key: 'm5', similarity: 1 });
    expect((await after.vectors.knn(other, 1, {}))[0]).toMatchObject({ key: 'new', similarity: 1 });
    after.words.upsert('new', 'zeppelin', facets());
    expect(after.words.search('zeppelin', 1, {})[0]?.key).toBe('new');
  });

  it('keeps the vectors that the graph had not taken in yet', async () => {
    const vectors = new InProcessVectorIndex(OPTIONS);
    opened.push(vectors);
    const points = clusteredUnits(900, OPTIONS.dimension, generator(5));
    for (const [i, point] of points.entries()) await vectors.upsert(`m${i}`, [point], facets());
    await saveSnapshot(directory, MODEL, POSITION, { vectors, words: new InMemoryLexicalIndex() });
    const after = await load();
    if (after.status !== 'loaded') throw new Error(JSON.stringify(after));
    await after.vectors.settled();
    for (const i of [0, 450, 899]) expect((await after.vectors.knn(points[i] as Float32Array, 1, {}))[0]?.key).toBe(`m${i}`);
  });

  it('replaces the one before and leaves no file of it', async () => {
    await saveSnapshot(directory, MODEL, { at: 1 }, await indexes(500));
    await saveSnapshot(directory, MODEL, { at: 2 }, await indexes(20));
    expect((await readdir(directory)).map((name) => name.replace(/-.*/, '')).sort()).toEqual(['manifest.json', 'vectors', 'words']);
    expect(await load()).toMatchObject({ status: 'loaded', position: { at: 2 } });
  });

  it('holds no word and no vector of what was removed', async () => {
    const before = await indexes(20);
    const [secret] = clusteredUnits(1, OPTIONS.dimension, generator(77)) as [Float32Array];
    const bytes = Buffer.from(secret.buffer);
    await before.vectors.upsert('gone', [secret], facets());
    before.words.upsert('gone', 'topsecretword', facets());
    await saveSnapshot(directory, MODEL, POSITION, before);
    expect((await readFile(await file('vectors'))).includes(bytes)).toBe(true);
    expect((await readFile(await file('words'))).includes('topsecretword')).toBe(true);
    await before.vectors.remove('gone');
    before.words.remove('gone');
    await saveSnapshot(directory, MODEL, POSITION, before);
    expect((await readFile(await file('vectors'))).includes(bytes)).toBe(false);
    expect((await readFile(await file('words'))).includes('topsecretword')).toBe(false);
  });

  it('is absent where none was written, and after its removal', async () => {
    expect(await load()).toEqual({ status: 'absent' });
    await saveSnapshot(directory, MODEL, POSITION, await indexes(20));
    await removeSnapshot(directory);
    expect(await readdir(directory)).toEqual([]);
    expect(await load()).toEqual({ status: 'absent' });
    await removeSnapshot(join(directory, 'never made'));
  });

  it('is refused for another model', async () => {
    await saveSnapshot(directory, MODEL, POSITION, await indexes(20));
    expect(await load('model-b')).toMatchObject({ status: 'refused', reason: 'foreign-model' });
  });

  it.each(['vectors', 'words', 'graph', 'manifest'])('is refused when a byte of its %s is another', async (kind) => {
    await saveSnapshot(directory, MODEL, POSITION, await indexes(500));
    const path = await file(kind);
    const bytes = await readFile(path);
    const middle = bytes.length >> 1;
    bytes[middle] = (bytes[middle] as number) ^ 1;
    await writeFile(path, bytes);
    expect(await load()).toMatchObject({ status: 'refused', reason: 'damaged' });
  });

  it.each(['vectors', 'words', 'graph', 'manifest'])('is refused when its %s is cut short or gone', async (kind) => {
    await saveSnapshot(directory, MODEL, POSITION, await indexes(500));
    const path = await file(kind);
    await truncate(path, (await readFile(path)).length - 3);
    expect(await load()).toMatchObject({ status: 'refused', reason: 'damaged' });
    await rm(path);
    expect(await load()).toMatchObject(kind === 'manifest' ? { status: 'absent' } : { status: 'refused', reason: 'damaged' });
  });

  it('is refused when a newer program wrote it', async () => {
    const { createHash } = await import('node:crypto');
    const json = JSON.stringify({ format: 2, whatever: true });
    await writeFile(join(directory, 'manifest.json'), `${json}\n${createHash('sha256').update(json).digest('hex')}\n`);
    expect(await load()).toMatchObject({ status: 'refused', reason: 'other-format' });
  });

  it('is not kept when an index changed while it was written', async () => {
    const before = await indexes(500);
    await saveSnapshot(directory, MODEL, { at: 1 }, before);
    const saving = saveSnapshot(directory, MODEL, { at: 2 }, before);
    await before.vectors.remove('m7');
    await expect(saving).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await load()).toMatchObject({ status: 'loaded', position: { at: 1 } });
    expect(await readdir(directory)).toHaveLength(4);
  });
});
