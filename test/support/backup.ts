import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'iovalkey';
import { KEY_REGISTER, type Keys } from '../../projections/keys.js';
import { type RestoreOptions, restoreBackup } from '../../services/backup/restore.js';
import { type TakeOptions, takeBackup } from '../../services/backup/take.js';
import { systemRandom } from '../../services/eventlog/random.js';
import { appendOf, newId, newMemory, remembered, revised, seededNumbers, type TestLog } from './eventlog.js';

/** A folder of its own; `await using` removes it. */
export const temporaryFolder = (): Disposable & { readonly path: string } => {
  const path = mkdtempSync(join(tmpdir(), 'omt-backup-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
};

const random = systemRandom();

export const take = ({ redis, keys, log }: Pick<TestLog, 'redis' | 'keys' | 'log'>, root: string, fields: Partial<TakeOptions> = {}) =>
  takeBackup({ redis, keys, log, random, now: Date.now }, { root, secrets: {}, actor: 'test', ...fields });

export const restore = ({ valkey, keys }: Pick<TestLog, 'valkey' | 'keys'>, path: string, fields: Partial<RestoreOptions> = {}) =>
  restoreBackup({ path, target: { path: valkey.socket }, tenant: keys.tenant, secrets: {}, actor: 'test', silentSeconds: 0, ...fields });

/** Writes, revises, archives, suppresses and forgets; the same for the same seed. Answers the keys that still live. */
export const liveALittle = async (test: TestLog, seed: number, rounds = 40): Promise<readonly string[]> => {
  const chance = seededNumbers(seed);
  const alive = new Map<string, number>();
  const pick = (): [string, number] | undefined => [...alive][Math.floor(chance() * alive.size)];
  for (let i = 0; i < rounds; i++) {
    const dice = chance();
    const [key, version] = pick() ?? [];
    if (key === undefined || version === undefined || dice < 0.5) {
      const claim = `claim-${seed}-${i}`;
      const write = newMemory(`fact ${i} of ${seed}`, { claims: [{ claim, mode: 'ifFree' }] });
      await test.log.append(appendOf([write, { subject: 'system:2026-05-03', expected: 'any', events: [erasureConfirmed(i)] }]));
      alive.set(write.subject, 1);
    } else if (dice < 0.65) {
      await test.log.append(appendOf([{ subject: key, expected: version, events: [revised(`fact ${i}, corrected`)] }]));
      alive.set(key, version + 1);
    } else if (dice < 0.75) {
      await test.log.append(appendOf([{ subject: key, expected: version, events: [{ type: 'MemoryArchived', data: {} }] }]));
      alive.set(key, version + 1);
    } else if (dice < 0.85) {
      const topic = `topic ${i}`;
      await test.log.append(appendOf([{ subject: `topic:${topic}`, expected: 0, events: [{ type: 'TopicSuppressed', data: { topic } }] }]));
    } else {
      await forget(test, key, version);
      alive.delete(key);
    }
  }
  return [...alive.keys()];
};

const erasureConfirmed = (erasures: number) => ({ type: 'ErasureConfirmed', data: { erasures } }) as const;

export const forget = async (
  { log }: Pick<TestLog, 'log'>,
  subject: string,
  expected: number,
  deletes: readonly string[] = [],
): Promise<void> => {
  const answer = await log.forget({
    commandId: newId(),
    actor: 'test',
    at: new Date().toISOString(),
    subjects: [{ subject, expected, deletes }],
    result: {},
  });
  if (answer.outcome !== 'appended') throw new Error(`not forgotten: ${answer.outcome}`);
};

export const remember = async ({ log }: Pick<TestLog, 'log'>, subject: string, content: string): Promise<void> =>
  void (await log.append(appendOf([{ subject, expected: 0, events: [remembered(content)] }])));

/** Every key of a tenant that a backup must bring back, with its content in an order that does not depend on how it is stored. */
export const contents = async (
  redis: Redis,
  { prefix }: Keys,
  kinds: readonly string[] = ['log', 'counter'],
): Promise<Map<string, string>> => {
  const wanted = (name: string): boolean => {
    const entry = KEY_REGISTER.find(({ pattern }) => pattern.test(name));
    return entry === undefined || kinds.includes(entry.kind) || name === 'claims';
  };
  const found = new Map<string, string>();
  for (const key of await redis.keys(`${prefix}*`)) {
    const name = key.slice(prefix.length);
    if (wanted(name)) found.set(name, await contentOf(redis, key));
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
};

const contentOf = async (redis: Redis, key: string): Promise<string> => {
  switch (await redis.type(key)) {
    case 'hash':
      return JSON.stringify(
        Object.entries(await redis.hgetallBuffer(key))
          .map(([f, v]) => [f, v.toString('latin1')])
          .sort(),
      );
    case 'stream':
      return JSON.stringify(await redis.xrange(key, '-', '+'));
    case 'set':
      return JSON.stringify((await redis.smembers(key)).sort());
    default:
      return String(await redis.get(key));
  }
};
