import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Redis } from 'iovalkey';
import { servingGeneration } from '../../projections/generation.js';
import { createKeys, type Keys } from '../../projections/keys.js';
import { scanRows } from '../../projections/rows.js';
import { openStore } from '../../services/ops/store.js';
import { PROJECTIONS } from '../../services/views.js';
import { runTypeScript } from '../support/run-ts.js';
import type { TestValkey } from '../support/valkey.js';
import { entriesOf, verifyStore } from './store.js';

export const OPERATIONS = ['forget', 'deleteProject', 'undo', 'migrate', 'merge', 'replay'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** What the operations need: the same for the undisturbed run and for each that is killed. */
export type Plan = { readonly commandId: string; readonly previewId: string; readonly correlation: string; readonly folder: string };

/** The product over a running Valkey: it does one thing, and stays until it is killed. `restart` does nothing but start. */
const CHILD = `
import { createLogger } from './services/log.ts';
import { loadConfig } from './services/config.ts';
import { openApp } from './services/app.ts';
import { PROJECTIONS } from './services/views.ts';
import { mergeBackup } from './services/backup/merge.ts';
import { systemRandom } from './services/eventlog/random.ts';
import { migrate } from './services/migrations/runner.ts';
import { replayProjection } from './projections/replay.ts';
import { providerOf } from './test/support/embedders.ts';
import { migration } from './test/integration/migrations/shipped/0001-rename-a-tag.ts';
const [socket, tenant, dataDir, what, plan] = process.argv.slice(2);
if (what === undefined) process.exit(0);
const { commandId, previewId, correlation, folder } = JSON.parse(plan);
const { config } = loadConfig({ OMNIMEM_DATA_DIR: dataDir, OMNIMEM_TENANT: tenant, OMNIMEM_MIN_FREE_MB: '0', EMBEDDING: 'none', LOG_LEVEL: 'silent' });
const supervised = () => ({ state: 'running', mode: 'normal', answering: true, pid: 1, restarts: 0, lastExit: undefined });
const opened = await openApp({ config, logger: createLogger({ level: 'silent' }), target: { path: socket }, provider: providerOf(undefined), supervised });
const { app, log, keys, redis, queryParts } = opened;
process.on('SIGTERM', async () => { await opened.close(); process.exit(0); });
const say = (line) => console.log(JSON.stringify(line));
const call = { actor: 'test', commandId };
const settled = async () => {
  const head = await log.head();
  while ((await opened.runner.waitFor(head.position, 60000)) !== 'reached' || (await queryParts.fresh()) !== undefined);
};
const run = {
  restart: async () => undefined,
  forget: () => app.commands.forget({ confirm: true, preview_id: previewId }, call),
  deleteProject: () => app.commands.deleteProject({ project_name: 'local', include_context: true, confirm: true }, call),
  undo: () => app.commands.undo({ correlation }, call),
  migrate: () => migrate({ log, redis, keys, random: systemRandom(), now: Date.now }, [migration]),
  merge: () => mergeBackup({ path: folder, target: { path: socket }, tenant, secrets: {}, actor: 'test' }),
  replay: () => Promise.all(PROJECTIONS.map(({ name }) => replayProjection(redis, keys, name, Date.now()))),
}[what];
await app.whenReady(60000);
if (what !== 'restart') await settled();
say('ready');
const begun = performance.now();
await run();
say(performance.now() - begun);
await settled();
say('settled');
setInterval(() => {}, 1e6);
`;

export type Child = {
  /** The next line that it says. */
  readonly next: () => Promise<unknown>;
  /** Whatever ends it. */
  readonly ended: Promise<unknown>;
  readonly kill: (signal?: NodeJS.Signals) => Promise<void>;
};

/** Compiles once what is started many times; without arguments it must end at once. */
export const compileChild = async (code = CHILD): Promise<(args: readonly string[]) => Child> => {
  const first = await runTypeScript(code);
  await once(first.process, 'exit');
  const [node = '', file = ''] = first.process.spawnargs;
  return (args) => {
    const child = spawn(node, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ended = once(child, 'exit');
    return {
      next: async () => {
        const { value, done } = await lines.next();
        if (done) throw new Error(`${args[3]} ended without another line`);
        return JSON.parse(value);
      },
      ended,
      kill: async (signal = 'SIGKILL') => {
        child.kill(signal);
        await ended;
      },
    };
  };
};

/** Copies everything of a tenant but leases and the register of processes. */
export const cloneTenant = async (redis: Redis, from: Keys, to: string): Promise<Keys> => {
  const keys = createKeys(to);
  for (const name of await redis.keys(`${from.prefix}*`)) {
    if (!/^(lease:|processes$)/.test(name.slice(from.prefix.length))) await redis.copy(name, keys.prefix + name.slice(from.prefix.length));
  }
  return keys;
};

/**
 * What is left of a run: the events of every subject in their order, what the system noted of actions, and all rows of all
 * views. Ids and times that two runs make anew are left out. Throws when a view is not what a replay makes of the log.
 */
export const outcomeOf = async (valkey: TestValkey, tenant: string, known: ReadonlySet<string>): Promise<readonly string[]> => {
  const store = await openStore({ target: { path: valkey.socket }, tenant });
  try {
    await verifyStore(store);
    const plain = (text: string): string =>
      text
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
        .replace(/\d{13}-\d+/g, 'PLACE')
        // Who goes on with an erasure says so in each event.
        .replaceAll('job:eraser', 'test')
        .replace(/[0-7][0-9A-HJKMNP-TV-Z]{25}/g, (id) => (known.has(id) ? id : 'ID'));
    const found: string[] = [];
    const histories = new Map<string, string[]>();
    for (const entry of await entriesOf(store.log)) {
      if (entry.kind === 'fault') throw new Error(entry.fault.code);
      const { envelope } = entry.kind === 'event' ? entry.event : entry.husk;
      const { subject, type, n, correlation } = envelope;
      if (!subject.startsWith('system:')) {
        histories.set(subject, [...(histories.get(subject) ?? []), plain(`${type}/${n} ${entry.kind} of ${correlation}`)]);
      } else if (entry.kind === 'event' && ['ActionUndone', 'MigrationApplied'].includes(entry.event.type)) {
        found.push(plain(`${entry.event.type} ${JSON.stringify(entry.event.data)}`));
      }
    }
    for (const [subject, history] of histories) found.push(`${subject} ${history.join(', ')}`);
    for (const { name } of PROJECTIONS) found.push(...(await rowsOf(store.redis, store.keys, name)).map(plain));
    return found.sort();
  } finally {
    store.close();
  }
};

/** Rows of the store's own housekeeping tell of runs themselves. */
const rowsOf = async (redis: Redis, keys: Keys, name: string): Promise<readonly string[]> => {
  const generation = await servingGeneration(redis, keys, name);
  if (generation === undefined) throw new Error(`${name} does not serve`);
  const rows: string[] = [];
  for await (const names of scanRows(redis, keys, name, generation)) {
    for (const row of new Set(names)) {
      if (row.startsWith('system:')) continue;
      const key = keys.row(name, generation, row);
      const type = await redis.type(key);
      const fields = type === 'zset' ? await redis.zrange(key, 0, -1) : Object.entries(await redis.hgetall(key)).map(String);
      const own = fields.filter((field) => !field.includes('system:'));
      // One that is killed between its last step and the note of it leaves no note.
      if (own.length === 0 && fields.length > 0) continue;
      rows.push(`${name} ${row} ${own.sort().join(' ')}`);
    }
  }
  return rows;
};
