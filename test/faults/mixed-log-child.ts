/**
 * Does one thing to a store and is killed in the middle of it: `ms` milliseconds after the `after`th step. Says `done` when it
 * came to its end before.
 */
export const KILLED_CHILD = `
import { loadConfig } from './services/config.ts';
import { openApp } from './services/app.ts';
import { openBackupParts } from './services/backup/cli.ts';
import { mergeBackup } from './services/backup/merge.ts';
import { restoreBackup } from './services/backup/restore.ts';
import { takeBackup } from './services/backup/take.ts';
import { systemRandom } from './services/eventlog/random.ts';
import { createLogger } from './services/log.ts';
import { migrate } from './services/migrations/runner.ts';
import { PROJECTIONS } from './services/views.ts';
import { replayProjection } from './projections/replay.ts';
import { hashedEmbedder, providerOf } from './test/support/embedders.ts';
import { migration } from './test/integration/migrations/shipped/0001-rename-a-tag.ts';
const [socket, tenant, dataDir, what, plan] = process.argv.slice(2);
if (what === undefined) process.exit(0);
const { after, ms, path, name, segmentEvents, batch, previewId } = JSON.parse(plan);
let steps = 0;
const step = () => {
  if (++steps === after) setTimeout(() => process.kill(process.pid, 'SIGKILL'), ms);
};
const target = { path: socket };
const bring = { path, target, tenant, secrets: {}, actor: 'test' };
const withApp = async (work) => {
  const { config } = loadConfig({ OMNIMEM_DATA_DIR: dataDir, OMNIMEM_TENANT: tenant, OMNIMEM_MIN_FREE_MB: '0', LOG_LEVEL: 'silent' });
  const supervised = () => ({ state: 'running', mode: 'normal', answering: true, pid: 1, restarts: 0, lastExit: undefined });
  // Nothing has expired by then, so that it adds nothing by itself.
  const now = () => Date.parse('2026-01-05T08:00:00.000Z');
  const opened = await openApp({ now, config, logger: createLogger({ level: 'silent' }), target, provider: providerOf(hashedEmbedder()), supervised });
  await opened.app.whenReady(600000);
  await work(opened);
};
await {
  take: async () => takeBackup(await openBackupParts(target, tenant), { root: path, name, secrets: {}, actor: 'test', segmentEvents, leaseMs: 2000, onProgress: step }),
  restore: () => restoreBackup({ ...bring, silentSeconds: 0, batch, standby: true, onProgress: (phase) => phase === 'restoring' && step() }),
  merge: () => mergeBackup({ ...bring, onProgress: (phase) => phase === 'merging' && step() }),
  replay: () => withApp(({ redis, keys }) => {
    const all = Promise.all(PROJECTIONS.map((view) => replayProjection(redis, keys, view.name, Date.now(), { patienceMs: 600000 })));
    step();
    return all;
  }),
  migrate: () => withApp(({ log, redis, keys }) => migrate({ log, redis, keys, random: systemRandom(), now: Date.now }, [migration], { onProgress: step })),
  forget: () => withApp(({ app }) => app.commands.forget({ confirm: true, preview_id: previewId }, { actor: 'test', progress: step })),
}[what]();
console.log(JSON.stringify('done'));
process.exit(0);
`;
