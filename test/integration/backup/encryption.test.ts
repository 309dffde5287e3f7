import { createHook } from 'node:async_hooks';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Secrets } from '../../../services/backup/crypt.js';
import { purgeBackups } from '../../../services/backup/purge.js';
import { contents, forget, liveALittle, remember, restore, take, temporaryFolder } from '../../support/backup.js';
import { keysHolding, newId, newKey, openTestLog } from '../../support/eventlog.js';
import { longestWait } from '../../support/turns.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

const SENTENCE = 'The sentinel sleeps beneath the copper beech.';
/** A little work, so that the test does not wait for scrypt. */
const PASSPHRASE: Secrets = { passphrase: 'correct horse battery', workFactor: 8 };

let valkey: TestValkey;
beforeAll(async () => {
  valkey = await startValkey({ config: { rdbcompression: 'no' } });
});
afterAll(() => valkey.stop());

const holds = (dir: string, text: string): boolean =>
  readdirSync(dir, { recursive: true, withFileTypes: true }).some(
    (entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text),
  );

describe('an encrypted backup', () => {
  it('holds nothing that can be read, and comes back equal with its passphrase', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await remember(source, newKey(), SENTENCE);
    await liveALittle(source, 21, 15);
    const before = await contents(source.redis, source.keys);
    await take(source, folder.path, { name: 'plain' });
    expect(holds(join(folder.path, 'plain'), SENTENCE)).toBe(true);
    expect(holds(join(folder.path, 'plain'), source.log.salt)).toBe(true);
    const sealed = await take(source, folder.path, { name: 'sealed', secrets: PASSPHRASE });
    expect(sealed.encrypted).toBe(true);
    for (const text of [SENTENCE, 'MemoryRemembered', source.log.salt]) expect(holds(sealed.path, text)).toBe(false);

    await using target = await openTestLog({ valkey });
    for (const secrets of [{}, { passphrase: 'another one', workFactor: 8 }]) {
      await expect(restore(target, sealed.path, { secrets })).rejects.toMatchObject({
        code: 'VALIDATION',
        message: expect.stringMatching(/encrypted/),
      });
    }
    expect(await target.log.size()).toBe(0);
    await restore(target, sealed.path, { secrets: PASSPHRASE, standby: true });
    expect([...(await contents(target.redis, target.keys)).keys()].filter((key) => !before.has(key))).toEqual([
      `ev:system:${new Date().toISOString().slice(0, 10)}`,
    ]);
  });

  it('is continued under the same passphrase, and begun anew under another or none', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await liveALittle(source, 22, 5);
    const first = await take(source, folder.path, { secrets: PASSPHRASE });
    await remember(source, newKey(), 'more');
    expect((await take(source, folder.path, { secrets: PASSPHRASE })).name).toBe(first.name);
    const other = await take(source, folder.path, { secrets: { passphrase: 'another passphrase', workFactor: 8 } });
    expect(other.name).not.toBe(first.name);
    expect((await take(source, folder.path)).encrypted).toBe(false);
  });

  it('is written with the public half of a key file alone, and read with the private one', async () => {
    using folder = temporaryFolder();
    const identity = await generateX25519Identity();
    const [whole, half] = [join(folder.path, 'key.txt'), join(folder.path, 'key.pub')];
    writeFileSync(whole, `# made for a test\n${identity}\n`);
    writeFileSync(half, `${await identityToRecipient(identity)}\n`);
    await using source = await openTestLog({ valkey });
    await remember(source, newKey(), SENTENCE);
    const { path } = await take(source, join(folder.path, 'b'), { secrets: { keyFile: half } });
    await using target = await openTestLog({ valkey });
    await expect(restore(target, path, { secrets: { keyFile: half } })).rejects.toMatchObject({ code: 'VALIDATION' });
    await restore(target, path, { secrets: { keyFile: whole }, standby: true });
    expect(await keysHolding(target.redis, target.keys, 'copper beech')).toHaveLength(1);
  });

  it('is purged with its key, and named when it cannot be opened', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    const key = newKey();
    await remember(source, key, SENTENCE);
    const { path } = await take(source, folder.path, { secrets: PASSPHRASE });
    await forget(source, key, 1);
    const parts = { redis: source.redis, keys: source.keys, stamp: newId };
    const [refused] = (await purgeBackups(parts, { root: folder.path, secrets: {} })).sets;
    expect(refused).toMatchObject({ payloads_removed: 0, failed: expect.stringMatching(/encrypted/) });
    const [purged] = (await purgeBackups(parts, { root: folder.path, secrets: PASSPHRASE })).sets;
    expect(purged).toMatchObject({ payloads_removed: 1 });
    await using target = await openTestLog({ valkey });
    expect(await restore(target, path, { secrets: PASSPHRASE, standby: true })).toMatchObject({ kept_forgotten: 1 });
  });

  it('derives the key from the passphrase once for all that is done under one set of secrets, beside everything else', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await remember(source, newKey(), SENTENCE);
    let derived = 0;
    const hook = createHook({ init: (_id, type) => void (type === 'SCRYPTREQUEST' && derived++) }).enable();
    try {
      const secrets: Secrets = { passphrase: 'correct horse battery', workFactor: 17 };
      const first = await longestWait(() => take(source, folder.path, { secrets }));
      expect(first.waited).toBeLessThan(first.took / 2);
      await remember(source, newKey(), 'more');
      const { path, events_added } = await take(source, folder.path, { secrets });
      expect(events_added).toBeGreaterThan(0);
      await restore(source, path, { secrets, dryRun: true });
      await purgeBackups({ redis: source.redis, keys: source.keys, stamp: newId }, { root: folder.path, secrets });
      expect(derived).toBe(1);
      const anew = { ...secrets };
      const later = await longestWait(() => Promise.all([1, 2].map(() => restore(source, path, { secrets: anew, dryRun: true }))));
      expect(later.waited).toBeLessThan(later.took / 2);
      expect(derived).toBe(2);
    } finally {
      hook.disable();
    }
  });

  it('of an earlier program, whose key the library sealed, is read and continued', async () => {
    using folder = temporaryFolder();
    await using source = await openTestLog({ valkey });
    await remember(source, newKey(), SENTENCE);
    const passphrase = 'correct horse battery';
    const { path, name } = await take(source, folder.path, { secrets: { passphrase, workFactor: 4 } });
    const decrypter = new Decrypter();
    decrypter.addPassphrase(passphrase);
    const key = await decrypter.decrypt(readFileSync(join(path, 'key.age')));
    const encrypter = new Encrypter();
    encrypter.setPassphrase(passphrase);
    encrypter.setScryptWorkFactor(5);
    writeFileSync(join(path, 'key.age'), await encrypter.encrypt(key));
    await remember(source, newKey(), 'more');
    expect(await take(source, folder.path, { secrets: { passphrase } })).toMatchObject({ name });
    expect(await restore(source, path, { secrets: { passphrase }, dryRun: true })).toMatchObject({ would: 'unchanged' });
  });
});
