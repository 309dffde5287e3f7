import { type FusedHit, RECALL_MIN_SCORE } from '../../domain/fusion.js';
import { hybridSearch } from '../../projections/search/hybrid.js';
import { InMemoryLexicalIndex } from '../../projections/search/lexical.js';
import type { Facets } from '../../projections/search/ports.js';
import { InProcessVectorIndex } from '../../projections/search/vectors.js';
import type { Embedder } from '../../services/embedding/port.js';
import { defaultDataDirectory, loadQuestionSets, type Question, type QuestionSet } from './retrieval-data.js';
import { percentile, type Quality, quality } from './retrieval-metrics.js';

export type RetrievalOptions = {
  readonly embedder: Embedder;
  /** @defaultValue OMNIMEM_BENCH_DATA, else `../shared/data` beside the repository */
  readonly data?: string;
  readonly progress?: (message: string) => void;
};

const METHODS = ['vectors', 'words', 'fused'] as const;
type Method = (typeof METHODS)[number];

export type QualityRow = { readonly set: string; readonly category: string; readonly method: Method } & Quality;

/** How the highest relevance among a query's first ten lies about the floor, and that of the evidence among them. */
export type FloorRow = {
  readonly category: string;
  readonly queries: number;
  /** At the 5th, 50th and 95th percentile. */
  readonly best: readonly (number | undefined)[];
  readonly evidence: readonly (number | undefined)[];
  /** Share of the queries of which nothing is left above the floor, and of the evidence among the first ten that is cut. */
  readonly answeredNothing: number;
  readonly evidenceCut: number;
};

export type RetrievalReport =
  | { readonly skipped: string }
  | { readonly model: string; readonly floor: number; readonly quality: readonly QualityRow[]; readonly floors: readonly FloorRow[] };

const CANDIDATES = 50;
const BATCH = 64;
const FACETS: Facets = { namespace: 'episodic', state: 'active', project: undefined, licence: 'own', createdAt: 0 };

type Asked = {
  readonly set: QuestionSet;
  readonly question: Question;
  readonly found: Readonly<Record<Method, readonly string[]>>;
  readonly hits: readonly FusedHit[];
};

/**
 * Evidence retrieval on LoCoMo conversations, documentation questions and our own developer cases: one memory a turn, a
 * section or a note; vectors alone, words alone, fused as the product does.
 */
export const runRetrieval = async ({ embedder, data = defaultDataDirectory(), progress }: RetrievalOptions): Promise<RetrievalReport> => {
  const sets = await loadQuestionSets(data);
  if (sets === undefined) return { skipped: `no question sets under ${data}; set OMNIMEM_BENCH_DATA` };
  const asked: Asked[] = [];
  for (const set of sets) {
    progress?.(`${set.name}: ${set.memories.length} memories, ${set.questions.length} questions`);
    asked.push(...(await ask(set, embedder)));
  }
  return { model: embedder.identity.id, floor: RECALL_MIN_SCORE, quality: qualityRows(asked), floors: floorRows(asked) };
};

const ask = async (set: QuestionSet, embedder: Embedder): Promise<Asked[]> => {
  const vectors = new InProcessVectorIndex({ dimension: embedder.identity.dimension });
  const words = new InMemoryLexicalIndex();
  for (let i = 0; i < set.memories.length; i += BATCH) {
    const batch = set.memories.slice(i, i + BATCH);
    const embedded = await embedder.embed(batch.map(({ text }) => text));
    for (const [j, { key, text }] of batch.entries()) {
      await vectors.upsert(key, embedded[j] ?? [], FACETS);
      words.upsert(key, text, FACETS);
    }
  }
  const asked: Asked[] = [];
  for (const question of set.questions) {
    const vector = await embedder.embedQuery(question.text);
    const hits = await hybridSearch(vectors, words, { text: question.text, vector, candidates: CANDIDATES, filter: {} });
    const found = {
      vectors: (await vectors.knn(vector, CANDIDATES, {})).map(({ key }) => key),
      words: words.search(question.text, CANDIDATES, {}).map(({ key }) => key),
      fused: hits.map(({ key }) => key),
    };
    asked.push({ set, question, found, hits });
  }
  await vectors.close();
  return asked;
};

/** Adversarial questions tempt with a wrong answer; their evidence is looked for all the same, but not counted with the rest. */
const COUNTED_APART = new Set(['adversarial', 'paraphrase', 'identifier']);

const qualityRows = (asked: readonly Asked[]): QualityRow[] => {
  const groups = new Map<string, Asked[]>();
  for (const each of asked) {
    const { set, question } = each;
    if (question.evidence.length === 0) continue;
    const source = set.name.replace(/^conv-.*/, 'locomo').replace(/,.*/, '');
    const name = set.name === 'developer cases' ? source : `${source}, ${set.heldOut ? 'held out' : 'tuned on'}`;
    for (const category of COUNTED_APART.has(question.category) ? [question.category] : [question.category, 'all'])
      groups.set(`${name}|${category}`, [...(groups.get(`${name}|${category}`) ?? []), each]);
  }
  return [...groups].sort().flatMap(([group, members]) => {
    const [set = '', category = ''] = group.split('|');
    return METHODS.map((method) => ({
      set,
      category,
      method,
      ...quality(members.map(({ question, found }) => ({ found: found[method], evidence: question.evidence }))),
    }));
  });
};

const floorRows = (asked: readonly Asked[]): FloorRow[] =>
  [...new Set(asked.map(({ question }) => question.category))].map((category) => {
    const members = asked.filter(({ question }) => question.category === category);
    const best = members.map(({ hits }) => Math.max(0, ...hits.slice(0, 10).map((hit) => hit.relevance)));
    const evidence = members.flatMap(({ hits, question }) =>
      hits
        .slice(0, 10)
        .filter((hit) => question.evidence.includes(hit.key))
        .map((hit) => hit.relevance),
    );
    const below = (scores: readonly number[]) => scores.filter((score) => score < RECALL_MIN_SCORE).length / Math.max(1, scores.length);
    return {
      category,
      queries: members.length,
      best: [0.05, 0.5, 0.95].map((share) => percentile(best, share)),
      evidence: [0.05, 0.5, 0.95].map((share) => percentile(evidence, share)),
      answeredNothing: below(best),
      evidenceCut: below(evidence),
    };
  });
