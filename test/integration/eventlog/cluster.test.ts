import { Redis } from 'iovalkey';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { appendOf, newId, newMemory, openTestLog, readAll, revised, snapshot, TEST_TIME, type TestLog } from '../../support/eventlog.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
let test: TestLog;
beforeAll(async () => {
  const busPort = String(20_000 + (process.pid % 20_000));
  valkey = await startValkey({ config: { 'cluster-enabled': 'yes', 'cluster-port': busPort, bind: '127.0.0.1' } });
  const client = valkey.client();
  await client.call('CLUSTER', ['ADDSLOTSRANGE', '0', '16383']);
  while (!(await client.call('CLUSTER', ['INFO']).then(String)).includes('cluster_state:ok')) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  test = await openTestLog({ valkey, cluster: true });
});
afterAll(async () => {
  await test.close();
  await valkey.stop();
});

/** Everything the log does, on several subjects at once. */
const workout = async (): Promise<void> => {
  const [one, two] = [newMemory('one', { claims: [{ claim: 'c', mode: 'free' }] }), newMemory('two')];
  const vectors = { model: 'm', bytes: Buffer.alloc(16, 1) };
  await test.log.append(appendOf([{ ...one, vectors }, two]));
  await test.log.append(
    appendOf([{ subject: one.subject, expected: 1, events: [revised('uno')], release: ['c'], claims: [{ claim: 'd', mode: 'ifFree' }] }], {
      guards: [{ subject: two.subject, version: 1 }],
      erasures: await test.log.erasures(),
      causation: newId(),
    }),
  );
  const subjects = [
    { subject: one.subject, expected: 2, deletes: [test.keys.embedding('m', one.subject), test.keys.row('memories', 1, one.subject)] },
    { subject: two.subject, expected: 1, deletes: [] },
  ];
  await test.log.forget({ commandId: newId(), actor: 'test', at: TEST_TIME, subjects, result: {} });
  await test.log.load([one.subject, two.subject]);
  await readAll(test.log);
};

it('keeps every key of a tenant in one slot, and works on a server in cluster mode', async () => {
  await workout();
  const names = [...(await snapshot(test.redis, test.keys)).keys()];
  expect(names.length).toBeGreaterThan(6);
  const slots = await Promise.all(names.map((name) => test.redis.call('CLUSTER', ['KEYSLOT', name])));
  expect(new Set(slots).size).toBe(1);
  expect((await readAll(test.log)).map(({ kind }) => kind)).toEqual(['husk', 'husk', 'husk', 'event', 'event']);
});

it('touches no key that a script did not declare', async () => {
  // A connection without a name: the client would give itself one in the middle of what it watches.
  const plain = new Redis({ path: valkey.socket, enableReadyCheck: false });
  const watcher = await plain.monitor();
  const commands: { readonly args: readonly string[]; readonly inScript: boolean }[] = [];
  watcher.on('monitor', (_time: string, args: readonly string[], source: string) => commands.push({ args, inScript: source === 'lua' }));
  await workout();
  const ended = newId();
  await test.redis.echo(ended);
  while (!commands.some(({ args }) => args.includes(ended))) await new Promise((resolve) => setTimeout(resolve, 10));
  watcher.disconnect();
  plain.disconnect();

  let declared: readonly string[] = [];
  const undeclared: string[] = [];
  let touched = 0;
  for (const { args, inScript } of commands) {
    if (args[0]?.toUpperCase() === 'EVALSHA') declared = args.slice(3, 3 + Number(args[2]));
    if (!inScript) continue;
    touched += 1;
    if (!declared.includes(args[1] ?? '')) undeclared.push(args.slice(0, 2).join(' '));
  }
  expect(touched).toBeGreaterThan(20);
  expect(undeclared).toEqual([]);
});
