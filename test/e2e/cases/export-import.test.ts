import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, connectTools, keyOf, resultsOf, type Tools } from '../app/client.js';
import { startWhole } from '../app/instance.js';

/** The whole product on a folder of its own; all share one folder of backups. */
type Whole = Pick<Tools, 'call' | 'refused'> & {
  readonly remember: (content: string, more?: object) => Promise<string>;
  readonly end: () => Promise<void>;
};

const openWhole = async (BACKUP_DIR: string): Promise<Whole> => {
  const folder = mkdtempSync(join(tmpdir(), 'omt-s12-'));
  const instance = await startWhole(folder, { BACKUP_DIR });
  const { call, refused, close } = await connectTools(instance.url);
  return {
    call,
    refused,
    remember: async (content, more = {}) => keyOf(await call('remember', { content, force: true, ...more })),
    end: async () => {
      await close();
      await instance.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

const TEXTS = [
  ' A leading blank, and a trailing line.\n',
  'Line one\r\nline two\r\nof the logbook',
  'An emoji 👩‍🔧 repairs the winch',
  'الرافعة ترفع تسعة أطنان',
  'The crane driver has lunch at noon, said twice: noon.',
];

const QUERIES = [
  'who repairs the winch',
  'line two of the logbook',
  'leading blank trailing line',
  'الرافعة أطنان',
  'lunch at noon',
  'which port does staging use',
  'how does the ferry call the bridge',
  'tariff of the pilot',
  'the manual of the lock',
  'tugboat dispatch goals',
];

describe('S12 export and import lose nothing', () => {
  let source: Whole;
  let target: Whole;
  const backups = mkdtempSync(join(tmpdir(), 'omt-s12-backups-'));
  const keys: string[] = [];
  const named: Record<string, string> = {};
  beforeAll(async () => {
    source = await openWhole(backups);
  }, 60_000);
  afterAll(async () => {
    await source.end();
    await target.end();
    rmSync(backups, { recursive: true, force: true });
  });

  const fill = async ({ call, remember }: Whole): Promise<void> => {
    for (const content of TEXTS) keys.push(await remember(content, { tags: ['zulu', 'alpha', 'mike'] }));
    for (const namespace of ['project', 'knowledge', 'preference'])
      keys.push(await remember(`Said in ${namespace}: the ferry calls the bridge on channel 12`, { namespace, project: 'ferry' }));
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    named.tariff = await remember('The tariff of the pilot holds for a day', {
      namespace: 'knowledge',
      expires_at,
      event_date: '2026-11-03',
    });
    const [first = '', second = '', third = '', fourth = ''] = keys;
    await call('set_licence', { keys: [first], licence: 'CC-BY-4.0', licence_note: 'by the harbour master' });
    await call('set_provenance', { keys: [second], provenance: 'retrieved' });
    await call('deprioritise', { key_or_query: third, reason: 'the winch is sold', reinstate_hints: ['winch', 'hoist 🏗'] });
    await call('archive', { key_or_query: fourth, reason: 'the crane is gone' });
    named.hard = await remember('The lock gate hangs when the tide turns');
    await call('record_experience', {
      key: named.hard,
      effort_score: 5,
      outcome: 'abandoned',
      iterations: 7,
      breakthrough: 'Grease\r\nand patience',
      gotchas: 'Never at spring tide',
      abandoned_approaches: ['hydraulics', 'chain hoist', 'wd-40'].map((name) => ({ name, type: 'tool', reason: `${name} failed` })),
    });
    const port = (value: number) => remember(`The staging API listens on port ${value}`, { project: 'ferry' });
    [named.old, named.fresh] = [await port(8080), await port(8081)];
    await call('check_contradictions', { project_filter: 'ferry' });
    await call('resolve_contradiction', { key_a: named.old, key_b: named.fresh, keep: named.fresh });
    [named.always, named.never] = [await remember('Always moor at berth nine'), await remember('Never moor at berth nine')];
    await call('check_contradictions');
    const document = await call('remember_document', {
      content: Array.from({ length: 12 }, (_, n) => `Paragraph ${n} of the manual of the lock. ${'It goes on. '.repeat(40)}`).join('\n\n'),
      project: 'ferry',
    });
    keys.push(...(document.keys as string[]));
    const texts = {
      description: 'Tugboat dispatch',
      stack: 'Valkey, boats',
      goals: 'No ship waits',
      current_state: 'Afloat',
      notes: ' – ',
    };
    await call('set_project_context', { project_name: 'ferry', ...texts });
    await call('update_project_state', { project_name: 'ferry', current_state: 'Under way' });
    await call('compile_project_domains', { project_name: 'ferry', domains: ['boats', 'js'] });
    await remember('The old ferry had one engine', { project: 'Ferry-old' });
    await call('merge_projects', { from: 'Ferry-old', into: 'ferry' });
    await call('suppress_topic', { topic: 'gossip', reason: 'noise' });
    await call('suppress_topic', { topic: 'weather' });
    await call('suppress_topic', { topic: 'football' });
    await call('unsuppress_topic', { topic: 'football' });
    const moved = await remember('This was tagged and put back');
    const tagged = await call('archive', { key_or_query: moved });
    named.correlation = String(tagged.correlation);
    const gone = await remember('Erase me: zebra crossing');
    await call('forget', { key_or_query: gone, confirm: true, keys: [gone] });
    named.gone = gone;
    keys.push(moved, ...Object.values(named).filter((value) => value.startsWith('mem:')));
  };

  /** Everything that is asked; counts and notes of recalls are kept beside the log, and move by asking. */
  const ask = async ({ call }: Whole) => {
    const stories: Record<string, Answer> = {};
    for (const key of [...keys, 'mem:project:ferry']) {
      const { recall_count: _count, last_recalled: _last, recalls: _recalls, ...story } = await call('explain_memory', { key });
      stories[key] = story;
    }
    const recalls: unknown[] = [];
    for (const query of QUERIES) {
      const { results, abandoned_warnings } = await call('recall', { query, top_k: 10 });
      recalls.push({ results, abandoned_warnings });
    }
    const { auto_maintenance: _run, ...briefed } = await call('briefing', { project: 'ferry', max_tokens: 15_000 });
    return {
      stories,
      recalls,
      briefed,
      details: await call('recall_detail', { keys }),
      audit: await call('memory_audit', { include_archived: true, limit: 500 }),
      experience: await call('get_experience', { key: named.hard }),
      summary: await call('experience_summary'),
      warned: await call('warn_if_abandoned', { query: 'grease it with wd-40?' }),
      suppressions: await call('list_suppressions'),
      context: await call('get_project_context', { project_name: 'ferry' }),
      projects: await call('list_projects'),
      domains: resultsOf(await call('recall', { query: 'ferry channel', domain_filter: ['javascript'], top_k: 10 })),
      news: await call('recent_knowledge', { days: 30 }),
      duplicates: await call('find_duplicates', { threshold: 0.9 }),
    };
  };

  it('a dump answers the same in an empty store, at once', async () => {
    await fill(source);
    const before = await ask(source);
    expect(before.recalls).toHaveLength(10);
    expect(before.suppressions.suppressed_topics).toEqual(['chain hoist', 'gossip', 'hydraulics', 'wd-40', 'weather']);
    const dumped = await source.call('dump_to_file');
    named.filename = String(dumped.filename);

    target = await openWhole(backups);
    expect(await target.call('restore_from_file', { filename: named.filename })).toMatchObject({ status: 'dry_run', would: 'restored' });
    expect(await target.call('memory_audit', {})).toMatchObject({ total: 0 });
    expect(await target.call('restore_from_file', { filename: named.filename, dry_run: false })).toMatchObject({ status: 'restored' });
    expect(await ask(target)).toEqual(before);
  });

  it('what was forgotten and lifted stays so, and every memory has its expiry', async () => {
    const { call } = target;
    expect(await call('explain_memory', { key: named.gone })).toMatchObject({ status: 'forgotten' });
    expect((await call('list_suppressions')).suppressed_topics).not.toContain('football');
    expect(resultsOf(await call('recall', { query: 'tariff of the pilot' }))[0]).toMatchObject({
      key: named.tariff,
      expires_at: expect.any(String),
    });
  });

  it('a second restore changes nothing and says so', async () => {
    const before = await target.call('memory_audit', { limit: 500 });
    expect(await target.call('restore_from_file', { filename: named.filename, dry_run: false })).toMatchObject({ status: 'unchanged' });
    expect(await target.call('memory_audit', { limit: 500 })).toEqual(before);
  });

  it('an older backup brings back neither what was forgotten since nor a topic that was lifted', async () => {
    const { call, refused } = target;
    await call('forget', { key_or_query: keys[4], confirm: true, keys: [keys[4]] });
    await call('unsuppress_topic', { topic: 'weather' });
    expect(await refused('restore_from_file', { filename: named.filename, dry_run: false })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('never makes history shorter'),
    });
    expect(await call('explain_memory', { key: keys[4] })).toMatchObject({ status: 'forgotten' });
    expect(resultsOf(await call('recall', { query: 'lunch at noon' })).map(({ key }) => key)).not.toContain(keys[4]);
    expect((await call('list_suppressions')).suppressed_topics).not.toContain('weather');
  });

  it('a file of which one byte was changed is refused with the place named, and nothing is applied', async () => {
    const folder = join(backups, String(named.filename));
    const segment = readdirSync(folder).find((name) => name.endsWith('.payloads')) ?? '';
    const path = join(folder, segment);
    const bytes = readFileSync(path);
    const middle = bytes.length >> 1;
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const empty = await openWhole(backups);
    try {
      const refusal = await empty.refused('restore_from_file', { filename: named.filename, dry_run: false });
      expect(`${refusal.message} ${refusal.hint}`).toContain(segment);
      expect(await empty.call('memory_audit', {})).toMatchObject({ total: 0 });
      expect(await empty.call('list_projects')).toMatchObject({ total: 0 });
      await empty.remember('The empty store goes on.');
      expect(await empty.call('memory_audit', {})).toMatchObject({ total: 1 });
    } finally {
      await empty.end();
    }
  });
});
