import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainTopicSubject } from '../../../domain/topic/topic.js';
import type { ForgetInput, ForgetResult } from '../../../services/api.js';
import { mergeBackup } from '../../../services/backup/merge.js';
import { purgeBackups } from '../../../services/backup/purge.js';
import { takeReceipt } from '../../../services/erasure/receipt.js';
import { sayReceipt } from '../../../services/erasure/receipt-text.js';
import type { RunningInstance } from '../../../services/instance.js';
import { startWhole } from '../../e2e/app/instance.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { restore, take, temporaryFolder } from '../../support/backup.js';
import { appendOf, keysHolding, newId, openTestLog, type TestLog } from '../../support/eventlog.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let dataDir: string;
let instance: RunningInstance;
let valkey: TestValkey;
beforeAll(async () => {
  dataDir = mkdtempSync('/tmp/omt-topics-');
  instance = await startWhole(dataDir);
  valkey = await startValkey({ config: { rdbcompression: 'no' } });
});
afterAll(async () => {
  await instance.close();
  await valkey.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const opened = () => {
  if (!instance.opened) throw new Error('not open');
  return instance.opened;
};
const call = { actor: 'test' };
type Preview = Extract<ForgetResult, { status: 'preview' }>;
const asked = (input: ForgetInput): Promise<ForgetResult> => opened().app.commands.forget(input, call);
const previewOf = async (input: ForgetInput): Promise<Preview> => {
  const answer = await asked(input);
  if (answer.status !== 'preview') throw new Error(answer.status);
  return answer;
};
const remember = async (content: string, fields: { readonly project?: string } = {}): Promise<string> => {
  const stored = await opened().app.commands.remember({ content, force: true, ...fields }, call);
  if (stored.status !== 'stored') throw new Error('not stored');
  return stored.key;
};
const receiptOf = async ({ preview_id }: Preview) => {
  const { log, redis, keys, app } = opened();
  const { createForgetPlans } = await import('../../../services/commands/forget-plan.js');
  const plan = await createForgetPlans(redis, keys).read(preview_id);
  return takeReceipt({ log, redis, keys, dataDir, managed: true, now: Date.now }, plan?.batches.flat() ?? [], () =>
    app.commands.forget({ preview_id, confirm: true }, call),
  );
};

const filesHolding = (text: string, folder = dataDir): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesHolding(text, path);
    return statSync(path).isFile() && readFileSync(path).includes(text) ? [path] : [];
  });

describe('a suppressed topic', () => {
  const TOPIC = 'zqxsuppvelvet';
  const REASON = 'zqxsuppreasonvelvet is why';

  it('is named by what comes near to it, erased by its name, and in no byte below the data folder afterwards', async () => {
    const { commands, queries } = opened().app;
    const suppress = newId();
    await commands.suppressTopic({ topic: TOPIC, reason: REASON }, { ...call, commandId: suppress });
    expect((await queries.listSuppressions({}, call)).reasons).toEqual({ [TOPIC]: REASON });
    const seen = new Date(Date.now() - 60_000).toISOString();
    await commands.unsuppressTopic({ topic: TOPIC }, call);
    expect((await queries.listSuppressions({}, call)).suppressed_topics).toEqual([]);
    await queries.recall({ query: `What about ${TOPIC}?` }, call);
    const plain = await remember('The kiln of the pottery is lit on Mondays.', { project: 'pottery' });

    const byQuery = await asked({ key_or_query: 'zqxsuppvelvet' });
    expect(byQuery).toMatchObject({ status: 'not_found', topics_left: [TOPIC], note: expect.stringContaining(`topic: "${TOPIC}"`) });
    expect(await asked({ key_or_query: 'zqxsuppreasonvelvet' })).toMatchObject({ topics_left: [TOPIC] });
    expect(await asked({ created_after: seen })).toMatchObject({ status: 'preview', topics_left: [TOPIC] });
    expect(await asked({ created_before: seen })).not.toHaveProperty('topics_left');
    expect(await asked({ key_or_query: 'the kiln of the pottery' })).not.toHaveProperty('topics_left');

    const ofMemory = await receiptOf(await previewOf({ keys: [plain] }));
    expect(ofMemory).toMatchObject({ verdict: 'erased', topics_left: { count: 1, topics: [TOPIC] } });
    expect(sayReceipt(ofMemory)).toContain(`Not looked for, and still there: a topic that somebody suppressed by hand: ${TOPIC}.`);
    for (const text of [TOPIC, REASON]) expect(filesHolding(text)).not.toEqual([]);

    const preview = await previewOf({ topic: ' ZqxSuppVelvet ' });
    expect(preview).toMatchObject({ total: 1, by_namespace: { topic: 1 }, targets: [{ content: TOPIC }] });
    const receipt = await receiptOf(preview);
    expect(receipt).toMatchObject({ verdict: 'erased', not_checked: [], topics_left: { count: 0, topics: [] } });
    for (const text of [TOPIC, REASON]) expect(filesHolding(text)).toEqual([]);
    expect(await asked({ topic: TOPIC })).toMatchObject({ status: 'not_found' });
    expect(await commands.undo({ correlation: suppress }, call)).toMatchObject({
      restored: [],
      irreversible: [{ why: expect.stringContaining('forgotten') }],
    });
  });

  it('can be suppressed again once it is forgotten, under a subject of its own', async () => {
    const AGAIN = 'zqxsuppcorduroy';
    const { commands, queries } = opened().app;
    await commands.suppressTopic({ topic: AGAIN, reason: 'again' }, call);
    expect((await queries.listSuppressions({}, call)).reasons).toEqual({ [AGAIN]: 'again' });
    const { targets, preview_id } = await previewOf({ topic: AGAIN });
    await asked({ preview_id, confirm: true });
    expect((await queries.listSuppressions({}, call)).suppressed_topics).toEqual([]);
    await commands.suppressTopic({ topic: AGAIN }, call);
    const again = await previewOf({ topic: AGAIN });
    expect(again.targets[0]?.key).not.toBe(targets[0]?.key);
    await asked({ preview_id: again.preview_id, confirm: true });
    expect(await opened().log.load([targets[0]?.key ?? ''])).toMatchObject([{ version: 2, events: [{ type: 'TopicForgotten' }] }]);
  });

  it('is met however it is spelt, and as it is written where both spellings are there', async () => {
    const { commands, queries } = opened().app;
    const listed = async () => (await queries.listSuppressions({}, call)).suppressed_topics;
    await commands.suppressTopic({ topic: 'Zqxlinden Straße' }, call);
    await commands.suppressTopic({ topic: 'zqxlinden-strasse' }, call);
    const plain = await previewOf({ topic: 'zqxlinden-strasse' });
    expect(plain.total).toBe(1);
    await commands.forget({ preview_id: plain.preview_id, confirm: true }, call);
    expect(await listed()).toContain('zqxlinden straße');
    await commands.unsuppressTopic({ topic: 'ZQXLINDEN STRASSE' }, call);
    expect(await listed()).not.toContain('zqxlinden straße');
    const other = await previewOf({ topic: 'ZQXLINDEN STRASSE' });
    expect(other.total).toBe(1);
    await commands.forget({ preview_id: other.preview_id, confirm: true }, call);
    expect(await asked({ topic: 'zqxlinden straße' })).toMatchObject({ status: 'not_found' });
  });

  it('that is short is not called erased without having been looked for', async () => {
    await opened().app.commands.suppressTopic({ topic: 'zq', reason: 'the reason of the short one' }, call);
    const preview = await previewOf({ topic: 'zq' });
    expect(await receiptOf(preview)).toMatchObject({
      verdict: 'erased',
      not_checked: [{ key: preview.targets[0]?.key, why: expect.stringContaining('too short') }],
    });
  });

  it('stays where a memory has it for a dead end, which is said', async () => {
    const { commands } = opened().app;
    const key = await remember('Sorting letters went wrong.');
    await commands.recordExperience(
      {
        key,
        effort_score: 5,
        outcome: 'abandoned',
        abandoned_approaches: [{ name: 'sorting by zqxpigeon', type: 'approach', reason: 'slow' }],
      },
      call,
    );
    expect(await asked({ topic: 'sorting by zqxpigeon' })).toMatchObject({ status: 'not_found', note: expect.stringContaining(key) });
    await asked({ keys: [key], confirm: true });
  });

  it('leaves a word to say of the context of a project', async () => {
    const { commands } = opened().app;
    await commands.setProjectContext(
      { project_name: 'quarry', description: 'Stone.', stack: 'Rope', goals: 'Dig.', current_state: 'Deep.' },
      call,
    );
    const stays = { note: expect.stringContaining('include_context: true') };
    expect(await asked({ project: 'quarry' })).toMatchObject({ status: 'not_found', ...stays });
    await remember('The rope of the quarry is frayed.', { project: 'quarry' });
    expect(await asked({ project: 'quarry' })).toMatchObject({ status: 'preview', ...stays });
  });
});

describe('a topic of an older log', () => {
  const OLD = 'zqxelderberry wine';
  const subject = plainTopicSubject(OLD);
  const suppressOld = async (): Promise<void> => {
    const event = { type: 'TopicSuppressed', data: { topic: OLD, reason: 'zqxelder-reason of old' } } as const;
    await opened().log.append(appendOf([{ subject, expected: 0, events: [event] }]));
  };

  it('keeps its subject and goes on working, and its reason can be erased', async () => {
    const { commands, queries } = opened().app;
    await suppressOld();
    expect((await queries.listSuppressions({}, call)).suppressed_topics).toEqual([OLD]);
    const lift = newId();
    await commands.unsuppressTopic({ topic: OLD }, { ...call, commandId: lift });
    expect((await queries.listSuppressions({}, call)).suppressed_topics).toEqual([]);
    expect(await commands.undo({ correlation: lift }, call)).toMatchObject({ restored: [{ key: subject, fields: ['suppression'] }] });
    expect((await queries.listSuppressions({}, call)).reasons).toEqual({ [OLD]: 'zqxelder-reason of old' });
    expect(await opened().log.load([subject])).toMatchObject([{ version: 3 }]);

    const preview = await previewOf({ topic: OLD });
    expect(preview).toMatchObject({ total: 1, note: expect.stringContaining('it stays there') });
    const receipt = await receiptOf(preview);
    expect(receipt).toMatchObject({ verdict: 'found', notes: [expect.stringContaining('it stays there')] });
    expect(sayReceipt(receipt)).toContain('NOT GONE');
    expect(filesHolding('zqxelder-reason')).toEqual([]);
    expect(filesHolding('zqxelderberry')).not.toEqual([]);
    expect((await queries.listSuppressions({}, call)).suppressed_topics).toEqual([]);

    await commands.suppressTopic({ topic: OLD }, call);
    const again = await previewOf({ topic: OLD });
    expect(again.targets[0]?.key).not.toBe(subject);
    expect(again).not.toHaveProperty('note');
    await asked({ preview_id: again.preview_id, confirm: true });
  });
});

describe('a forgotten topic', () => {
  const TOPIC = 'zqxheirloom of the vault';
  const REASON = 'zqxheirloom-reason';
  const holding = ({ redis, keys }: Pick<TestLog, 'redis' | 'keys'>) => keysHolding(redis, keys, 'zqxheirloom');
  const merge = ({ keys }: TestApp, path: string) =>
    mergeBackup({ path, target: { path: valkey.socket }, tenant: keys.tenant, secrets: {}, actor: 'test' });
  /** Forgets it, and answers its subjects. */
  const forget = async ({ app }: TestApp): Promise<readonly string[]> => {
    const preview = await app.commands.forget({ topic: TOPIC }, call);
    if (preview.status !== 'preview') throw new Error(preview.status);
    await app.commands.forget({ preview_id: preview.preview_id, confirm: true }, call);
    return preview.targets.map(({ key }) => key);
  };

  it('leaves the backups with a purge, and does not come back by a restore or a merge', async () => {
    using folder = temporaryFolder();
    using copies = temporaryFolder();
    const source = await openTestApp({ valkey });
    try {
      await source.app.commands.suppressTopic({ topic: TOPIC, reason: REASON }, call);
      await take(source, folder.path, { name: 'old' });
      await take(source, copies.path, { name: 'copy' });
      expect(filesHolding(TOPIC, folder.path)).not.toEqual([]);
      const [subject = ''] = await forget(source);
      await take(source, folder.path, { name: 'new' });
      expect(readFileSync(join(folder.path, 'FORGOTTEN'), 'utf8')).toContain(`${subject} `);

      await using unpurged = await openTestLog({ valkey });
      await restore(unpurged, join(folder.path, 'old'));
      expect(await holding(unpurged)).toEqual([]);
      expect(await unpurged.log.load([subject])).toMatchObject([{ version: 2, events: [{ type: 'TopicForgotten' }] }]);

      await purgeBackups({ redis: source.redis, keys: source.keys, stamp: newId }, { root: folder.path, secrets: {} });
      for (const text of [TOPIC, REASON]) expect(filesHolding(text, folder.path)).toEqual([]);
      await using purged = await openTestLog({ valkey });
      await restore(purged, join(folder.path, 'old'));
      expect(await holding(purged)).toEqual([]);

      expect(await merge(source, join(copies.path, 'copy'))).toMatchObject({ status: 'unchanged' });
      expect(await holding(source)).toEqual([]);
      expect((await source.app.queries.listSuppressions({}, call)).suppressed_topics).toEqual([]);
      await source.verifyAll();
    } finally {
      await source.end();
    }
  });

  it('whose stored bytes are damaged can be erased like any other', async () => {
    const test = await openTestApp({ valkey });
    try {
      await test.app.commands.suppressTopic({ topic: TOPIC, reason: REASON }, call);
      const preview = await test.app.commands.forget({ topic: TOPIC }, call);
      const [subject = ''] = preview.status === 'preview' ? preview.targets.map(({ key }) => key) : [];
      await test.redis.hset(test.keys.payloads(subject), '1', 'zqxheirloom in broken bytes');
      expect(await forget(test)).toEqual([subject]);
      await expect.poll(() => holding(test)).toEqual([]);
      await test.app.commands.suppressTopic({ topic: TOPIC }, call);
      expect((await test.app.queries.listSuppressions({}, call)).suppressed_topics).toEqual([TOPIC]);
    } finally {
      await test.end();
    }
  });

  it('and a lifted one are so in what a merge brought of them from another log, too', async () => {
    using folder = temporaryFolder();
    const here = await openTestApp({ valkey });
    const there = await openTestApp({ valkey });
    try {
      await here.app.commands.suppressTopic({ topic: TOPIC, reason: 'here' }, call);
      await there.app.commands.suppressTopic({ topic: TOPIC, reason: REASON }, call);
      await take(there, folder.path, { name: 'there' });
      expect(await merge(here, join(folder.path, 'there'))).toMatchObject({ status: 'merged', new: 1 });
      await here.app.commands.unsuppressTopic({ topic: TOPIC }, call);
      expect((await here.app.queries.listSuppressions({}, call)).suppressed_topics).toEqual([]);
      await here.verifyAll();
      expect(await forget(here)).toHaveLength(2);
      await expect.poll(() => holding(here)).toEqual([]);
      await here.verifyAll();
    } finally {
      await here.end();
      await there.end();
    }
  });
});
