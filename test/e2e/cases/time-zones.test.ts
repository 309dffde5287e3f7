import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { type Runner, runTypeScript } from '../../support/run-ts.js';

/** Writes and reads with a clock that stands at the given moment, and prints every time that came back. */
const CHILD = `import { openApp } from './services/app.ts';
import { loadConfig } from './services/config.ts';
import { createLogger } from './services/log.ts';
import { hashedEmbedder, providerOf } from './test/support/embedders.ts';
const [path, tenant, dataDir, moment] = process.argv.slice(2);
const { config } = loadConfig({ OMNIMEM_DATA_DIR: dataDir, OMNIMEM_TENANT: tenant, OMNIMEM_MIN_FREE_MB: '0', LOG_LEVEL: 'silent' });
const now = Date.parse(moment);
const { app, close, log } = await openApp({ config, logger: createLogger({ level: 'silent' }), target: { path }, provider: providerOf(hashedEmbedder()), now: () => now });
await app.whenReady(30_000);
const call = { actor: 'test' };
const stored = await app.commands.remember({ content: 'We decided to paint the lighthouse white.', event_date: '2026-11-03T23:30:00Z' }, call);
const dated = await app.commands.remember({ content: 'The keeper was hired on that day.', event_date: '2026-11-04T00:30:00+13:00' }, call);
const found = [];
for (const query of ['what did we decide today about the lighthouse white?', 'what did we decide yesterday about the lighthouse white?', 'we decided to paint the lighthouse white'])
  found.push((await app.queries.recall({ query }, call)).results.some(({ key }) => key === stored.key));
const { results } = await app.queries.recallDetail({ keys: [stored.key, dated.key] }, call);
const explained = await app.queries.explainMemory({ key: stored.key }, call);
const { results: [first] } = await app.queries.recall({ query: 'The keeper was hired on that day.' }, call);
const wall = moment.slice(0, 16);
const unzoned = await app.commands.remember({ content: 'The tariff of the ferry holds for a while.', namespace: 'knowledge', event_date: wall, expires_at: '2026-11-06 06:00' }, call);
const { results: [tariff] } = await app.queries.recall({ query: 'The tariff of the ferry holds for a while.' }, call);
const [from, before] = await Promise.all([app.commands.forget({ created_after: wall }, call), app.commands.forget({ created_before: wall }, call)]);
const { recent_memories, new_knowledge } = await app.queries.briefing({}, call);
const { results: news } = await app.queries.recentKnowledge({ days: 1 }, call);
const dump = await app.backups.dump({}, call);
const { backups: [backup] } = await app.backups.list();
const size = await log.size();
const told = (await log.read('0-0', size)).map(({ event }) => [event.envelope.type, event.envelope.at, event.payload]);
const keys = [stored.key, dated.key, unzoned.key];
const nameless = (value) => keys.reduce((text, key, n) => text.replaceAll(key, 'key ' + n).replaceAll(key.slice(-26), 'id ' + n), JSON.stringify(value));
console.log(JSON.stringify({
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone, found, created: results.map(({ created_at }) => created_at),
  at: explained.timeline.map(({ at }) => at), dated: first.event_date, tariff: [tariff.event_date, tariff.expires_at],
  meant: [from.total, before.status], briefed: [recent_memories.length, new_knowledge.length, news.length], dump: [dump.total_events, backup.created_at],
  told: nameless(told),
}));
await close();
process.exit(0);`;

/** What a child prints, as far as it is compared by name. */
type Heard = { readonly zone: string; readonly told: string };

const ZONES = ['America/Los_Angeles', 'Pacific/Auckland', 'UTC'];
/** Close to midnight somewhere: in UTC, in Los Angeles, in Auckland. */
const MOMENTS = ['2026-11-03T23:59:00.000Z', '2026-11-04T07:59:00.000Z', '2026-11-03T11:01:00.000Z'];

describe("S05 the server's time zone (without feeds, which come later)", () => {
  let test: TestApp;
  const children: Runner[] = [];
  beforeAll(async () => {
    test = await openTestApp();
  });
  afterAll(async () => {
    for (const child of children) await child.kill();
    await test.end();
  });

  it.each(MOMENTS)('at %s every zone stores and answers the same instants, and no date word hides a memory', async (moment) => {
    const heard: Heard[] = [];
    for (const [n, TZ] of ZONES.entries()) {
      const tenant = `z${n}${Date.parse(moment)}`;
      const dataDir = join(test.dataDir, tenant);
      mkdirSync(dataDir);
      const child = await runTypeScript(CHILD, [test.valkey.socket, tenant, dataDir, moment], { TZ });
      children.push(child);
      heard.push((await child.next()) as Heard);
    }
    for (const one of heard)
      expect(one).toMatchObject({
        found: [true, true, true],
        created: [moment, moment],
        at: [moment],
        dated: '2026-11-03T11:30:00.000Z',
        tariff: [moment, '2026-11-06T06:00:00.000Z'],
        meant: [3, 'not_found'],
        briefed: [2, 1, 1],
        dump: [expect.any(Number), moment],
      });
    expect(new Set(heard.map(({ told }) => told)).size).toBe(1);
    expect(heard.map(({ zone }) => zone)).toEqual(ZONES);
  });
});
