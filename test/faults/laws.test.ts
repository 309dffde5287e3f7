import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isDomainError } from '../../domain/errors.js';
import { openTestApp, type TestApp } from '../support/app.js';
import { startValkey, type TestValkey } from '../support/valkey.js';

/** What somebody does to one of a few memories. */
type Deed = {
  readonly on: number;
  readonly what: 'remember' | 'revise' | 'retag' | 'deprioritise' | 'archive' | 'reinstate' | 'licence' | 'forget';
  readonly word: string;
};

const SLOTS = 4;
const deed = fc.record<Deed>({
  on: fc.nat(SLOTS - 1),
  what: fc.constantFrom('remember', 'remember', 'revise', 'retag', 'deprioritise', 'archive', 'reinstate', 'licence', 'forget'),
  word: fc.constantFrom('tern', 'skua', 'auk', 'petrel'),
});

/** Does them one after another; what the rules refuse is left undone. Answers the keys by slot. */
const play = async ({ app, call }: TestApp, deeds: readonly Deed[]): Promise<(string | undefined)[]> => {
  const keys: (string | undefined)[] = Array.from({ length: SLOTS });
  await app.commands.remember({ content: 'The one bird that is always there.', force: true }, call);
  for (const [n, { on, what, word }] of deeds.entries()) {
    const key = keys[on];
    try {
      if (what === 'remember') {
        const stored = await app.commands.remember({ content: `Bird ${word} number ${n} on ledge ${on}.`, force: true }, call);
        if (stored.status === 'stored' && key === undefined) keys[on] = stored.key;
      } else if (key === undefined) continue;
      else if (what === 'revise') await app.commands.revise({ key, content: `Revised ${word} number ${n} on ledge ${on}.` }, call);
      else if (what === 'retag') await app.commands.retag({ key, add: [word] }, call);
      else if (what === 'deprioritise') await app.commands.deprioritise({ key_or_query: key, reason: word, reinstate_hints: [word] }, call);
      else if (what === 'archive') await app.commands.archive({ key_or_query: key }, call);
      else if (what === 'reinstate') await app.commands.reinstate({ key_or_query: key }, call);
      else if (what === 'licence') await app.commands.setLicence({ keys: [key], licence: 'open' }, call);
      else await app.commands.forget({ key_or_query: key, confirm: true, keys: [key] }, call);
    } catch (error) {
      if (!isDomainError(error, 'CONFLICT') && !isDomainError(error, 'NOT_FOUND') && !isDomainError(error, 'VALIDATION')) throw error;
    }
  }
  return keys;
};

const seen = async ({ app, call }: TestApp, keys: readonly (string | undefined)[]) => {
  const wanted = keys.filter((key) => key !== undefined);
  const { results } = await app.queries.recallDetail({ keys: wanted }, call);
  return results.map(({ key: _key, ...rest }) => ({ ...rest, created_at: '', updated_at: '' }));
};

describe('the two laws, through the whole product', () => {
  let valkey: TestValkey;
  beforeAll(async () => {
    valkey = await startValkey();
  });
  afterAll(() => valkey.stop());
  const runs = { numRuns: Number(process.env.TEST_RUNS ?? 8), endOnFailure: true };

  it('views are what a replay makes of the log, whatever was done; nothing of the forgotten is in them', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { maxLength: 25 }), async (deeds) => {
        const test = await openTestApp({ valkey });
        try {
          const keys = await play(test, deeds);
          await test.verifyAll();
          // A process that begins now sees the same memories and the same index.
          const before = await seen(test, keys);
          const next = await test.another();
          await next.app.whenReady(30_000);
          expect(await seen({ ...test, ...next }, keys)).toEqual(before);
          expect([...next.index.documents.keys()].sort()).toEqual([...test.index.documents.keys()].sort());
          expect([...next.index.documents]).toEqual(expect.arrayContaining([...test.index.documents]));
          await next.close();
        } finally {
          await test.end();
        }
      }),
      runs,
    );
  });

  it('the order of deeds on different memories makes no difference to any of them', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { maxLength: 15 }), async (deeds) => {
        const numbered = deeds.map((one, n) => ({ one, n }));
        const one = await openTestApp({ valkey });
        const other = await openTestApp({ valkey });
        try {
          // Sorted by memory: within each of them the order stays.
          const sorted = [...numbered].sort((a, b) => a.one.on - b.one.on || a.n - b.n).map((entry) => entry.one);
          const wordless = (list: Awaited<ReturnType<typeof seen>>) =>
            JSON.parse(JSON.stringify(list).replaceAll(/number \d+/g, 'number')) as unknown;
          const a = await play(one, deeds);
          const b = await play(other, sorted);
          expect(wordless(await seen(one, a))).toEqual(wordless(await seen(other, b)));
          expect(a.map((key) => key !== undefined)).toEqual(b.map((key) => key !== undefined));
        } finally {
          await one.end();
          await other.end();
        }
      }),
      runs,
    );
  });
});
