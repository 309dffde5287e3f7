import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from '../../../domain/catalogue.js';
import { verify } from '../../../projections/verify.js';
import { openApp } from '../../../services/app.js';
import { storeAndViewDigests } from '../../../services/backup/cli.js';
import { restoreAndNote } from '../../../services/backup/service.js';
import { loadConfig } from '../../../services/config.js';
import { createLogger } from '../../../services/log.js';
import { PROJECTIONS } from '../../../services/views.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { hashedEmbedder, providerOf } from '../../support/embedders.js';
import { eventsTold } from '../../support/eventlog.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
beforeAll(async () => {
  valkey = await startValkey();
});
afterAll(() => valkey.stop());

const TEXTS = [
  'The staging API listens on port 8081.',
  ' A leading blank, Ünïcödé, 日本語, العربية and 🦉 at once.',
  'Line one\r\nline two\r\n',
  'Release branches are cut on Thursdays before noon.',
  'Alice owns billing and Bob owns search.',
  'Never run the migrations on a Friday evening.',
];
const QUERIES = [
  'which port does staging listen on',
  'who owns billing',
  'release branches',
  'migrations Friday',
  'leading blank',
  'line two',
];

const fill = async ({ app, call }: TestApp): Promise<readonly string[]> => {
  const keys: string[] = [];
  for (const [i, content] of TEXTS.entries()) {
    const answer = await app.commands.remember({ content, force: true, project: i % 2 ? 'shop' : undefined, tags: ['b', 'a'] }, call);
    if (answer.status === 'stored') keys.push(answer.key);
  }
  const [first = '', second = '', third = '', fourth = ''] = keys;
  await app.commands.deprioritise({ key_or_query: second, reason: 'noise', reinstate_hints: ['owl'] }, call);
  await app.commands.archive({ key_or_query: third }, call);
  await app.commands.revise({ key: fourth, content: 'Release branches are cut on Fridays before noon.' }, call);
  await app.commands.setLicence({ keys: [first], licence: 'MIT', licence_note: 'said so' }, call);
  await app.commands.suppressTopic({ topic: 'gossip', reason: 'no' }, call);
  await app.commands.suppressTopic({ topic: 'weather' }, call);
  await app.commands.unsuppressTopic({ topic: 'weather' }, call);
  const gone = await app.commands.remember({ content: 'to be forgotten', force: true }, call);
  if (gone.status === 'stored') await app.commands.forget({ key_or_query: gone.key, confirm: true, keys: [gone.key] }, call);
  return keys;
};

const askAll = async ({ app }: Pick<TestApp, 'app'>, keys: readonly string[]) => {
  const call = { actor: 'test' };
  const recalls = await Promise.all(QUERIES.map((query) => app.queries.recall({ query, top_k: 5 }, call)));
  return {
    recalls: recalls.map(({ results, search }) => ({
      search,
      results: results.map(({ key, score, content }) => ({ key, score, content })),
    })),
    details: await app.queries.recallDetail({ keys: [...keys] }, call),
    audit: await app.queries.memoryAudit({ include_archived: true }, call),
    suppressions: await app.queries.listSuppressions({}, call),
  };
};

/** The counts of recalls move by being asked for; everything else of a memory's story must be there. */
const stories = async ({ app }: Pick<TestApp, 'app'>, keys: readonly string[]) =>
  Promise.all(
    keys.map(async (key) => {
      const {
        recall_count: _count,
        last_recalled: _last,
        recalls: _recalls,
        ...story
      } = (await app.queries.explainMemory({ key }, { actor: 'test' })) as Record<string, unknown>;
      return story;
    }),
  );

describe('the product, restored', () => {
  it.each([true, false])('answers every question as before, scores included (vectors carried: %s)', async (withEmbeddings) => {
    const source = await openTestApp({ valkey, options: { now: () => Date.parse('2026-05-03T12:00:00Z') } });
    const dataDir = mkdtempSync(join(tmpdir(), 'omt-data-'));
    try {
      const keys = await fill(source);
      await expect.poll(() => source.index.serving?.missing.size).toBe(0);
      const before = { asked: await askAll(source, keys), stories: await stories(source, keys) };
      expect(before.asked.recalls[0]?.search).not.toBe('lexical');
      const digests = await storeAndViewDigests(source, null);
      const dump = await source.app.backups.dump({ with_embeddings: withEmbeddings }, { actor: 'test' });
      expect((await source.app.backups.list()).backups).toMatchObject([
        { filename: dump.filename, this_log: true, complete: true, embeddings: withEmbeddings },
      ]);

      const { config } = loadConfig({ OMNIMEM_TENANT: `t${Date.now()}`, OMNIMEM_DATA_DIR: dataDir, OMNIMEM_MIN_FREE_MB: '0' });
      const report = await restoreAndNote(
        { path: dump.path, target: { path: valkey.socket }, tenant: config.tenant, secrets: {}, actor: 'test', standby: true },
        dataDir,
      );
      expect(report.vectors > 0).toBe(withEmbeddings);
      const { log, payloads, events } = digests;
      expect(report.digests).toMatchObject({ log, payloads, events });

      const logger = createLogger({ level: 'silent' });
      const options = {
        config,
        logger,
        target: { path: valkey.socket },
        provider: providerOf(hashedEmbedder()),
        now: () => Date.parse('2026-05-03T12:00:00Z'),
      };
      const restored = await openApp(options);
      try {
        await restored.app.whenReady(10_000);
        await restored.runner.waitFor(report.head, 10_000);
        await expect.poll(() => restored.index.serving?.missing.size, { timeout: 10_000 }).toBe(0);
        expect(await askAll(restored, keys)).toEqual(before.asked);
        expect(await stories(restored, keys)).toEqual(before.stories);
        expect((await storeAndViewDigests({ ...restored, log: restored.log }, null)).views).toEqual(digests.views);
        for (const projection of PROJECTIONS) {
          const { redis, log: ofLog } = restored;
          expect(
            await verify({ redis, keys: restored.keys, log: ofLog, fingerprint: catalogue.fingerprint, logger }, projection),
          ).toMatchObject({ equal: true });
        }
        expect((await restored.app.queries.health()).issues.map(({ code }) => code)).not.toContain('STORE_CHANGED');
      } finally {
        await restored.close();
      }
    } finally {
      await source.end();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

describe('the tools', () => {
  it('check before they restore, and refuse names that lead out of the folder', async () => {
    const app = await openTestApp({ valkey });
    try {
      await fill(app);
      const { filename } = await app.app.backups.dump({ filename: 'mine' }, app.call);
      expect(filename).toBe('mine');
      const size = await eventsTold(app.log);
      expect(await app.app.backups.restore({ filename }, app.call)).toMatchObject({
        status: 'dry_run',
        would: 'unchanged',
        events_restored: 0,
      });
      expect(await eventsTold(app.log)).toBe(size);
      for (const name of ['../mine', '/etc', '.hidden', 'a/b', '']) {
        await expect(app.app.backups.restore({ filename: name }, app.call)).rejects.toMatchObject({ code: 'VALIDATION' });
        await expect(app.app.backups.dump({ filename: name }, app.call)).rejects.toMatchObject({ code: 'VALIDATION' });
      }
      await expect(app.app.backups.restore({ filename: 'nothing-here' }, app.call)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    } finally {
      await app.end();
    }
  });

  it('back up by themselves when it is time, tell metrics and health, and note at once what is forgotten', async () => {
    const app = await openTestApp({ valkey, env: { BACKUP_SCHEDULE: '1m' } });
    try {
      const [key = ''] = await fill(app);
      await expect
        .poll(async () => (await app.app.backups.list()).backups.filter(({ complete }) => complete).length, { timeout: 10_000 })
        .toBe(1);
      expect((await app.app.metrics()).body).toMatch(/omnimem_backup_age_seconds \d/);
      expect((await app.app.metrics()).body).toMatch(/omnimem_backup_bytes [1-9]/);
      await app.app.commands.forget({ key_or_query: key, confirm: true, keys: [key] }, app.call);
      const { readForgotten, forgottenFile } = await import('../../../services/backup/forgotten.js');
      const root = join(app.dataDir, 'backups');
      await expect
        .poll(async () => (await readForgotten(forgottenFile(root))).map(({ subject }) => subject), { timeout: 5_000 })
        .toContain(key);
      expect((await app.app.queries.health()).issues.map(({ code }) => code).filter((code) => code.startsWith('BACKUP'))).toEqual([]);
    } finally {
      await app.end();
    }
  });
});
