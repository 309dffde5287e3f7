import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Receipt, type ReceiptParts, takeReceipt } from '../../../services/erasure/receipt.js';
import { sayReceipt } from '../../../services/erasure/receipt-text.js';
import type { RunningInstance } from '../../../services/instance.js';
import { startWhole } from '../../e2e/app/instance.js';

let dataDir: string;
let instance: RunningInstance;
beforeAll(async () => {
  dataDir = mkdtempSync('/tmp/omt-receipt-');
  instance = await startWhole(dataDir);
});
afterAll(async () => {
  await instance.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const opened = () => {
  if (!instance.opened) throw new Error('not open');
  return instance.opened;
};
const call = { actor: 'test' };
const remember = async (content: string): Promise<string> => {
  const stored = await opened().app.commands.remember({ content, force: true }, call);
  if (stored.status !== 'stored') throw new Error('not stored');
  return stored.key;
};
const receiptOf = (keys: readonly string[], parts: Partial<ReceiptParts> = {}, patienceMs?: number): Promise<Receipt> => {
  const { log, redis, keys: names, app } = opened();
  return takeReceipt(
    { log, redis, keys: names, dataDir, managed: true, now: Date.now, ...parts },
    keys,
    () => app.commands.forget({ keys, confirm: true }, call),
    { patienceMs },
  );
};
const checkOf = ({ checks }: Receipt, place: string) => checks.find((check) => check.place === place);

/** A folder in place of the data folder, for what needs no rewrite of the log's file. */
const elsewhere = async (work: (dir: string, take: (keys: readonly string[]) => Promise<Receipt>) => Promise<void>): Promise<void> => {
  const dir = mkdtempSync('/tmp/omt-elsewhere-');
  await work(dir, (keys) => receiptOf(keys, { managed: false, dataDir: dir }));
  rmSync(dir, { recursive: true });
};

/** Files below the data folder that hold the text, by a reading that has nothing to do with the receipt's own. */
const filesHolding = (text: string, folder = dataDir): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesHolding(text, path);
    return statSync(path).isFile() && readFileSync(path).includes(text) ? [path] : [];
  });

describe('a receipt', () => {
  it('finds the text in keys and in the file of the log before, and nowhere after', async () => {
    const key = await remember('The combination of the strongroom is ochre-pangolin, left twice.');
    await opened().app.commands.revise({ key, content: 'The combination of the strongroom is umber-pangolin, right twice.' }, call);
    await remember('The canteen opens at eight.');
    expect(filesHolding('ochre-pangolin')).not.toEqual([]);
    const receipt = await receiptOf([key]);
    expect(receipt).toMatchObject({ verdict: 'erased', memories: 1, keys: [key], log_id: opened().log.logId, not_checked: [], notes: [] });
    expect(checkOf(receipt, 'keys of type hash')?.found_before).toBeGreaterThan(1);
    expect(checkOf(receipt, 'append-only files')?.found_before).toBeGreaterThan(1);
    for (const { place, found_after } of receipt.checks) expect(found_after, place).toBe(0);
    expect(receipt.checks.map(({ place }) => place)).toEqual(expect.arrayContaining(['keys of type stream', 'keys of type string']));
    expect(receipt.cannot_see.length).toBeGreaterThan(3);
    expect(JSON.stringify(receipt)).not.toMatch(/pangolin|strongroom/);
    expect(sayReceipt(receipt)).toContain('Erased.');
    for (const text of ['ochre-pangolin', 'umber-pangolin']) expect(filesHolding(text)).toEqual([]);
  });

  it('looks for dead ends too, and the topics that they became go with the memory', async () => {
    const key = await remember('The night shift of the queue was given up.');
    const name = 'letting Zxsentinel Marigold of 12 Elm Street run the queue by hand';
    const { commands, queries } = opened().app;
    await commands.suppressTopic({ topic: 'the queue of paper slips' }, call);
    await commands.recordExperience(
      {
        key,
        effort_score: 5,
        outcome: 'abandoned',
        abandoned_approaches: [name, 'The queue of paper slips'].map((each) => ({ name: each, type: 'approach', reason: 'she left' })),
      },
      call,
    );
    expect(filesHolding('zxsentinel marigold')).not.toEqual([]);
    const receipt = await receiptOf([key]);
    expect(receipt).toMatchObject({ verdict: 'erased', suppressions_kept: ['the queue of paper slips'] });
    expect(sayReceipt(receipt)).toContain('Stays suppressed, since somebody else suppressed it too: the queue of paper slips');
    for (const text of ['Zxsentinel Marigold', 'zxsentinel marigold']) expect(filesHolding(text)).toEqual([]);
    expect((await queries.listSuppressions({}, call)).suppressed_topics).toEqual(['the queue of paper slips']);
  });

  it('names the backups and logs that still hold it', () =>
    elsewhere(async (dir, take) => {
      const text = 'The heron password is cerulean-marmot, said the keeper.';
      const key = await remember(text);
      mkdirSync(join(dir, 'backups', 'one'), { recursive: true });
      writeFileSync(join(dir, 'backups', 'one', '000001.payloads'), `xx${text}xx`);
      const receipt = await take([key]);
      expect(receipt.verdict).toBe('in backups');
      expect(checkOf(receipt, 'backups')).toMatchObject({ found_after: 1, where: [join('backups', 'one', '000001.payloads')] });

      const third = 'The bittern password is magenta-marmot, said the keeper.';
      const kept = await remember(third);
      const away = mkdtempSync('/tmp/omt-away-');
      writeFileSync(join(away, '000002.payloads'), third);
      const inAway = await receiptOf([kept], { managed: false, dataDir: dir, backupDir: away });
      expect(inAway).toMatchObject({ verdict: 'in backups' });
      expect(checkOf(inAway, 'backups')).toMatchObject({ found_after: 1, where: ['000002.payloads'] });
      rmSync(away, { recursive: true });

      const other = 'The egret password is viridian-marmot, said the keeper.';
      const second = await remember(other);
      writeFileSync(join(dir, 'omnimem.log'), `{"msg":"${other}"}\n`);
      const found = await take([second]);
      expect(found.verdict).toBe('found');
      expect(checkOf(found, 'log files')).toMatchObject({ found_after: 1, where: ['omnimem.log'] });
      expect(sayReceipt(found)).toContain('still in omnimem.log');
    }));

  it('finds a text that lies across the border of two chunks of a file', () =>
    elsewhere(async (dir, take) => {
      const text = 'A text across the border is vermilion-ocelot indeed.';
      const key = await remember(text);
      writeFileSync(join(dir, 'omnimem.log'), Buffer.concat([Buffer.alloc((1 << 20) - 20, 46), Buffer.from(text), Buffer.alloc(100, 46)]));
      expect((await take([key])).verdict).toBe('found');
    }));

  it('does not call proven what it could not look for', async () => {
    const foreign = { managed: false, dataDir: join(dataDir, 'none') };
    const short = await remember('ab cd');
    expect(await receiptOf([short], foreign)).toMatchObject({
      verdict: 'unproven',
      not_checked: [{ key: short, why: expect.stringContaining('short') }],
    });

    const shared = await remember('This sentence is said by two memories.');
    const { log } = opened();
    await log.append({
      commandId: '01J00000000000000000000001',
      actor: 'test',
      at: new Date().toISOString(),
      writes: [
        {
          subject: 'mem:episodic:01J00000000000000000000002',
          expected: 0,
          events: [
            {
              type: 'MemoryRemembered',
              data: {
                namespace: 'episodic',
                content: 'This sentence is said by two memories.',
                tags: [],
                mode: 'raw',
                licence: 'own',
                provenance: 'concluded',
              },
            },
          ],
        },
      ],
      result: {},
    });
    expect(await receiptOf([shared], foreign)).toMatchObject({
      verdict: 'unproven',
      not_checked: [{ key: shared, why: expect.stringContaining('another') }],
    });
  });

  it('says when the file of the log was not rewritten in time, and then does not call it erased', async () => {
    const key = await remember('The last one is called cobalt-wombat, as promised.');
    const receipt = await receiptOf([key], {}, 0);
    expect(receipt.notes).toEqual([expect.stringContaining('had not ended')]);
    expect(receipt.verdict).toBe('found');
    expect(checkOf(receipt, 'append-only files')?.found_after).toBeGreaterThan(0);
  });

  it('says of a server that is not ours that its files cannot be seen', () =>
    elsewhere(async (_, take) => {
      const receipt = await take([await remember('A foreign server holds teal-badger, they say.')]);
      expect(receipt.verdict).toBe('erased');
      expect(receipt.cannot_see[0]).toContain('not run by OmniMem');
    }));
});
