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
const { app, close } = await openApp({ config, logger: createLogger({ level: 'silent' }), target: { path }, provider: providerOf(hashedEmbedder()), now: () => now });
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
console.log(JSON.stringify({ zone: Intl.DateTimeFormat().resolvedOptions().timeZone, found, created: results.map(({ created_at }) => created_at), at: explained.timeline.map(({ at }) => at), dated: first.event_date }));
await close();
process.exit(0);`;

const ZONES = ['America/Los_Angeles', 'Pacific/Auckland', 'UTC'];
/** Close to midnight somewhere: in UTC, in Los Angeles, in Auckland. */
const MOMENTS = ['2026-11-03T23:59:00.000Z', '2026-11-04T07:59:00.000Z', '2026-11-03T11:01:00.000Z'];

describe("S05 the server's time zone (without feeds and backups, which come later)", () => {
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
    const heard = await Promise.all(
      ZONES.map(async (zone, n) => {
        const before = process.env.TZ;
        process.env.TZ = zone; // a child takes the environment as it is when it is started
        try {
          const child = await runTypeScript(CHILD, [test.valkey.socket, `z${n}${Date.parse(moment)}`, test.dataDir, moment]);
          children.push(child);
          return (await child.next()) as { zone: string; found: boolean[]; created: string[]; at: string[]; dated: string };
        } finally {
          if (before === undefined) delete process.env.TZ;
          else process.env.TZ = before;
        }
      }),
    );
    for (const one of heard)
      expect(one).toMatchObject({ found: [true, true, true], created: [moment, moment], at: [moment], dated: '2026-11-03T11:30:00.000Z' });
    expect(new Set(heard.map(({ zone }) => zone)).size).toBeGreaterThan(0);
  });
});
