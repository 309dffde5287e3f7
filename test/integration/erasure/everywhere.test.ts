import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { mergeBackup } from '../../../services/backup/merge.js';
import { purgeBackups } from '../../../services/backup/purge.js';
import { restoreBackup } from '../../../services/backup/restore.js';
import { type Receipt, takeReceipt } from '../../../services/erasure/receipt.js';
import type { RunningInstance } from '../../../services/instance.js';
import { startWhole } from '../../e2e/app/instance.js';
import { openTestApp } from '../../support/app.js';
import { erasuresConfirmed } from '../../support/erasures.js';
import { appendOf, keysHolding, newId, newMemory } from '../../support/eventlog.js';
import { type MessagesServer, startMessagesServer } from '../../support/messages-server.js';

const SLOW = { timeout: 180_000 };
const call = { actor: 'test' };

let base: string;
let model: MessagesServer;
const running: RunningInstance[] = [];

beforeAll(async () => {
  model = await startMessagesServer();
});
afterAll(() => model.close());
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'omt-everywhere-'));
  model.answer = () => ({ text: '[]' });
});
afterEach(async () => {
  for (const instance of running.splice(0)) await instance.close();
  rmSync(base, { recursive: true, force: true });
});

/** A machine: the whole product on a data folder of its own. */
const machine = async (name: string, enriches = false) => {
  const dataDir = join(base, name);
  const env: Record<string, string> = enriches ? { ANTHROPIC_API_KEY: 'sk-test-key', ANTHROPIC_BASE_URL: model.url } : {};
  const instance = await startWhole(dataDir, env);
  running.push(instance);
  /** Another one once a restored log took the place of the first. */
  const opened = () => {
    if (!instance.opened) throw new Error('not open');
    return instance.opened;
  };
  const target = { path: join(dataDir, 'valkey', 'valkey.sock') };
  const root = join(dataDir, 'backups');
  const end = async (): Promise<void> => {
    running.splice(running.indexOf(instance), 1);
    await instance.close();
  };
  return {
    dataDir,
    root,
    target,
    end,
    get app() {
      return opened().app;
    },
    get log() {
      return opened().log;
    },
    get redis() {
      return opened().redis;
    },
    get keys() {
      return opened().keys;
    },
  };
};
type Machine = Awaited<ReturnType<typeof machine>>;

const remember = async ({ app }: Machine, content: string): Promise<string> => {
  const stored = await app.commands.remember({ content }, call);
  if (stored.status !== 'stored') throw new Error('not stored');
  return stored.key;
};

/** Files below a folder that hold the text in their bytes, by name. */
const filesHolding = (text: string, folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();

/** Keys and files of a machine that hold any of the texts. */
const placesHolding = async ({ redis, keys, dataDir }: Machine, texts: readonly string[]): Promise<readonly string[]> => {
  const found = await Promise.all(texts.map(async (text) => [...(await keysHolding(redis, keys, text)), ...filesHolding(text, dataDir)]));
  return found.flat();
};

const forgottenWithReceipt = ({ app, log, redis, keys, dataDir }: Machine, gone: readonly string[]): Promise<Receipt> =>
  takeReceipt({ log, redis, keys, dataDir, managed: true, now: Date.now }, gone, () =>
    app.commands.forget({ keys: gone, confirm: true }, call),
  );

const purge = ({ redis, keys }: Machine, root: string) => purgeBackups({ redis, keys, stamp: newId }, { root, secrets: {} });

const suppressed = async ({ app }: Machine): Promise<readonly string[]> => (await app.queries.listSuppressions({}, call)).suppressed_topics;

describe('a topic that a dead end became', () => {
  /** As it was said, and as it is a topic. */
  const SAID = 'Paper slips of Zxsentinel Marigold';
  const TEXTS = [SAID, SAID.toLowerCase(), 'Zxstory'];

  it('comes back by no restore and no merge, and a purge takes it out of the segments', SLOW, async () => {
    const home = await machine('home');
    const key = await remember(home, 'The queue ran on paper for a while: Zxstory.');
    const dead = { name: SAID, type: 'approach', reason: 'she left' } as const;
    await home.app.commands.recordExperience({ key, effort_score: 5, outcome: 'abandoned', abandoned_approaches: [dead] }, call);
    const kept = await remember(home, 'The canteen opens at eight.');
    expect(await suppressed(home)).toEqual([SAID.toLowerCase()]);
    const { filename: old } = await home.app.backups.dump({}, call);
    // A copy that was carried away before anything was forgotten, and a machine that was set up from it.
    const away = join(base, 'away');
    cpSync(join(home.root, old), join(away, old), { recursive: true });
    const laptop = await machine('laptop');
    expect(
      await restoreBackup({ path: join(away, old), target: laptop.target, tenant: laptop.keys.tenant, secrets: {}, actor: 'test' }),
    ).toMatchObject({ status: 'restored' });
    await vi.waitFor(() => expect(laptop.log.logId).toBe(home.log.logId), { timeout: 20_000 });
    await vi.waitFor(async () => expect(await suppressed(laptop)).toEqual([SAID.toLowerCase()]), { timeout: 20_000 });
    await remember(laptop, 'The laptop knows more.');
    const passing = await remember(laptop, 'A passing thought on a train.');
    const { filename: theirs } = await laptop.app.backups.dump({}, call);
    for (const text of [SAID, 'Zxstory']) {
      expect(await keysHolding(home.redis, home.keys, text), text).not.toEqual([]);
      for (const folder of [home.root, away, laptop.root, join(home.dataDir, 'valkey')])
        expect(filesHolding(text, folder), text).not.toEqual([]);
    }
    expect(await keysHolding(home.redis, home.keys, SAID.toLowerCase())).not.toEqual([]);

    expect(await forgottenWithReceipt(home, [key])).toMatchObject({ verdict: 'in backups', suppressions_kept: [] });
    expect(await suppressed(home)).toEqual([]);
    expect(await purge(home, home.root)).toMatchObject({ forgotten: 1, sets: [{ name: old, payloads_removed: 3 }] });
    expect(await placesHolding(home, TEXTS)).toEqual([]);

    // The older backup again, here and into an empty store beside which only FORGOTTEN tells of it.
    const again = (to: Machine) =>
      restoreBackup({ path: join(away, old), target: to.target, tenant: to.keys.tenant, secrets: {}, actor: 'test', roots: [home.root] });
    expect(await again(home)).toMatchObject({ status: 'unchanged', kept_forgotten: 1 });
    const fresh = await machine('fresh');
    expect(await again(fresh)).toMatchObject({ status: 'restored', kept_forgotten: 1 });
    await vi.waitFor(() => expect(fresh.log.logId).toBe(home.log.logId), { timeout: 20_000 });
    await vi.waitFor(
      async () =>
        expect((await fresh.app.queries.recall({ query: 'when does the canteen open' }, call)).results).toMatchObject([{ key: kept }]),
      { timeout: 20_000 },
    );
    await fresh.app.backups.dump({}, call);
    expect(await suppressed(fresh)).toEqual([]);
    expect(await placesHolding(fresh, TEXTS)).toEqual([]);

    // The laptop has never heard of it: its backup still holds all of it.
    const merged = await mergeBackup({
      path: join(laptop.root, theirs),
      target: home.target,
      tenant: home.keys.tenant,
      secrets: {},
      actor: 'test',
    });
    expect(merged).toMatchObject({ status: 'merged', new: 2, differing: [] });
    await vi.waitFor(
      async () => expect((await home.app.queries.recall({ query: 'what does the laptop know' }, call)).results).toHaveLength(1),
      { timeout: 20_000 },
    );
    expect(await suppressed(home)).toEqual([]);
    expect(await placesHolding(home, TEXTS)).toEqual([]);
    const { filename: newest } = await home.app.backups.dump({ full: true }, call);
    expect(filesHolding('laptop knows', join(home.root, newest))).not.toEqual([]);
    expect(await placesHolding(home, TEXTS)).toEqual([]);

    // And what this machine forgot, the laptop forgets by a merge the other way.
    const back = await mergeBackup({
      path: join(home.root, newest),
      target: laptop.target,
      tenant: laptop.keys.tenant,
      secrets: {},
      actor: 'test',
    });
    expect(back).toMatchObject({ status: 'merged', forgotten: [key] });
    await vi.waitFor(async () => expect(await suppressed(laptop)).toEqual([]), { timeout: 20_000 });
    // A forgetting of its own wakes the eraser, which looks once a minute else.
    expect(await laptop.app.commands.forget({ keys: [passing], confirm: true }, call)).toMatchObject({ deleted: 1 });
    await erasuresConfirmed(laptop);
    await purge(laptop, laptop.root);
    expect(await placesHolding(laptop, TEXTS)).toEqual([]);
  });
});

describe('a text of a memory is left in no place', () => {
  const TEXT = 'The password of the north vault is saffron-basilisk.';
  const NEEDLE = 'saffron-basilisk';

  it('not in the index that is kept in files', SLOW, async () => {
    const test = await openTestApp();
    const { key } = (await test.app.commands.remember({ content: TEXT }, call)) as { readonly key: string };
    const dead = { name: `Saying ${NEEDLE} aloud`, type: 'approach', reason: 'overheard' } as const;
    await test.app.commands.recordExperience({ key, effort_score: 5, outcome: 'abandoned', abandoned_approaches: [dead] }, call);
    for (let i = 0; i < 3; i++)
      await test.log.append(appendOf(Array.from({ length: 400 }, (_, n) => newMemory(`Crate ${i}-${n} is empty.`))));
    await vi.waitFor(async () => expect(await test.app.queries.health()).toMatchObject({ vectors: { pending: 0 } }), { timeout: 30_000 });
    await test.close();
    const kept = join(test.dataDir, 'index');
    expect(filesHolding('basilisk', kept)).not.toEqual([]);
    const later = await test.another();
    await later.app.whenReady(20_000);
    expect(await later.app.commands.forget({ keys: [key], confirm: true }, call)).toMatchObject({ deleted: 1 });
    await erasuresConfirmed(later);
    await later.close();
    expect(filesHolding('basilisk', kept)).toEqual([]);
    // It was kept anew, without it.
    expect(filesHolding('crate', kept)).not.toEqual([]);
    await test.end();
  });

  it('not in the query of a recall that held it and was shown something else, or nothing', SLOW, async () => {
    const home = await machine('home');
    const other = await remember(home, 'The north vault is painted every spring.');
    await home.app.queries.recall({ query: `${TEXT} Asked before.` }, call);
    const key = await remember(home, TEXT);
    await home.app.queries.recall({ query: `${TEXT} Asked of preferences.`, namespaces: ['preference'] }, call);
    const shown = await home.app.queries.recall({ query: `${TEXT} Asked of all.` }, call);
    await home.app.queries.recall({ query: 'How is the north vault painted?', namespaces: ['episodic'] }, call);
    expect(shown.results.map((found) => found.key)).toContain(key);
    const asked = async (): Promise<readonly string[]> => {
      const found = await Promise.all(
        ['Asked before', 'Asked of preferences', 'Asked of all'].map(async (text) =>
          (await keysHolding(home.redis, home.keys, text)).length > 0 ? [text] : [],
        ),
      );
      return found.flat();
    };
    await vi.waitFor(async () => expect(await asked()).toHaveLength(3), { timeout: 10_000 });
    expect(await forgottenWithReceipt(home, [key])).toMatchObject({ verdict: 'erased' });
    expect(await asked()).toEqual([]);
    expect(await placesHolding(home, [NEEDLE])).toEqual([]);
    expect((await home.app.queries.recall({ query: 'the north vault is painted' }, call)).results).toMatchObject([{ key: other }]);
  });

  it('not by a model that answers after it was forgotten', SLOW, async () => {
    let answer = (): void => undefined;
    model.answer = async () => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return { text: JSON.stringify([{ text: `The word of the vault is ${NEEDLE}.`, kind: 'fact' }]) };
    };
    const home = await machine('home', true);
    const key = await remember(home, TEXT);
    await vi.waitFor(() => expect(model.open()).toBe(1), { timeout: 20_000 });
    expect(model.requests.at(-1)?.prompt).toContain(NEEDLE);
    await home.app.backups.dump({}, call);
    const receipt = forgottenWithReceipt(home, [key]);
    await vi.waitFor(async () => expect((await home.log.load([key]))[0]?.events.at(-1)?.type).toBe('MemoryForgotten'), { timeout: 20_000 });
    answer();
    expect(await receipt).toMatchObject({ verdict: 'in backups' });
    await vi.waitFor(async () => expect(await home.app.queries.queueStatus(call)).toMatchObject({ pending: 0, in_flight: 0 }), {
      timeout: 20_000,
    });
    await home.app.backups.dump({}, call);
    await purge(home, home.root);
    expect(await placesHolding(home, [NEEDLE])).toEqual([]);
  });
});

it('the context of a project that is deleted is left in no place', SLOW, async () => {
  const NEEDLES = ['saffron harbour', 'basil stack', 'sell basilisks', 'half of the quay', 'ask Ondine'];
  let home = await machine('home');
  const about = {
    project_name: 'harbour',
    description: `The saffron harbour.`,
    stack: 'basil stack',
    goals: 'sell basilisks',
    current_state: 'half of the quay',
    notes: 'ask Ondine',
  };
  await home.app.commands.setProjectContext(about, call);
  await home.app.commands.remember({ content: 'The crane of the harbour is red.', project: 'harbour' }, call);
  await home.app.queries.recall({ query: 'They sell basilisks in the saffron harbour, asked Pernille' }, call);
  await vi.waitFor(async () => expect(await keysHolding(home.redis, home.keys, 'asked Pernille')).not.toEqual([]), { timeout: 10_000 });
  await home.app.backups.dump({}, call);
  for (const text of NEEDLES)
    for (const folder of [join(home.dataDir, 'valkey'), home.root]) expect(filesHolding(text, folder), text).not.toEqual([]);
  await home.end();
  home = await machine('home');
  await home.app.queries.recall({ query: 'Is there half of the quay in that harbour? asked Quentin', namespaces: ['preference'] }, call);
  await vi.waitFor(async () => expect(await keysHolding(home.redis, home.keys, 'asked Quentin')).not.toEqual([]), { timeout: 10_000 });
  expect(await home.app.commands.deleteProject({ project_name: 'harbour', include_context: true, confirm: true }, call)).toMatchObject({
    total: 2,
  });
  await erasuresConfirmed(home);
  await home.app.backups.dump({}, call);
  await purge(home, home.root);
  expect(await placesHolding(home, NEEDLES)).toEqual([]);
  await home.end();
  for (const text of NEEDLES) expect(filesHolding(text, home.dataDir), text).toEqual([]);
});
