import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { McpHttp } from '../../../services/mcp/http.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { providerOf } from '../../support/embedders.js';
import { snapshot } from '../../support/eventlog.js';
import { connectTools, keyOf, resultsOf, serve, type Tools } from './client.js';

const NOBODY = 'mem:episodic:01ARZ3NDEKTSV4RRFFQ69G5FAV';
const LONE = 'half of a pair: \ud83d and no more';
type Case = readonly [what: string, tool: string, args: Record<string, unknown>, code: string];

describe('bad input is answered clearly and stores nothing', () => {
  let test: TestApp;
  let http: McpHttp;
  let tools: Tools;
  let key: string;
  beforeAll(async () => {
    test = await openTestApp({ env: { EMBEDDING: 'none' }, provider: providerOf() });
    http = await serve(test.app);
    tools = await connectTools(http.url);
    key = keyOf(await tools.call('remember', { content: 'One innocent memory about lighthouses.', tags: ['old'] }));
  });
  afterAll(async () => {
    await tools.close();
    await test.verifyAll();
    await http.close();
    await test.end();
  });

  /** Everything that is stored, but for what workers keep of their own: leases, checkpoints, notes of recalls. */
  const stored = async (): Promise<Map<string, string>> => {
    const all = await snapshot(test.redis, test.keys);
    for (const name of all.keys()) if (/:(lease|lease-tokens|processes|recalls|recall-texts|proj)/.test(name)) all.delete(name);
    return all;
  };

  const contents: readonly (readonly [string, string, string])[] = [
    ['no content', '', 'VALIDATION'],
    ['blanks only', ' \n\t ', 'VALIDATION'],
    ['invisible characters only', '\u200b\u200e\ufeff', 'VALIDATION'],
    ['50,001 characters', 'x'.repeat(50_001), 'TOO_LARGE'],
    ['a megabyte', 'x'.repeat(1_000_000), 'TOO_LARGE'],
    ['a bell', 'ring \u0007 ring', 'VALIDATION'],
    ['an escape sequence', 'red \u001b[31m text', 'VALIDATION'],
    ['a null byte', 'before\u0000after', 'VALIDATION'],
    ['a lone surrogate', LONE, 'VALIDATION'],
    [
      'a live credential',
      `the deploy key is AKIA${'IOSFODNN7EXAMPLQ'} and aws_secret_access_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKEY"`,
      'VALIDATION',
    ],
  ];
  const projects = ['../../x', '{a|b}', '*', '@x:{y}', 'two\nlines', 'a:b', 'a\\b', 'a"b', 'Größe', '..', '', 'x'.repeat(201)];
  const cases: readonly Case[] = [
    ...contents.flatMap(([what, content, code]): Case[] => [
      [what, 'remember', { content }, code],
      [`${what} in a document`, 'remember_document', { content }, code],
      [`${what} in a revision`, 'revise', { content }, code],
    ]),
    ...projects.flatMap((project): Case[] => [
      [`project ${JSON.stringify(project.slice(0, 20))}`, 'remember', { content: 'fine', project }, 'VALIDATION'],
      [
        `project ${JSON.stringify(project.slice(0, 20))} as a filter`,
        'recall',
        { query: 'lighthouses', project_filter: [project] },
        'VALIDATION',
      ],
      [`project ${JSON.stringify(project.slice(0, 20))} in an audit`, 'memory_audit', { project }, 'VALIDATION'],
    ]),
    ['21 tags', 'remember', { content: 'fine', tags: Array.from({ length: 21 }, (_, n) => `t${n}`) }, 'VALIDATION'],
    ['21 tags by retag', 'retag', { add: Array.from({ length: 20 }, (_, n) => `t${n}`) }, 'VALIDATION'],
    ['a tag of 101 characters', 'remember', { content: 'fine', tags: ['x'.repeat(101)] }, 'VALIDATION'],
    ['a tag of two lines', 'remember', { content: 'fine', tags: ['a\nb'] }, 'VALIDATION'],
    ['a lone surrogate in a tag', 'remember', { content: 'fine', tags: [LONE] }, 'VALIDATION'],
    ['a lone surrogate in a licence note', 'remember', { content: 'fine', licence: 'own', licence_note: LONE }, 'VALIDATION'],
    ['a null byte in a reason', 'deprioritise', { key_or_query: 'KEY', reason: 'be\u0000cause' }, 'VALIDATION'],
    ['a lone surrogate in a reason', 'deprioritise', { key_or_query: 'KEY', reason: LONE }, 'VALIDATION'],
    ['a lone surrogate in a hint', 'deprioritise', { key_or_query: 'KEY', reason: 'fine', reinstate_hints: [LONE] }, 'VALIDATION'],
    ['a null byte in a reason to archive', 'archive', { key_or_query: 'KEY', reason: 'be\u0000cause' }, 'VALIDATION'],
    ['a lone surrogate in a reason to revise', 'revise', { content: 'fine', reason: LONE }, 'VALIDATION'],
    ['a megabyte of reason to revise', 'revise', { content: 'fine', reason: 'x'.repeat(1_000_000) }, 'VALIDATION'],
    [
      'a thousand hints',
      'deprioritise',
      { key_or_query: 'KEY', reason: 'fine', reinstate_hints: Array.from({ length: 1_000 }, (_, n) => `hint ${n}`) },
      'VALIDATION',
    ],
    ['a megabyte of hint', 'deprioritise', { key_or_query: 'KEY', reason: 'fine', reinstate_hints: ['x'.repeat(1_000_000)] }, 'VALIDATION'],
    ['a lone surrogate in a topic', 'suppress_topic', { topic: LONE }, 'VALIDATION'],
    ['a lone surrogate in the reason of a topic', 'suppress_topic', { topic: 'fine', reason: LONE }, 'VALIDATION'],
    ['a megabyte of reason for a topic', 'suppress_topic', { topic: 'fine', reason: 'x'.repeat(1_000_000) }, 'VALIDATION'],
    ['a topic of two hundred and one', 'suppress_topic', { topic: 'x'.repeat(201) }, 'VALIDATION'],
    ['a topic without a letter', 'suppress_topic', { topic: '***' }, 'VALIDATION'],
    ['a licence nobody knows', 'set_licence', { keys: ['KEY'], licence: 'do whatever' }, 'VALIDATION'],
    ['201 keys', 'set_licence', { keys: Array.from({ length: 201 }, () => NOBODY), licence: 'own' }, 'VALIDATION'],
    ['keys of a compiled skill', 'set_licence', { keys: ['mem:skill:gen:python-local'], licence: 'own' }, 'VALIDATION'],
    ['a date that is none', 'remember', { content: 'fine', event_date: '2026-13-45' }, 'VALIDATION'],
    ['an unknown parameter', 'remember', { content: 'fine', importance: 9 }, 'VALIDATION'],
    ['an unknown parameter of forget', 'forget', { key_or_query: 'KEY', confirm: true, force: true }, 'VALIDATION'],
    ['an unknown parameter of recall', 'recall', { query: 'x', limit: 3 }, 'VALIDATION'],
    ['a key that is not there, revised', 'revise', { key: NOBODY, content: 'fine' }, 'NOT_FOUND'],
    ['a key that is not there, archived', 'archive', { key_or_query: NOBODY }, 'NOT_FOUND'],
    ['a key that is not there, reinstated', 'reinstate', { key_or_query: NOBODY }, 'NOT_FOUND'],
    ['a key that is not there, deprioritised', 'deprioritise', { key_or_query: NOBODY, reason: 'fine' }, 'NOT_FOUND'],
    ['a key of another namespace', 'revise', { key: 'mem:skill:gen:python-local', content: 'fine' }, 'VALIDATION'],
    ['a key of another namespace, archived', 'archive', { key_or_query: 'mem:skill:gen:python-local' }, 'VALIDATION'],
    [
      'a key of another namespace, forgotten',
      'forget',
      { key_or_query: 'mem:feed:abc', confirm: true, keys: ['mem:feed:abc'] },
      'VALIDATION',
    ],
    ['a query to forget without keys', 'forget', { key_or_query: 'lighthouses', confirm: true }, 'CONFIRMATION_REQUIRED'],
    ['a query of nothing', 'recall', { query: '\u200b' }, 'VALIDATION'],
  ];

  it.each(cases)('%s: %s', async (_what, tool, args, code) => {
    const own = JSON.parse(JSON.stringify(args).replaceAll('"KEY"', JSON.stringify(key))) as Record<string, unknown>;
    const full = (tool === 'revise' || tool === 'retag') && own.key === undefined ? { key, ...own } : own;
    const before = await stored();
    const refusal = await tools.refused(tool, full);
    expect(refusal).toMatchObject({ code, message: expect.stringMatching(/\S/), hint: expect.stringMatching(/\S/) });
    expect(refusal.message.length + String(refusal.hint).length).toBeLessThan(1_000);
    expect(await stored()).toEqual(before);
  });

  it.each([
    ['a retag of nobody', 'retag', { key: NOBODY, add: ['x'] }, { status: 'not_found' }],
    ['a timeline of nobody', 'explain_memory', { key: NOBODY }, { status: 'not_found' }],
    ['a forget of nobody', 'forget', { key_or_query: NOBODY }, { status: 'not_found' }],
    ['a confirmed forget of nobody', 'forget', { key_or_query: NOBODY, confirm: true, keys: [NOBODY] }, undefined],
    ['a licence for nobody', 'set_licence', { keys: [NOBODY], licence: 'own' }, { classified: 0, not_found: [NOBODY] }],
    [
      'a memory of the key in another namespace',
      'recall_detail',
      { keys: [NOBODY.replace('episodic', 'project')] },
      { results: [{ status: 'not_found' }] },
    ],
  ])('%s changes nothing', async (_what, tool, args, answer) => {
    const before = await stored();
    const outcome = await tools.outcome(tool, args);
    if (answer) expect(outcome).toMatchObject({ answer });
    else expect(outcome).toMatchObject({ refusal: { code: 'NOT_FOUND' } });
    expect(await stored()).toEqual(before);
  });

  it('a forgotten key stays forgotten, whoever calls it', async () => {
    const gone = keyOf(await tools.call('remember', { content: 'This one will not stay for long.' }));
    await tools.call('forget', { key_or_query: gone, confirm: true, keys: [gone] });
    // The eraser notes behind the answer that it has dropped the queries of before.
    await expect.poll(() => test.redis.hget(test.keys.meta, 'erasures_texts_dropped')).toBe(await test.redis.get(test.keys.erasures));
    const before = await stored();
    for (const [tool, args] of [
      ['revise', { key: gone, content: 'back again' }],
      ['archive', { key_or_query: gone }],
      ['reinstate', { key_or_query: gone }],
      ['deprioritise', { key_or_query: gone, reason: 'x' }],
    ] as const)
      expect(await tools.refused(tool, args), tool).toMatchObject({ code: 'NOT_FOUND' });
    expect(await tools.call('retag', { key: gone, add: ['x'] })).toMatchObject({ status: 'not_found' });
    expect(await tools.call('forget', { key_or_query: gone, confirm: true, keys: [gone] })).toMatchObject({ deleted_keys: [] });
    const after = await stored();
    for (const name of after.keys()) if (name.includes(':cmd:')) after.delete(name);
    for (const name of before.keys()) if (name.includes(':cmd:')) before.delete(name);
    expect(after).toEqual(before);
  });

  it.each([
    ['CRLF', 'First line of the quay report\r\nsecond line\r\n', 'quay report'],
    ['right-to-left marks', '\u200fשלום\u200e means peace in the harbour glossary', 'harbour glossary'],
    ['emoji', 'The rollout party 🎉👩‍👩‍👧‍👦🇩🇪 is on Friday', 'rollout party'],
    ['Chinese', '数据库连接池的最大值设置为二十。', '数据库连接池'],
    ['German', 'Die Größe der Straßenkarte überschreitet das Kontingent für Anhänge.', 'Größe Straßenkarte'],
    ['outer blanks', '   indented outline of the breakwater plan   ', 'breakwater plan'],
    ['a combining accent', 'The cafe\u0301 menu parser drops accents', 'café menu parser'],
    ['a tab', 'column one\tcolumn two of the tide table', 'tide table'],
  ])('%s is stored byte for byte and recalled', async (_what, content, query) => {
    const stored = await tools.call('remember', { content });
    const [best] = resultsOf(await tools.call('recall', { query }));
    expect(best).toMatchObject({ key: stored.key, content });
  });

  it('twenty tags and a tag of a hundred characters fit', async () => {
    const tags = Array.from({ length: 20 }, (_, n) => `${n}`.padStart(100, 't'));
    const key = keyOf(await tools.call('remember', { content: 'Tagged to the limit.', tags }));
    expect(resultsOf(await tools.call('recall_detail', { keys: [key] }))[0]?.tags).toEqual(tags);
  });

  it('50,000 characters fit, and their end is found', async () => {
    const content = `${'word '.repeat(9_994)}the end names SENTINEL_77`.slice(0, 50_000);
    const stored = await tools.call('remember', { content });
    expect(resultsOf(await tools.call('recall', { query: 'SENTINEL_77' }))[0]?.key).toBe(stored.key);
  });
});
