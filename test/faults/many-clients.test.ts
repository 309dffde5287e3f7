import { mkdtempSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ERROR_CODES } from '../../domain/errors.js';
import { connectTools, keyOf, resultsOf } from '../e2e/app/client.js';
import { startWhole } from '../e2e/app/instance.js';
import { TEST_SEED } from '../support/chance.js';
import { newId, seededNumbers } from '../support/eventlog.js';
import { lookAt, verifyStore } from './store.js';

const CLIENTS = 8;
const MILLISECONDS = process.env.SOAK ? 60_000 : 4_000;
const SHARED = Array.from({ length: 40 }, (_, n) => `Everybody knows that buoy number ${n} blinks twice.`);

it(`eight clients at once for ${MILLISECONDS / 1000} s: no write is lost, none is doubled (TEST_SEED=${TEST_SEED})`, {
  timeout: 240_000,
}, async () => {
  const dataDir = mkdtempSync('/tmp/omt-');
  const instance = await startWhole(dataDir);
  const end = performance.now() + MILLISECONDS;
  const stored = new Map<string, string>();
  const tagged = new Map<string, Set<string>>();
  const gone = new Set<string>();
  const refusals: { tool: string; code: string }[] = [];
  const hot = await connectTools(instance.url);
  const hotKey = keyOf(await hot.call('remember', { content: 'The one memory that everybody tags.' }));
  const hotTags = new Set<string>();

  const work = async (client: number): Promise<void> => {
    const random = seededNumbers(TEST_SEED + client);
    const tools = await connectTools(instance.url, `client-${client}`);
    const attempt = async (tool: string, args: Record<string, unknown>) => {
      const outcome = await tools.outcome(tool, args);
      if ('answer' in outcome) return outcome.answer;
      refusals.push({ tool, code: outcome.refusal.code });
      return undefined;
    };
    const mine: string[] = [];
    // On a slow machine until there is something to look at.
    for (let n = 0; performance.now() < end || stored.size <= CLIENTS; n++) {
      const dice = random();
      const content = `Client ${client} saw gull${client}x${n} over the mole.`;
      if (dice < 0.35) {
        // The same call twice, as a client repeats one whose answer it lost: at once, or after the other.
        const args = { content, force: true, command_id: newId() };
        const [first, second] =
          dice < 0.2
            ? await Promise.all([attempt('remember', args), attempt('remember', args)])
            : [await attempt('remember', args), await attempt('remember', args)];
        if (!first || !second) continue;
        expect(second.key).toBe(first.key);
        mine.push(keyOf(first));
        stored.set(keyOf(first), content);
      } else if (dice < 0.5) {
        const text = SHARED[Math.floor(random() * SHARED.length)] ?? '';
        const answer = await attempt('remember', { content: text });
        if (answer?.status === 'stored') {
          expect([...stored.values()], 'two memories of one text').not.toContain(text);
          stored.set(keyOf(answer), text);
        }
      } else if (dice < 0.7) {
        const [key, text] = [...stored].at(-1) ?? [];
        if (key === undefined || text === undefined || gone.has(key)) continue;
        const answer = await attempt('recall', { query: text, top_k: 3 });
        if (answer && !gone.has(key))
          expect(
            resultsOf(answer).map((found) => found.key),
            text,
          ).toContain(key);
      } else if (dice < 0.85 && hotTags.size < 15) {
        const tag = `c${client}n${n}`;
        hotTags.add(tag);
        const answer = await attempt('retag', { key: hotKey, add: [tag] });
        if (!answer) hotTags.delete(tag);
      } else if (dice < 0.93 && mine.length > 0) {
        const key = mine[Math.floor(random() * mine.length)] ?? '';
        const tag = `n${n}`;
        const answer = await attempt('retag', { key, add: [tag] });
        if (answer?.status === 'updated') tagged.set(key, (tagged.get(key) ?? new Set()).add(tag));
      } else if (mine.length > 3) {
        const key = mine.shift() ?? '';
        gone.add(key);
        if (await attempt('forget', { key_or_query: key, confirm: true, keys: [key] })) stored.delete(key);
      } else await attempt('memory_audit', { limit: 5 });
    }
    await tools.close();
  };

  try {
    await Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(client)));
    expect(refusals.filter(({ code }) => !(ERROR_CODES as readonly string[]).includes(code) || code === 'INTERNAL')).toEqual([]);
    expect(refusals).toEqual([]);
    expect(stored.size).toBeGreaterThan(CLIENTS);

    const found = new Map<string, { content: string; tags?: string[] }>();
    for (let offset = 0; ; ) {
      const page = await hot.call('memory_audit', { limit: 50, offset });
      const keys = (page.entries as { key: string }[]).map(({ key }) => key);
      for (const detail of resultsOf(await hot.call('recall_detail', { keys }))) found.set(detail.key, detail as never);
      offset += keys.length;
      if (page.has_more !== true) break;
    }
    expect([...found.keys()].sort()).toEqual([...stored.keys(), hotKey].sort());
    for (const [key, content] of stored) expect(found.get(key)?.content).toBe(content);
    for (const [key, tags] of tagged) if (stored.has(key)) expect(new Set(found.get(key)?.tags)).toEqual(tags);
    expect(new Set(found.get(hotKey)?.tags)).toEqual(hotTags);

    const store = await lookAt(dataDir);
    await verifyStore(store);
    store.close();
    expect(((await hot.call('health')).issues as { severity: string }[]).filter(({ severity }) => severity === 'red')).toEqual([]);
  } finally {
    await hot.close();
    await instance.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

it('ten equal remembers at once, over as many sessions, leave one memory', { timeout: 120_000 }, async () => {
  const dataDir = mkdtempSync('/tmp/omt-');
  const instance = await startWhole(dataDir);
  const clients = await Promise.all(Array.from({ length: 10 }, (_, n) => connectTools(instance.url, `twin-${n}`)));
  try {
    const answers = await Promise.all(clients.map((tools) => tools.call('remember', { content: 'The tide turns at a quarter past six.' })));
    expect(answers.filter(({ status }) => status === 'stored')).toHaveLength(1);
    const [stored] = answers.filter(({ status }) => status === 'stored');
    for (const answer of answers.filter(({ status }) => status !== 'stored'))
      expect(answer).toMatchObject({ status: 'duplicate_found', existing_key: stored?.key });
    expect(await clients[0]?.call('memory_audit')).toMatchObject({ total: 1 });

    // Ten changes of one memory at once: every one of them is there.
    const key = keyOf(stored ?? {});
    await Promise.all(clients.map((tools, n) => tools.call('retag', { key, add: [`tag${n}`] })));
    const [detail] = resultsOf((await clients[0]?.call('recall_detail', { keys: [key] })) ?? {});
    expect([...((detail?.tags ?? []) as string[])].sort()).toEqual(Array.from({ length: 10 }, (_, n) => `tag${n}`));
    const store = await lookAt(dataDir);
    await verifyStore(store);
    store.close();
  } finally {
    for (const tools of clients) await tools.close();
    await instance.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
