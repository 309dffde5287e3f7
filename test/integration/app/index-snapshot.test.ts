import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ORIGIN, type Position } from '../../../domain/envelope.js';
import { NAMESPACES } from '../../../domain/vocabulary.js';
import { RecallIndex } from '../../../projections/recall/recall-index.js';
import { InMemoryLexicalIndex } from '../../../projections/search/lexical.js';
import { InProcessVectorIndex } from '../../../projections/search/vectors.js';
import { openTestApp, type TestApp } from '../../support/app.js';

/** A folder with something in it that this user cannot remove; answers how to let it go, again and again, or undefined where that cannot be had. */
const makeUnremovable = (directory: string): (() => void) | undefined => {
  const inner = join(directory, 'inner');
  mkdirSync(inner, { recursive: true });
  if (process.getuid?.() !== 0) {
    writeFileSync(join(inner, 'x'), 'x');
    chmodSync(inner, 0o500);
    return () => existsSync(inner) && chmodSync(inner, 0o700);
  }
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', inner], { stdio: 'ignore' });
    writeFileSync(join(inner, 'x'), 'x');
    return () => spawnSync('umount', ['-l', inner], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
};

describe('the recall index in files', () => {
  let test: TestApp;
  let home: string;
  let directory: string;
  let count = 0;

  beforeAll(async () => {
    test = await openTestApp();
    for (let i = 0; i < 20; i++) await remember(`Service number ${i} listens on port ${8_000 + i}.`);
    await test.app.commands.suppressTopic({ topic: 'kafka' }, test.call);
    for (const project of ['one', 'two']) await test.app.commands.remember({ content: `A note of ${project}.`, project }, test.call);
    await test.app.commands.mergeProjects({ from: 'one', into: 'two' }, test.call);
    await test.app.commands.compileProjectDomains({ project_name: 'two', domains: ['python'] }, test.call);
    const key = await remember('Jobs wait in a table.');
    await test.app.commands.logAbandoned({ key, name: 'pg-boss', type: 'library', reason: 'lost jobs' }, test.call);
    home = mkdtempSync(join(tmpdir(), 'omt-index-'));
  });
  beforeEach(() => {
    directory = join(home, String(++count));
  });
  afterAll(async () => {
    await test.verifyAll();
    await test.end();
    rmSync(home, { recursive: true, force: true });
  });

  const remember = async (content: string): Promise<string> => {
    const answer = await test.app.commands.remember({ content, force: true }, test.call);
    if (answer.status !== 'stored') throw new Error('not stored');
    return answer.key;
  };

  /** An index as a process of its own would have it; `readFrom` is where its first look at the log began. */
  const openIndex = async (edition = '1', troubles?: string[], tenant = test.keys.tenant) => {
    const readFrom: Position[] = [];
    const log = {
      ...test.log,
      read: (after: Position, entries: number) => {
        readFrom.push(after);
        return test.log.read(after, entries);
      },
    };
    const index = new RecallIndex({
      log,
      redis: test.redis,
      keys: { ...test.keys, tenant },
      createLexical: () => new InMemoryLexicalIndex(),
      createVectors: (dimension) => new InProcessVectorIndex({ dimension }),
      snapshot: { directory, edition, worth: 1 },
      generation: async () => 1,
      onTrouble: (message, error) => {
        if (!troubles) throw new Error(message, { cause: error });
        troubles.push(message);
      },
    });
    index.start();
    const head = await test.log.head();
    expect(await index.progress.waitFor(head?.position ?? ORIGIN, 5_000)).toBe('reached');
    await index.settled();
    return { index, first: () => readFrom[0] };
  };

  const known = async (index: RecallIndex, query: string) => {
    const vector = index.serving && (await test.queryParts.embedderFor(index.serving.model.id))?.embedQuery(query);
    return {
      documents: [...index.documents.values()].map(({ key, state, project }) => ({ key, state, project })),
      words: index.words('episodic').search(query, 5, {}),
      near: vector && (await index.serving?.index('episodic').knn(await vector, 5, {})),
      model: index.modelInLog,
      topics: [...index.suppressed.topics.keys()],
      projects: [index.projects.namesOf('one'), index.projects.inDomain('python'), index.projects.memoriesOf('two')],
      suppressed: index.suppressed.matches('about Kafka'),
      deadEnds: index.graveyard.find('should we use pgboss').map(({ approach }) => approach.name),
      missing: index.serving?.missing.size,
    };
  };

  const filesHold = (text: string): boolean =>
    readdirSync(home, { recursive: true, withFileTypes: true }).some(
      (entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text),
    );

  it('comes back as it was, and reads the log from there', async () => {
    const before = await openIndex();
    expect(before.first()).toBe(ORIGIN);
    const knew = await known(before.index, 'service on port 8007');
    expect(knew.near).toHaveLength(5);
    expect(knew.deadEnds).toEqual(['pg-boss']);
    expect(knew.projects).toEqual([['two', 'one'], ['two'], { active: 2, deprioritised: 0, archived: 0 }]);
    const { position } = before.index.progress;
    await before.index.close();

    const key = await remember('Broker zebrafish42 was added later.');
    const after = await openIndex();
    expect(after.first()).toBe(position);
    expect(after.index.words('episodic').search('zebrafish42', 5, {})[0]?.key).toBe(key);
    const knows = await known(after.index, 'service on port 8007');
    expect(knows).toEqual({ ...knew, documents: [...knew.documents, { key, state: 'active', project: undefined }], words: knows.words });
    expect(knows.words.map((hit) => hit.key)).toEqual(knew.words.map((hit) => hit.key));
    await after.index.close();
  });

  it('goes when a memory is forgotten, with its words', async () => {
    const key = await remember('The quokkaword must be gone from the files.');
    await (await openIndex()).index.close();
    expect(filesHold('quokkaword')).toBe(true);
    const running = await openIndex();
    await test.app.commands.forget({ key_or_query: key, confirm: true, keys: [key] }, test.call);
    const head = await test.log.head();
    await running.index.progress.waitFor(head?.position ?? ORIGIN, 5_000);
    expect(filesHold('quokkaword')).toBe(false);
    await running.index.close();
    expect(filesHold('quokkaword')).toBe(false);
  });

  it('is deleted unread when something was forgotten while no process looked', async () => {
    const key = await remember('The axolotlword was forgotten behind its back.');
    await (await openIndex()).index.close();
    expect(filesHold('axolotlword')).toBe(true);
    await test.app.commands.forget({ key_or_query: key, confirm: true, keys: [key] }, test.call);
    const after = await openIndex();
    expect(after.first()).toBe(ORIGIN);
    expect(filesHold('axolotlword')).toBe(false);
    expect(after.index.words('episodic').search('axolotlword', 5, {})).toEqual([]);
    await after.index.close();
  });

  it.each(['content-0.bin', 'manifest.json', 'current.json'])('is not used when %s was damaged', async (name) => {
    await (await openIndex()).index.close();
    const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.name === name);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const path = join(file.parentPath, file.name);
      const bytes = readFileSync(path);
      bytes[20] = (bytes[20] ?? 0) ^ 1;
      writeFileSync(path, bytes);
    }
    const troubles: string[] = [];
    const after = await openIndex('1', troubles);
    expect(after.first()).toBe(ORIGIN);
    expect(troubles).toEqual([expect.stringMatching(/is damaged and is rebuilt from the log/)]);
    expect(troubles[0]).toContain(name === 'manifest.json' ? NAMESPACES[0] : name);
    await after.index.close();
  });

  it('is not used when the folders of two namespaces were exchanged', async () => {
    await (await openIndex()).index.close();
    const [folder = ''] = readdirSync(directory).filter((name) => name !== 'current.json');
    const at = (name: string): string => join(directory, folder, name);
    renameSync(at('episodic'), at('aside'));
    renameSync(at('knowledge'), at('episodic'));
    renameSync(at('aside'), at('knowledge'));
    const troubles: string[] = [];
    const after = await openIndex('1', troubles);
    expect(after.first()).toBe(ORIGIN);
    expect(troubles).toEqual([expect.stringMatching(/damaged.*(episodic|knowledge)/)]);
    expect(after.index.words('episodic').search('service', 3, {})).toHaveLength(3);
    await after.index.close();
  });

  it('is not used by another tenant, though it has the same log', async () => {
    await (await openIndex()).index.close();
    const troubles: string[] = [];
    const after = await openIndex('1', troubles, 'other');
    expect(after.first()).toBe(ORIGIN);
    expect(troubles).toEqual([expect.stringContaining(`of the tenant ${test.keys.tenant}`)]);
    await after.index.close();
  });

  it('is not used when it lacks the words of a memory it lists', async () => {
    const whole = await openIndex();
    const [key = ''] = whole.index.documents.keys();
    whole.index.words('episodic').remove(key);
    await whole.index.close();
    const troubles: string[] = [];
    const after = await openIndex('1', troubles);
    expect(after.first()).toBe(ORIGIN);
    expect(troubles).toEqual([expect.stringMatching(/words of \d+ memories where \d+ are stored/)]);
    await after.index.close();
  });

  it('is done without, told once, where its folder cannot be', async () => {
    const file = join(home, 'a-file');
    writeFileSync(file, 'x');
    directory = join(file, 'local');
    const troubles: string[] = [];
    const { index, first } = await openIndex('1', troubles);
    expect(first()).toBe(ORIGIN);
    expect(index.words('episodic').search('service', 3, {})).toHaveLength(3);
    expect(index.snapshot?.unusable).toBe(`${directory} (ENOTDIR)`);
    expect(index.snapshot?.mayHoldForgotten).toBe(false);
    const key = await remember('The okapiword comes and goes.');
    await test.app.commands.forget({ key_or_query: key, confirm: true, keys: [key] }, test.call);
    expect(await index.progress.waitFor((await test.log.head())?.position ?? ORIGIN, 5_000)).toBe('reached');
    await index.close();
    expect(troubles).toEqual([expect.stringContaining(directory)]);
  });

  it('may hold what was forgotten as long as files of it cannot be removed, and is kept again once they can', async (context) => {
    const undo = makeUnremovable(directory);
    if (!undo) return context.skip();
    const troubles: string[] = [];
    onTestFinished(undo);
    const { index } = await openIndex('1', troubles);
    expect([index.snapshot?.unusable, index.snapshot?.mayHoldForgotten]).toEqual([expect.stringContaining(directory), true]);
    undo();
    await index.close();
    expect(index.snapshot?.unusable).toBeUndefined();
    expect(readdirSync(directory)).toContain('current.json');
    expect(troubles).toHaveLength(1);
  });

  it('is not used by another edition of the program', async () => {
    await (await openIndex('1')).index.close();
    const after = await openIndex('2');
    expect(after.first()).toBe(ORIGIN);
    await after.index.close();
  });
});
