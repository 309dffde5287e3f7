import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { RECALL_MIN_SCORE } from '../../domain/fusion.js';
import { hybridSearch } from '../../projections/search/hybrid.js';
import { InMemoryLexicalIndex } from '../../projections/search/lexical.js';
import type { Facets } from '../../projections/search/ports.js';
import { InProcessVectorIndex } from '../../projections/search/vectors.js';
import type { Embedder } from '../../services/embedding/port.js';
import { DEVELOPER_CASES, UNRELATED_QUERIES } from './retrieval-cases.js';
import { defaultDataDirectory, type Memory } from './retrieval-data.js';
import {
  DEVDOCS_PARAPHRASES,
  DOCS_QA_PARAPHRASES,
  FLOOR_NONSENSE,
  FLOOR_OFF_TOPIC,
  FLOOR_UNRELATED,
  type FloorCase,
} from './retrieval-floor-cases.js';

/** What a store of this size answers. Shares, 0..1. */
export type StoreRow = {
  readonly documents: string;
  readonly memories: number;
  /** Of the paraphrases: the right memory is among the first ten, and it is above the floor as well. */
  readonly found: number;
  readonly kept: number;
  /** Of the queries that nothing in the store answers: something is above the floor. */
  readonly answered: Readonly<Record<string, number>>;
};

export type FloorOptions = { readonly embedder: Embedder; readonly data?: string; readonly sizes?: readonly number[] };

/** `tuned` queries had a say in the rule, the rest had none. `off topic` ones are a developer's, but for other documents. */
const UNANSWERABLE: Readonly<Record<string, readonly string[]>> = {
  tuned: UNRELATED_QUERIES,
  'nonsense and unrelated': [...FLOOR_UNRELATED, ...FLOOR_NONSENSE],
  'off topic': FLOOR_OFF_TOPIC,
};

const FACETS: Facets = { namespace: 'episodic', state: 'active', project: undefined, licence: 'own', createdAt: 0 };
/** As a recall of the default size asks. */
const CANDIDATES = 20;
const FIRST = 10;
const BATCH = 16;

type Pool = { readonly documents: string; readonly memories: readonly Memory[]; readonly cases: readonly FloorCase[] };
type Hits = Awaited<ReturnType<typeof hybridSearch>>;
type Ask = (query: string) => Promise<Hits>;

/**
 * The floor in stores of one to forty memories: each store is a run of neighbours in the pool, around the document that is
 * asked for, or at three places for a query that has no answer.
 */
export const runFloor = async ({
  embedder,
  data = defaultDataDirectory(),
  sizes = [1, 5, 10, 20, 40],
}: FloorOptions): Promise<StoreRow[]> => {
  const embed = remembering(embedder);
  const rows: StoreRow[] = [];
  for (const pool of await pools(data)) for (const size of sizes) rows.push(await measure(pool, size, embed));
  return rows;
};

const measure = async ({ documents, memories, cases }: Pool, size: number, embed: Remembering): Promise<StoreRow> => {
  const stores = new Map<number, Promise<Ask>>();
  const storeAt = (start: number): Promise<Ask> => {
    const first = (start + memories.length) % memories.length;
    const store = stores.get(first) ?? open(runOf(memories, first, size), embed);
    stores.set(first, store);
    return store;
  };
  let found = 0;
  let kept = 0;
  for (const { document, paraphrase } of cases) {
    const ask = await storeAt(memories.findIndex(({ key }) => key === document) - Math.floor(size / 2));
    const hit = (await ask(paraphrase)).slice(0, FIRST).find(({ key }) => key === document);
    if (hit) found++;
    if (hit && hit.relevance >= RECALL_MIN_SCORE) kept++;
  }
  const answered: Record<string, number> = {};
  for (const [kind, queries] of Object.entries(UNANSWERABLE)) {
    let some = 0;
    for (const [i, query] of queries.entries())
      for (const place of [i, i + 13, i + 26])
        if ((await (await storeAt(place % memories.length))(query)).some(({ relevance }) => relevance >= RECALL_MIN_SCORE)) some++;
    answered[kind] = some / (3 * queries.length);
  }
  return { documents, memories: Math.min(size, memories.length), found: found / cases.length, kept: kept / cases.length, answered };
};

const runOf = (memories: readonly Memory[], first: number, size: number): Memory[] =>
  [...memories, ...memories].slice(first, first + Math.min(size, memories.length));

const open = async (memories: readonly Memory[], embed: Remembering): Promise<Ask> => {
  const vectors = new InProcessVectorIndex({ dimension: embed.dimension });
  const words = new InMemoryLexicalIndex();
  const embedded = await embed.texts(memories.map(({ text }) => text));
  for (const [i, { key, text }] of memories.entries()) {
    await vectors.upsert(key, embedded[i] ?? [], FACETS);
    words.upsert(key, text, FACETS);
  }
  return async (text) => hybridSearch(vectors, words, { text, vector: await embed.query(text), candidates: CANDIDATES, filter: {} });
};

type Remembering = {
  readonly dimension: number;
  readonly texts: (texts: readonly string[]) => Promise<Float32Array[][]>;
  readonly query: (text: string) => Promise<Float32Array>;
};

/** The same texts stand in many stores; each is embedded once. */
const remembering = (embedder: Embedder): Remembering => {
  const texts = new Map<string, Float32Array[]>();
  const queries = new Map<string, Promise<Float32Array>>();
  return {
    dimension: embedder.identity.dimension,
    texts: async (wanted) => {
      const fresh = [...new Set(wanted)].filter((text) => !texts.has(text));
      for (let i = 0; i < fresh.length; i += BATCH) {
        const batch = fresh.slice(i, i + BATCH);
        for (const [j, windows] of (await embedder.embed(batch)).entries()) texts.set(batch[j] ?? '', windows);
      }
      return wanted.map((text) => texts.get(text) ?? []);
    },
    query: (text) => {
      const vector = queries.get(text) ?? embedder.embedQuery(text);
      queries.set(text, vector);
      return vector;
    },
  };
};

const devdocs = z.object({ documents: z.array(z.object({ file: z.string(), lang: z.string(), bytes: z.number() })) });
const sections = z.object({ documents: z.array(z.object({ id: z.string(), text: z.string() })) });

const pools = async (data: string): Promise<Pool[]> => {
  const read = (...path: string[]): Promise<string> => readFile(join(data, ...path), 'utf8');
  const listed = devdocs.parse(JSON.parse(await read('devdocs', 'index.json'))).documents;
  const readable = listed
    .filter(({ lang, bytes }) => bytes > 0 && (lang === 'en' || lang === 'de'))
    .sort((a, b) => (a.file < b.file ? -1 : 1));
  const files = await Promise.all(
    readable.map(async ({ file }) => ({ key: file.replace(/\.txt$/, ''), text: await read('devdocs', file) })),
  );
  const docs = sections.parse(JSON.parse(await read('docs-qa', 'documents.json'))).documents.map(({ id, text }) => ({ key: id, text }));
  const asked = new Set(DOCS_QA_PARAPHRASES.map(({ document }) => document));
  const notes = DEVELOPER_CASES.map(({ memory, paraphrase }, i) => ({ key: `case ${i}`, text: memory, paraphrase }));
  return [
    { documents: 'devdocs', memories: files, cases: DEVDOCS_PARAPHRASES },
    { documents: 'docs-qa', memories: docs.filter(({ key }, i) => i % 5 === 1 || asked.has(key)), cases: DOCS_QA_PARAPHRASES },
    {
      documents: 'developer cases',
      memories: [...notes, ...docs.filter((_, i) => i % 24 === 3).slice(0, 10)],
      cases: notes.map(({ key, paraphrase }) => ({ document: key, paraphrase })),
    },
  ];
};
