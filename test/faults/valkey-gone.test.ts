import { mkdtempSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectTools, keyOf, resultsOf, type Tools } from '../e2e/app/client.js';
import { startWhole } from '../e2e/app/instance.js';
import { newId } from '../support/eventlog.js';
import { smallDisk } from '../support/tmpfs.js';
import { lookAt, verifyStore } from './store.js';

type Instance = Awaited<ReturnType<typeof startWhole>>;
type Issue = { readonly code: string; readonly severity: string };

const issuesOf = async (tools: Tools): Promise<readonly Issue[]> => (await tools.call('health')).issues as Issue[];
const codesOf = async (tools: Tools): Promise<readonly string[]> => (await issuesOf(tools)).map(({ code }) => code);

/** Repeats a call until it succeeds; every refusal on the way must be UNAVAILABLE with a hint. Answers how many there were. */
const persist = async (tools: Tools, name: string, args: Record<string, unknown>) => {
  let refusals = 0;
  for (const end = performance.now() + 90_000; ; ) {
    const outcome = await tools.outcome(name, args);
    if ('answer' in outcome) return { answer: outcome.answer, refusals };
    expect(outcome.refusal).toMatchObject({ code: 'UNAVAILABLE', hint: expect.stringMatching(/\S/) });
    refusals += 1;
    if (performance.now() > end) throw new Error(`${name} stayed UNAVAILABLE`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

const verifyAll = async (dataDir: string): Promise<void> => {
  const store = await lookAt(dataDir);
  await verifyStore(store);
  store.close();
};

describe('a managed Valkey', () => {
  let dataDir: string;
  let instance: Instance;
  let tools: Tools;
  beforeEach(async () => {
    dataDir = mkdtempSync('/tmp/omt-');
    instance = await startWhole(dataDir);
    tools = await connectTools(instance.url);
  });
  afterEach(async () => {
    await tools.close();
    await instance.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const childPid = async (): Promise<number> => {
    const store = await lookAt(dataDir);
    const pid = Number(/process_id:(\d+)/.exec(await store.redis.info('server'))?.[1]);
    store.close();
    return pid;
  };
  const remember = (content: string): Record<string, unknown> => ({ content, force: true, command_id: newId() });

  it('that is killed while clients write is started again, and nothing that was acknowledged is lost', async () => {
    const keys: string[] = [];
    for (let round = 0; round < 3; round++) {
      const pid = await childPid();
      const writing = Promise.all(
        Array.from({ length: 4 }, async (_, writer) => {
          for (let n = 0; n < 12; n++) {
            const { answer } = await persist(tools, 'remember', remember(`Round ${round}, writer ${writer}, note ${n}.`));
            keys.push(keyOf(answer));
          }
        }),
      );
      while (keys.length < round * 48 + 10) await new Promise((resolve) => setTimeout(resolve, 2));
      process.kill(pid, 'SIGKILL');
      await writing;
      expect(await childPid()).not.toBe(pid);
    }
    expect(new Set(keys).size).toBe(144);
    const audit = await tools.call('memory_audit', { limit: 500 });
    expect(audit.total).toBe(144);
    expect(resultsOf(await tools.call('recall', { query: 'Round 2, writer 3, note 11.', top_k: 1 }))[0]?.content).toBe(
      'Round 2, writer 3, note 11.',
    );
    expect(await issuesOf(tools)).toContainEqual(expect.objectContaining({ code: 'VALKEY_RESTARTED', severity: 'amber' }));
    await verifyAll(dataDir);
  });

  it('that is stopped (SIGSTOP) makes calls UNAVAILABLE with a hint, and they go on when it wakes', async () => {
    const key = keyOf(await tools.call('remember', remember('The pump room floods in March.')));
    const pid = await childPid();
    process.kill(pid, 'SIGSTOP');
    try {
      const id = remember('Written while the store slept.');
      const [write, read, health] = await Promise.all([
        tools.refused('remember', id),
        tools.refused('recall', { query: 'pump room' }),
        tools.call('health'),
      ]);
      expect(write).toMatchObject({ code: 'UNAVAILABLE', hint: expect.stringMatching(/\S/) });
      expect(read).toMatchObject({ code: 'UNAVAILABLE', hint: expect.stringMatching(/\S/) });
      expect(health).toMatchObject({ status: 'red', valkey_connected: false });
      expect((health.issues as Issue[]).map(({ code }) => code)).toContain('VALKEY_DOWN');
      process.kill(pid, 'SIGCONT');
      const { answer } = await persist(tools, 'remember', id);
      const again = await tools.call('remember', id);
      expect(again.key).toBe(answer.key);
      expect(resultsOf(await tools.call('recall', { query: 'pump room floods' }))[0]?.key).toBe(key);
      expect((await tools.call('memory_audit')).total).toBe(2);
      expect((await issuesOf(tools)).filter(({ severity }) => severity === 'red')).toEqual([]);
      await verifyAll(dataDir);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  it('at its memory limit refuses writes, goes on reading, forgets, and then writes again', async () => {
    const big = (n: number): string => `Ballast ${n}: ${`stone${n} `.repeat(5_000)}`.slice(0, 40_000);
    const keys: string[] = [];
    for (let n = 0; n < 12; n++) keys.push(keyOf(await tools.call('remember', remember(big(n)))));
    const small = keyOf(await tools.call('remember', remember('The anchor chain has forty links.')));
    const store = await lookAt(dataDir);
    const used = Number(/used_memory:(\d+)/.exec(await store.redis.info('memory'))?.[1]);
    await store.redis.config('SET', 'maxmemory', String(used));
    await expect
      .poll(() => tools.outcome('remember', remember(big(99))), { timeout: 30_000 })
      .toMatchObject({
        refusal: { code: 'UNAVAILABLE', hint: expect.stringMatching(/forget/i) },
      });
    expect(resultsOf(await tools.call('recall', { query: 'anchor chain forty links' }))[0]?.key).toBe(small);
    expect(resultsOf(await tools.call('recall_detail', { keys: [small] }))[0]).toMatchObject({
      content: expect.stringContaining('anchor'),
    });
    expect(await codesOf(tools)).toContain('MEMORY_FULL');
    for (const key of keys)
      expect(await tools.call('forget', { key_or_query: key, confirm: true, keys: [key] })).toMatchObject({ deleted_keys: [key] });
    const { answer } = await persist(tools, 'remember', remember('Written after the ballast was thrown overboard.'));
    expect(resultsOf(await tools.call('recall', { query: 'ballast thrown overboard' }))[0]?.key).toBe(answer.key);
    expect(await codesOf(tools)).not.toContain('MEMORY_FULL');
    await verifyStore(store);
    store.close();
  });
});

const disk = smallDisk(96);
const noMount = disk ? '' : ': SKIPPED, this user may not mount';
disk?.remove();

describe.skipIf(!disk)(`a small disk${noMount}`, () => {
  it('nearly full and full: writes are UNAVAILABLE, reads go on, forgetting works, and then writes go on', {
    timeout: 180_000,
  }, async () => {
    const small = smallDisk(96);
    if (!small) return;
    const { writeFileSync } = await import('node:fs');
    const dataDir = `${small.dir}/data`;
    const instance = await startWhole(dataDir, { OMNIMEM_MIN_FREE_MB: '16' });
    const tools = await connectTools(instance.url);
    try {
      const text = (n: number): string => `Cargo list ${n}: ${`crate${n} `.repeat(5_000)}`.slice(0, 45_000);
      const kept = keyOf(await tools.call('remember', { content: 'The harbour master signs every cargo list.' }));
      const doomed = keyOf(await tools.call('remember', { content: text(0) }));
      // Nearly full: the writer refuses before the server is harmed.
      const { statfsSync } = await import('node:fs');
      const free = (): number => statfsSync(small.dir).bavail * statfsSync(small.dir).bsize;
      writeFileSync(`${small.dir}/filler`, Buffer.alloc(free() - 10 * 2 ** 20, 1));
      await expect
        .poll(() => tools.outcome('remember', { content: text(1) }), { timeout: 30_000 })
        .toMatchObject({
          refusal: { code: 'UNAVAILABLE', message: expect.stringContaining('disk'), hint: expect.stringMatching(/Free some space/) },
        });
      expect(resultsOf(await tools.call('recall', { query: 'who signs the cargo list, the harbour master' }))[0]?.key).toBe(kept);
      expect(await codesOf(tools)).toContain('DISK_LOW');

      // Full: not a byte is left.
      try {
        for (let n = 0; ; n++) writeFileSync(`${small.dir}/filler-${n}`, Buffer.alloc(2 ** 16, 1));
      } catch {
        // That was the last block.
      }
      const forgotten = await persist(tools, 'forget', { key_or_query: doomed, confirm: true, keys: [doomed], command_id: newId() });
      expect(forgotten.answer).toMatchObject({ status: 'deleted', deleted_keys: [doomed] });
      const { answer: read } = await persist(tools, 'recall', { query: 'who signs the cargo list, the harbour master' });
      expect(resultsOf(read)[0]?.key).toBe(kept);
      expect((await tools.refused('remember', { content: text(2) })).code).toBe('UNAVAILABLE');
      expect(await tools.call('health')).toMatchObject({ status: 'red' });

      for (const name of (await import('node:fs')).readdirSync(small.dir)) if (name.startsWith('filler')) rmSync(`${small.dir}/${name}`);
      const { answer: written } = await persist(tools, 'remember', { content: text(3), command_id: newId() });
      const details = resultsOf(await tools.call('recall_detail', { keys: [kept, doomed, keyOf(written)] }));
      expect(details).toMatchObject([{ key: kept, state: 'active' }, { status: 'not_found' }, { state: 'active' }]);
      await verifyAll(dataDir);
    } finally {
      await tools.close();
      await instance.close();
      small.remove();
    }
  });
});
