import { normalisedForIdentity, parseQuery } from '../../domain/content.js';
import { DomainError } from '../../domain/errors.js';
import { isQueryRead } from '../../domain/legibility.js';
import { isMemoryKey } from '../../domain/memory/key.js';
import { clip } from '../../domain/passage.js';
import { round6 } from '../../domain/scoring.js';
import { eyesOf } from '../../projections/search/hybrid.js';
import type { Call, MentionedRecall, MentionedResult, WhyInput, WhyResult } from '../api.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import type { QueryParts } from './parts.js';
import { embedQuestion } from './query-vectors.js';
import { type NotedRecall, readNotes, textsOf } from './recall-notes.js';
import { rowsOf } from './rows.js';
import { recallsNoted } from './telemetry.js';

/** The newest so many recalls are looked at. */
const LOOKED_AT = 2_000;
const SHOWN = { recalls: 5, results: 10, query: 300, content: 80 } as const;
/** So many different queries, the newest, are compared by meaning: each costs an embedding. */
const COMPARED = 100;
/** Cosine above which two questions are taken to mean the same (contract, section 8). */
const ALIKE = 0.5;
/** A shorter text is contained in too many others to say anything. */
const SHORTEST_CONTAINED = 3;

type Match = { readonly recall: NotedRecall; readonly text: string | undefined; readonly similarity?: number };

/**
 * Which recall put a memory before the client: by the words of its query (one contains the other), else by its meaning, or
 * by a memory it showed; with rank, score and what made the score. Looks at the newest 2,000 recalls; texts of queries are
 * kept for a month. Throws VALIDATION without a query or a key, and for both.
 */
export const whyDidYouMention = async (parts: QueryParts, input: WhyInput, call: Call): Promise<WhyResult> => {
  const { query, key } = wanted(input);
  await recallsNoted(parts);
  const recalls = await unavailableWhenDown(() => readNotes(parts.redis, parts.keys, '+', LOOKED_AT));
  const texts = await unavailableWhenDown(() => textsOf(parts.redis, parts.keys, recalls));
  const noted = recalls.map((recall, i): Match => ({ recall, text: texts[i] }));
  const gone = noted.filter(({ text }) => text === undefined).length;
  const looked = { looked_at: recalls.length, ...(gone > 0 && { texts_gone: gone }) };

  if (key !== undefined) {
    const matches = noted.filter(({ recall }) => recall.results.some((result) => result.key === key));
    if (matches.length === 0) return { status: 'not_found', ...looked, message: `No recall that is still known showed ${key}.` };
    return { ...(await found(parts, 'key', matches, (result) => result.key === key)), ...looked, ...remark(matches, 0) };
  }
  const words = byWords(noted, query);
  if (words.length > 0) return { ...(await found(parts, 'keyword', words, everyResult)), ...looked, ...remark(words, gone) };
  const { matches, note } = await byMeaning(parts, noted, query, call.signal);
  if (matches.length > 0) return { ...(await found(parts, 'semantic', matches, everyResult)), ...looked, ...remark(matches, gone) };
  const message = ['No recall that is still known asked for this.', note, goneNote(gone)].filter(Boolean).join(' ');
  return { status: 'not_found', ...looked, message };
};

type Wanted = { readonly query: string; readonly key: undefined } | { readonly query: undefined; readonly key: string };

const wanted = ({ query, key }: WhyInput): Wanted => {
  const given = (key ?? '').trim() || undefined;
  if ((query === undefined) === (given === undefined)) {
    throw new DomainError(
      'VALIDATION',
      'Give query or key, one of them',
      'query: what was mentioned or asked; key: a memory that was mentioned',
    );
  }
  if (given !== undefined || isMemoryKey((query ?? '').trim())) {
    const asked = given ?? (query ?? '').trim();
    if (!isMemoryKey(asked)) throw new DomainError('VALIDATION', 'This is no memory key', 'A key looks like mem:episodic:01J…');
    return { query: undefined, key: asked };
  }
  return { query: parseQuery(query ?? ''), key: undefined };
};

const byWords = (noted: readonly Match[], query: string): readonly Match[] => {
  const asked = normalisedForIdentity(query);
  const holds = (whole: string, part: string): boolean => part.length >= SHORTEST_CONTAINED && whole.includes(part);
  return noted.filter(({ text }) => {
    if (text === undefined) return false;
    const logged = normalisedForIdentity(text);
    return logged === asked || holds(logged, asked) || holds(asked, logged);
  });
};

const byMeaning = async (
  parts: QueryParts,
  noted: readonly Match[],
  query: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly matches: readonly Match[]; readonly note?: string }> => {
  const space = parts.index.serving;
  const embedder = space && (await parts.embedderFor(space.model.id));
  if (!embedder) return { matches: [], note: 'Without an embedding model only words could be compared.' };
  if (!isQueryRead(query))
    return { matches: [], note: 'The embedding model does not read this language or script; only words were compared.' };
  const kept = noted.flatMap(({ text }) => (text?.trim() && isQueryRead(text) ? [text] : []));
  const texts = [...new Set(kept)].slice(0, COMPARED);
  if (texts.length === 0) return { matches: [] };
  const options = signal && { signal };
  const [asked, vectors] = await Promise.all([embedQuestion(embedder, query, options), embedder.embed(texts, options)]);
  const eyes = eyesOf(asked.vector, asked.ending);
  const nearness = (windows: readonly Float32Array[]): number =>
    Math.max(...windows.flatMap((window) => eyes.map((eye) => round6(dot(eye, window)))));
  const likeness = new Map(texts.map((text, i) => [text, nearness(vectors[i] ?? [])]));
  const alike = noted.flatMap((match): readonly (Match & { readonly similarity: number })[] => {
    const similarity = likeness.get(match.text ?? '');
    return similarity !== undefined && similarity > ALIKE ? [{ ...match, similarity }] : [];
  });
  return { matches: alike.sort((a, b) => b.similarity - a.similarity) };
};

/** Unit vectors: their product is the cosine. */
const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

const everyResult = (): boolean => true;

const found = async (
  parts: QueryParts,
  match_type: 'keyword' | 'semantic' | 'key',
  matches: readonly Match[],
  shows: (result: NotedRecall['results'][number]) => boolean,
) => {
  const told = matches.slice(0, SHOWN.recalls).map((match) => ({
    ...match,
    results: match.recall.results
      .map((result, i) => ({ ...result, rank: i + 1 }))
      .filter(shows)
      .slice(0, SHOWN.results),
  }));
  const rows = await rowsOf(parts, [...new Set(told.flatMap(({ results }) => results.map(({ key }) => key)))]);
  const mentioned = ({ rank, key, score, parts: made }: (typeof told)[number]['results'][number]): MentionedResult => {
    const row = rows.get(key);
    return {
      rank,
      key,
      score,
      ...(made && { parts: made }),
      state: row?.state ?? 'forgotten',
      ...(row && { content: clip(row.content, SHOWN.content) }),
      ...(row?.project !== undefined && { project: row.project }),
    };
  };
  const recalls = told.map(
    ({ recall, text, similarity, results }): MentionedRecall => ({
      timestamp: recall.at,
      kind: recall.kind,
      client: recall.actor,
      search: recall.model === undefined ? 'lexical' : 'fused',
      ...(text !== undefined && { log_query: clip(text, SHOWN.query) }),
      ...(similarity !== undefined && { similarity }),
      results: results.map(mentioned),
    }),
  );
  const [first] = recalls;
  return {
    status: 'found' as const,
    match_type,
    ...(first?.log_query !== undefined && { log_query: first.log_query }),
    timestamp: first?.timestamp ?? '',
    result_keys: first?.results.map(({ key }) => key) ?? [],
    recalls,
    total: matches.length,
  };
};

const remark = (matches: readonly Match[], gone: number): { readonly message?: string } => {
  const silent = matches.slice(0, SHOWN.recalls).filter(({ text }) => text === undefined).length;
  const message = silent > 0 ? `What was asked is not kept any more for ${silent} of these recalls: ${WHY_GONE}` : goneNote(gone);
  return message === undefined ? {} : { message };
};

const WHY_GONE = 'texts of queries are kept for a month, and go when a memory that they showed is forgotten.';

const goneNote = (gone: number): string | undefined =>
  gone > 0 ? `${gone} recalls could not be compared, since the texts of their queries are gone: ${WHY_GONE}` : undefined;
