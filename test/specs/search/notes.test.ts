import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { RECALL_MIN_SCORE } from '../../../domain/fusion.js';
import { isScriptRead } from '../../../domain/legibility.js';
import { matchesAmong } from '../../../domain/matching.js';
import { foreignLanguage } from '../../../domain/text/languages.js';
import { hybridSearch } from '../../../projections/search/hybrid.js';
import { InMemoryLexicalIndex } from '../../../projections/search/lexical.js';
import { InProcessVectorIndex } from '../../../projections/search/vectors.js';
import { hashedEmbedder } from '../../support/embedders.js';
import { facets } from './samples.js';

/** German that may not show that it is: its words put the memory first, and a model's vectors, of which this test has none, over the floor. */
const BY_WORDS: ReadonlySet<string> = new Set(['de', 'decomp']);

type Asked = { readonly kind: string; readonly question: string; readonly key: string | undefined };

const memories = new Map<string, string>();
const asked: Asked[] = [];
for (const line of readFileSync(new URL('../../fixtures/notes/notes.txt', import.meta.url), 'utf8').split('\n')) {
  const [, kind = '', key, text = ''] = /^(\w+)(?: (\w+))?: (.*)$/.exec(line) ?? [];
  if (key !== undefined) memories.set(key, text);
  else if (kind !== '') asked.push({ kind, question: text, key: kind === 'none' ? undefined : [...memories.keys()].at(-1) });
}

describe("questions to a developer's notes, without a model", () => {
  const embedder = hashedEmbedder('notes', 384);
  const vectors = new InProcessVectorIndex({ dimension: 384 });
  const words = new InMemoryLexicalIndex();
  beforeAll(async () => {
    for (const [key, text] of memories) {
      await vectors.upsert(key, (await embedder.embed([text]))[0] ?? [], facets());
      words.upsert(key, text, facets());
    }
  });
  /** The memories above the floor, best first, as recall finds them. */
  const answers = async (kind: string, question: string): Promise<readonly string[]> => {
    const vector = isScriptRead(question) && !BY_WORDS.has(kind) ? await embedder.embedQuery(question) : undefined;
    const hits = await hybridSearch(vectors, words, { text: question, vector, candidates: 50, filter: {} });
    const isForeign = foreignLanguage(question) !== undefined;
    if (BY_WORDS.has(kind) && !isForeign) return hits.map(({ key }) => key);
    const bar = { fused: RECALL_MIN_SCORE, lexical: RECALL_MIN_SCORE, isForeign, isExact: false, isHalfRead: false };
    const candidates = hits.map((hit) => ({ hit, isUnread: !isScriptRead(memories.get(hit.key) ?? ''), tagged: 'nothing' as const }));
    return [...matchesAmong(candidates, bar)].sort((a, b) => b.hit.score - a.hit.score).map(({ hit }) => hit.key);
  };

  it('are all there', () => expect([memories.size, asked.length]).toEqual([150, 299]));

  it.each([...new Set(asked.map(({ kind }) => kind))])(
    'of the kind "%s" find their memory first, and nothing when there is none',
    async (kind) => {
      const wrong: unknown[] = [];
      for (const { question, key } of asked.filter((one) => one.kind === kind)) {
        const [first] = await answers(kind, question);
        if (first !== key) wrong.push({ question, first, key });
      }
      expect(wrong).toEqual([]);
    },
  );
});
