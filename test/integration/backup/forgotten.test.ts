import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { purgeBackups } from '../../../services/backup/purge.js';
import { parseUntil } from '../../../services/backup/until.js';
import { forget, remember, restore, take, temporaryFolder } from '../../support/backup.js';
import { keysHolding, newId, newKey, openTestLog, readAll, type TestLog } from '../../support/eventlog.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

const SENTENCE = 'The sentinel sleeps beneath the copper beech.';

let valkey: TestValkey;
beforeAll(async () => {
  valkey = await startValkey({ config: { rdbcompression: 'no' } });
});
afterAll(() => valkey.stop());

/** Files below a folder that hold the text. */
const filesHolding = (dir: string, text: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text))
    .map(({ name }) => name);

const purge = ({ redis, keys }: TestLog, root: string) => purgeBackups({ redis, keys, stamp: newId }, { root, secrets: {} });

const secretAndOthers = async (source: TestLog): Promise<string> => {
  await remember(source, newKey(), 'a neighbour');
  const secret = newKey();
  await remember(source, secret, SENTENCE);
  await remember(source, newKey(), 'another neighbour');
  return secret;
};

describe('what was forgotten', () => {
  it('stays so when an older backup is restored that still holds it', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    const secret = await secretAndOthers(source);
    await take(source, folder.path, { name: 'old' });
    await forget(source, secret, 1);
    await take(source, folder.path, { name: 'new' });
    expect(filesHolding(folder.path, SENTENCE)).toEqual(['000001.payloads']);

    await using target = await openTestLog({ valkey });
    const report = await restore(target, join(folder.path, 'old'));
    expect(report).toMatchObject({ status: 'restored', kept_forgotten: 1 });
    expect(await keysHolding(target.redis, target.keys, 'copper beech')).toEqual([]);
    expect(await target.log.load([secret])).toMatchObject([{ version: 2, events: [{ type: 'MemoryForgotten' }] }]);
    const kinds = (await readAll(target.log)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'husk')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'fault')).toEqual([]);
  });

  it.each([true, false])('is forgotten here, too, when the store that is continued still holds it (standby: %s)', async (standby) => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    const secret = await secretAndOthers(source);
    await take(source, folder.path, { name: 'old' });
    await using target = await openTestLog({ valkey });
    await restore(target, join(folder.path, 'old'), { standby: true });
    expect(await keysHolding(target.redis, target.keys, 'copper beech')).toHaveLength(1);
    await forget(source, secret, 1);
    await take(source, folder.path, { name: 'new' });
    expect(await restore(target, join(folder.path, 'old'), { standby })).toMatchObject({ status: 'unchanged' });
    expect(await keysHolding(target.redis, target.keys, 'copper beech')).toEqual([]);
  });

  it('stays so in a restore that stops before it was forgotten', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    const secret = await secretAndOthers(source);
    await take(source, folder.path, { name: 'one' });
    const position = (await source.log.head())?.position ?? '';
    await forget(source, secret, 1);
    await take(source, folder.path, { name: 'one' });
    rmSync(join(folder.path, 'FORGOTTEN'));
    await using target = await openTestLog({ valkey });
    await restore(target, join(folder.path, 'one'), { until: parseUntil(position) });
    expect(await keysHolding(target.redis, target.keys, 'copper beech')).toEqual([]);
    expect((await target.log.load([secret]))[0]?.events).toMatchObject([{ type: 'MemoryForgotten' }]);
  });

  it('is not in a backup that was running, even in the segments it had finished', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    const secret = await secretAndOthers(source);
    for (let i = 0; i < 20; i++) await remember(source, newKey(), `more ${i}`);
    let held: string[] = [];
    let forgotten: Promise<void> | undefined;
    await take(source, folder.path, {
      segmentEvents: 5,
      onProgress: (done) => {
        if (done < 10 || forgotten) return;
        held = filesHolding(folder.path, SENTENCE);
        forgotten = forget(source, secret, 1);
      },
    });
    await forgotten;
    expect(held).toEqual(['000001.payloads']);
    expect(filesHolding(folder.path, SENTENCE)).toEqual([]);
    await using target = await openTestLog({ valkey });
    expect(await restore(target, folder.path, { standby: true })).toMatchObject({ status: 'restored' });
  });

  it('leaves no byte in the backups after a purge, which a copy of them alone still explains', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    const secret = await secretAndOthers(source);
    await source.redis.hset(source.keys.embedding('m', secret), { n: 1, w: `vector of ${SENTENCE}` });
    await source.redis.sadd(source.keys.models, 'm');
    await source.redis.hset(source.keys.counter('recalls'), secret, 3);
    const { log_digest } = await take(source, folder.path, { name: 'one', withEmbeddings: true });
    await forget(source, secret, 1, [source.keys.embedding('m', secret)]);
    expect(filesHolding(folder.path, SENTENCE)).toHaveLength(2);
    expect(filesHolding(join(folder.path, 'one'), secret).length).toBeGreaterThan(2);

    expect(await purge(source, folder.path)).toMatchObject({
      forgotten: 1,
      sets: [{ name: 'one', payloads_removed: 1, files_rewritten: 1 }],
    });
    expect(filesHolding(folder.path, SENTENCE)).toEqual([]);
    expect(filesHolding(join(folder.path, 'one'), secret).sort()).toEqual(['000001.envelopes', 'FORGOTTEN']);
    expect(await purge(source, folder.path)).toMatchObject({ sets: [{ payloads_removed: 0, files_rewritten: 0 }] });

    rmSync(join(folder.path, 'FORGOTTEN'));
    await using target = await openTestLog({ valkey });
    const report = await restore(target, join(folder.path, 'one'), { standby: true });
    expect(report.digests?.log).toBe(log_digest);
    expect((await readAll(target.log)).map(({ kind }) => kind)).toEqual(['event', 'husk', 'event']);
  });

  it('is known by a FORGOTTEN whose writer was killed in the middle of a line', async () => {
    using folder = temporaryFolder();
    mkdirSync(folder.path, { recursive: true });
    writeFileSync(join(folder.path, 'FORGOTTEN'), '\nmem:episodic:01ARZ3NDEKTSV4RRFFQ69G5FAV 1-1\nmem:episodic:01ARZ3NDE');
    await using source = await openTestLog({ valkey });
    const secret = await secretAndOthers(source);
    await forget(source, secret, 1);
    await take(source, folder.path);
    const lines = readFileSync(join(folder.path, 'FORGOTTEN'), 'utf8').split('\n');
    expect(lines.filter((line) => / \d+-\d+$/.test(line)).map((line) => line.split(' ')[0])).toEqual([
      'mem:episodic:01ARZ3NDEKTSV4RRFFQ69G5FAV',
      secret,
    ]);
  });

  it('stays so where it is a topic of an older log, whose name other logs may have, too', async () => {
    using folder = temporaryFolder();
    const event = { type: 'TopicSuppressed', data: { topic: 'idle gossip', reason: SENTENCE } } as const;
    const { appendOf } = await import('../../support/eventlog.js');
    const suppressed = appendOf([{ subject: 'topic:idle gossip', expected: 0, events: [event] }]);
    await using source = await openTestLog({ valkey });
    await source.log.append(suppressed);
    await take(source, folder.path, { name: 'old' });
    await forget(source, 'topic:idle gossip', 1);
    await take(source, folder.path, { name: 'new' });
    await using other = await openTestLog({ valkey });
    await other.log.append({ ...suppressed, commandId: newId() });
    await take(other, folder.path, { name: 'other' });

    await using target = await openTestLog({ valkey });
    expect(await restore(target, join(folder.path, 'old'))).toMatchObject({ status: 'restored', kept_forgotten: 1 });
    expect(await keysHolding(target.redis, target.keys, 'copper beech')).toEqual([]);
    await using second = await openTestLog({ valkey });
    await restore(second, join(folder.path, 'other'));
    expect(await second.log.load(['topic:idle gossip'])).toMatchObject([{ events: [event] }]);
    await purge(source, folder.path);
    expect(filesHolding(folder.path, SENTENCE)).toEqual(['000001.payloads']);
  });

  it('and a topic that was suppressed and is not any more stay as they are', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    const { appendOf } = await import('../../support/eventlog.js');
    const topic = 'gossip';
    await source.log.append(appendOf([{ subject: 'topic:gossip', expected: 0, events: [{ type: 'TopicSuppressed', data: { topic } }] }]));
    await take(source, folder.path, { name: 'old' });
    await using target = await openTestLog({ valkey });
    await restore(target, join(folder.path, 'old'), { standby: true });
    await target.log.append(appendOf([{ subject: 'topic:gossip', expected: 1, events: [{ type: 'TopicUnsuppressed', data: { topic } }] }]));
    await expect(restore(target, join(folder.path, 'old'))).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await target.log.load(['topic:gossip']))[0]?.events.at(-1)?.type).toBe('TopicUnsuppressed');
  });
});
