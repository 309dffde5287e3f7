import { describe, expect, it } from 'vitest';
import { RECALL_MIN_SCORE } from '../../../domain/fusion.js';
import { hybridSearch } from '../../../projections/search/hybrid.js';
import { InMemoryLexicalIndex } from '../../../projections/search/lexical.js';
import { InProcessVectorIndex } from '../../../projections/search/vectors.js';
import { facets } from './samples.js';

const OTHERS = [
  'The build cache lives on the second disk.',
  'Lunch is at noon.',
  'Logs rotate each week.',
  'The proxy drops trailing slashes.',
  'Fonts are served from our own host.',
  'Printers need a fixed address.',
  'Tests run in random order.',
  'The wiki moved to Markdown.',
  'Colour tokens are generated.',
  'Every migration has a down step.',
  'Queue workers restart hourly.',
  'The linter forbids default exports.',
];

/** Which of these memories, among others, are found by words alone, best first. */
const found = async (memories: Readonly<Record<string, string>>, query: string): Promise<readonly string[]> => {
  const words = new InMemoryLexicalIndex();
  for (const [i, text] of OTHERS.entries()) words.upsert(`other${i}`, text, facets());
  for (const [key, text] of Object.entries(memories)) words.upsert(key, text, facets());
  const vectors = new InProcessVectorIndex({ dimension: 4 });
  const hits = await hybridSearch(vectors, words, { text: query, vector: undefined, candidates: 50, filter: {} });
  return hits.filter(({ relevance }) => relevance >= RECALL_MIN_SCORE).map(({ key }) => key);
};

describe('a day that a query names', () => {
  const gateway = {
    gateway: 'On March 11 the gateway was switched to mutual TLS by Ruben.',
    kitchen: '2025-03-11: new coffee machine in the kitchen.',
  };
  it.each([
    'who switched the gateway on 2025-03-11',
    'what was done to the gateway on 11 March 2025',
    'gateway 2025-03-11',
    'Ruben 11.3.2025',
  ])('does not outrank what else is asked: %s', async (query) => expect((await found(gateway, query))[0]).toBe('gateway'));
  it('is found as it stands', async () => expect((await found(gateway, '2025-03-11'))[0]).toBe('kitchen'));

  it('is found without its year where that is not asked', async () => {
    const memories = {
      retro: 'Branches live at most three days, agreed in the retro of June 20th.',
      stripe: 'Stripe API version pinned to 2024-06-20, upgrade blocked by the removed field.',
    };
    expect((await found(memories, 'retro on 20 June'))[0]).toBe('retro');
    expect((await found(memories, '20 June'))[0]).toBe('retro');
    expect(await found(memories, 'Stripe on 20 June')).toContain('stripe');
    expect((await found({ stripe: memories.stripe }, 'what happened on 20 June'))[0]).toBe('stripe');
  });

  it.each(['2025-05-06', 'what happened on 6 May 2025', 'decided on 6.5.2025'])('is not that of another year: %s', async (query) =>
    expect(await found({ mail: 'On 2022-05-06 the mail server was moved to Helsinki.' }, query)).toEqual([]),
  );

  it('alone does not find a memory where two other words are held elsewhere', async () => {
    const memories = {
      load: 'Load test of 21 August: 1,200 rps with six pods.',
      move: 'Beim Umzug am 22.08.2025 gingen Umlaute verloren.',
    };
    expect(await found(memories, 'load test of 22 August')).not.toContain('move');
  });

  it.each(['what happened on 20 November', 'November 20th outage', '7. April', 'meeting on April 7'])(
    'is no version: %s',
    async (query) => {
      const memories = { node: 'We run Node 20.11. It stays until spring.', chart: 'Chart library is at 7.4. Nobody upgrades it.' };
      expect(await found(memories, query)).toEqual([]);
    },
  );

  it.each([
    ['what was deployed on March 11 2025', 'deploy'],
    ['rollback on 7 June 2025', 'rollback'],
    ['what happened on 2025-06-07', 'rollback'],
  ])('is found in figures with slashes: %s', async (query, key) =>
    expect((await found({ deploy: 'Deployed on 3/11/2025 to all regions.', rollback: 'Rollback on 2025/06/07.' }, query))[0]).toBe(key),
  );
});

describe('a word that no memory holds', () => {
  it.each([
    ['Martin decided to keep Jenkins.', 'Marvin'],
    ['Martin decided to keep Jenkins.', 'who is Marvin'],
    ['Katrina wrote the importer.', 'Katrin said hello'],
    ['Michaela wrote the importer.', 'is Michael in'],
    ['svc-eu-prod-a is the primary.', 'svc-eu-prod-b'],
    ['commit a3f9cbe broke login', 'a3f9cbd'],
    ['getUserByName is cached', 'getUserByGame'],
    ['Use ERR_QUOTA_EXCEEDED', 'ERR_QUOTA_EXTENDED'],
    ['The board met; put a dash at the end.', 'dashboard'],
    ['Use frame 3 for the work order.', 'which framework'],
    ['Pass the word to Ingrid.', 'password'],
    ['We keep 3 replicas.', '3.0'],
    ['v2 of the API is deprecated.', '2.0'],
    ['Ticket PAY2219 is open', 'PAY221'],
    ['Refund stands in PAY-2219', 'about PAY-221'],
    ['ABC-123: crash on empty cart.', 'ABC-12'],
    ['The tech lead is Priya.', 'LED'],
    ['Sticky notes stick.', 'stuck'],
    ['The speaker may speak.', 'spoke'],
  ])('is not found in "%s": %s', async (text, query) => expect(await found({ it: text }, query)).toEqual([]));

  it.each([
    ['The importer needs setuptools for distutils.', 'distutlis'],
    ['Die Verbindung der Datenbank bricht ab.', 'Datenbankverbindung'],
    ['Kunden dürfen stornieren.', 'Stornierung'],
    ['Der Rechnungslauf startet um drei.', 'Rechnungen'],
    ['Fixed in 3f9c2ab', '3f9c2'],
    ['The release is 1.2.0', 'v1.2'],
  ])('is found by what it means in "%s": %s', async (text, query) => expect(await found({ it: text }, query)).toEqual(['it']));
});

describe('a pasted log', () => {
  const line = (i: number) =>
    `2026-06-0${1 + (i % 9)}T07:${10 + i}:42Z ${['DEBUG [http] GET /healthz 200 1ms', 'WARN  [cache] eviction rate high, ratio 0.42', 'INFO  [main] starting worker pool size=16'][i % 3]} req=${(i * 7919 + 4096).toString(16)}`;
  const log = (middle: string) =>
    [...Array.from({ length: 20 }, (_, i) => line(i)), middle, ...Array.from({ length: 20 }, (_, i) => line(i + 20))].join(' ');
  const memories = {
    wanted: 'Offset commit failed: the coordinator is not aware of this member. The poll took too long.',
    sandbox: 'Sandbox: rsync.samba deny file-write-create on CI. Turn script sandboxing off in the target.',
    day: 'Deploy of 2026-06-03 was clean.',
    ratio: 'The churn model has a ratio of 0.42 since the DEBUG build.',
    pool: 'The worker pool starts with size 16, the cache has a high eviction rate.',
  };
  it.each([
    ['ERROR Offset commit failed on partition x-9: The coordinator is not aware of this member.', 'wanted'],
    ['error: Sandbox: rsync.samba(881) deny(1) file-write-create /Users/ci/build', 'sandbox'],
  ])('is asked for its one line that matters: %s', async (middle, key) => expect(await found(memories, log(middle))).toEqual([key]));
  it('of nothing that is known finds nothing by its days, numbers and levels', async () => {
    const { pool, ...others } = memories;
    expect(await found(others, log('all is well'))).toEqual([]);
  });
});

describe('a word in capitals', () => {
  const memories = {
    selection: 'Measured selections in the editor, which recovers errors.',
    refused: 'ECONNREFUSED came from the stale socket of the proxy.',
  };
  it.each(['what SELECT bananas apples oranges cherries', 'our ERROR budget for the third quarter'])(
    'that is often shouted is no name: %s',
    async (query) => expect(await found(memories, query)).toEqual([]),
  );
  it('is a name as it is written, not by its stem', async () => {
    const words = new InMemoryLexicalIndex();
    words.upsert('refused', memories.refused, facets());
    words.upsert('zephyr', 'the gritted teeth of a runner', facets());
    const named = (query: string) => words.search(query, 5, {}).flatMap(({ key, named: is }) => (is ? [key] : []));
    expect(named('why does ECONNREFUSED come up again after lunch')).toEqual(['refused']);
    expect(named('why does GRITTING come up again')).toEqual([]);
    expect(named('why does GRITTED come up again')).toEqual([]);
  });
});

describe('a name joined by a hyphen to words', () => {
  const memories = {
    vpn: 'Ingrid gives out WireGuard keys.',
    bill: 'The Snowflake bill rose in May.',
    limit: 'Fluent Bit drops lines unless Mem_Buf_Limit is 50MB.',
    provider: 'KESTREL_FX_PROVIDER picks the source of rates.',
  };
  it.each([
    ['Wer vergibt die WireGuard-Schlüssel?', 'vpn'],
    ['Warum ist die Snowflake-Rechnung gestiegen?', 'bill'],
    ['Wie setzen wir den Mem_Buf_Limit-Wert?', 'limit'],
    ['Wozu dient die KESTREL_FX_PROVIDER-Variable?', 'provider'],
    ['the KESTREL_FX_PROVIDER-based lookup', 'provider'],
  ])('is found as if it stood alone: %s', async (query, key) => expect((await found(memories, query))[0]).toBe(key));
  it('has the evidence of a name', () => {
    const words = new InMemoryLexicalIndex();
    for (const [key, text] of Object.entries(memories)) words.upsert(key, text, facets());
    expect(words.search('the KESTREL_FX_PROVIDER-based lookup', 1, {})).toMatchObject([{ key: 'provider', named: true }]);
  });
});

it('a slip in an ending that terms are without is none', async () =>
  expect(await found({ dedup: 'Deduplication of contacts by a blocking key of name and city.' }, 'deduplicaton of contcts')).toEqual([
    'dedup',
  ]));
