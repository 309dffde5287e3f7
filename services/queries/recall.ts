import { estimateTokens } from '../../domain/budget.js';
import { licenceNotice } from '../../domain/licence.js';
import { clip, passageAround } from '../../domain/passage.js';
import { shortRouting } from '../../domain/project/scope.js';
import { RANGES, withinRange } from '../../domain/range.js';
import type { ScoreBreakdown } from '../../domain/scoring.js';
import { queryTerms } from '../../domain/text/tokens.js';
import type {
  AbandonedWarnings,
  Call,
  RecallIndexInput,
  RecallIndexItem,
  RecallIndexResult,
  RecallInput,
  RecallItem,
  RecallNotes,
  RecallResult,
  ScoreParts,
} from '../api.js';
import { recallEarlier } from '../history/recall.js';
import { contradictionFields } from './contradictions.js';
import { type Expanded, rankExpanded } from './expansion-rank.js';
import { warningsBeside } from './experience/warnings.js';
import { fitAnswer } from './fit.js';
import type { QueryParts } from './parts.js';
import { type Question, type Ranking, rank } from './rank.js';
import { NEAREST_SHOWN, type Shown, showable } from './rows.js';
import { recordRecall } from './telemetry.js';

const DEFAULT_INDEX_K = 10;
const DEFAULT_SNIPPET = 150;
const NOTHING = 'No memory matches.';
/** Tokens of a whole answer. */
const NEAREST_ROOM = 250;
const NEAREST = `${NOTHING} nearest names what came closest and still fell short: recall_detail reads it, if it may be what was meant.`;
const TITLE_LENGTH = 80;
const SUPPRESSED = 'No memory matches. What was found speaks of suppressed topics; list_suppressions names them.';

/** The memories that answer a query, best first, whole. */
export const recall = async (parts: QueryParts, input: RecallInput, call: Call): Promise<RecallResult> => {
  const { shown, ranking, warnings, notes } = await found(
    parts,
    input,
    call,
    withinRange('top_k', input.top_k ?? parts.topK, RANGES.topK),
    'recall',
  );
  const items = shown.map((one) => itemOf(one, input.score_breakdown ?? false));
  const { kept, cut } = fitAnswer(items, budgetOf(parts, input, warnings));
  return { ...scopeNotes(ranking), ...warnings, results: kept, ...notesOf(ranking, kept, cut), ...notes };
};

/** The same as a short list: for each memory the passage around the match. `recall_detail` gives the rest. */
export const recallIndex = async (parts: QueryParts, input: RecallIndexInput, call: Call): Promise<RecallIndexResult> => {
  const length = withinRange('snippet_length', input.snippet_length ?? DEFAULT_SNIPPET, RANGES.snippetLength);
  const { shown, ranking, warnings, notes } = await found(
    parts,
    input,
    call,
    withinRange('top_k', input.top_k ?? DEFAULT_INDEX_K, RANGES.topK),
    'recall_index',
  );
  const terms = queryTerms(input.query).map(({ term }) => term);
  const items = shown.map((one) => indexItemOf(one, terms, length, input.score_breakdown ?? false));
  const { kept, cut } = fitAnswer(items, budgetOf(parts, input, warnings));
  return {
    ...scopeNotes(ranking),
    ...warnings,
    results: kept,
    token_estimate: {
      index: kept.reduce((sum, { snippet }) => sum + Math.floor(snippet.length / 4) + 10, 0),
      full: kept.reduce((sum, { estimated_tokens }) => sum + estimated_tokens, 0),
    },
    ...notesOf(ranking, kept, cut),
    ...notes,
  };
};

const found = async (parts: QueryParts, input: RecallInput, call: Call, topK: number, kind: 'recall' | 'recall_index') => {
  const started = performance.now();
  const question = {
    query: input.query,
    namespaces: input.namespaces,
    projects: input.project_filter,
    domains: input.domain_filter,
    topK,
    signal: call.signal,
  };
  if (input.as_of !== undefined) return foundEarlier(parts, { ...input, as_of: input.as_of }, call, question);
  const expands = input.expand_queries ?? parts.expansion.byDefault;
  const ranking: Ranking & Partial<Expanded> = expands ? await rankExpanded(parts, question) : await rank(parts, question);
  const reading = performance.now();
  const shown = await showable(parts, ranking.hits, topK);
  parts.observe('rows', performance.now() - reading);
  recordRecall(parts, {
    kind,
    actor: call.actor,
    query: input.query,
    results: shown.map(({ hit }) => ({ key: hit.key, score: hit.score, breakdown: hit.via?.parts ?? hit.parts, via: hit.via?.key })),
    model: ranking.search === 'fused' ? parts.index.serving?.model.id : undefined,
  });
  parts.observe('total', performance.now() - started);
  const nearest = shown.length > 0 || !hasRoomForNearest(input) ? [] : await showable(parts, ranking.nearest, NEAREST_SHOWN);
  const hidden = shown.length === 0 && ranking.hits.length > 0 && parts.index.suppressed.topics.size > 0;
  const warnings = warningsBeside(parts.index, question, ranking);
  const notes: RecallNotes = {
    ...(ranking.variants && ranking.variants.length > 0 && { expanded_queries: ranking.variants }),
    ...(ranking.stale && { stale: ranking.stale }),
    ...nearestOf(nearest),
    ...(hidden && { message: SUPPRESSED }),
  };
  return { shown, ranking, warnings, notes };
};

const foundEarlier = async (parts: QueryParts, input: RecallInput & { readonly as_of: string }, call: Call, question: Question) => {
  const { answer, as_of, beginning } = await recallEarlier(parts, input.as_of, call, question);
  const { nearest: found, ...rest } = answer;
  const nearest = hasRoomForNearest(input) ? found : [];
  return { ...rest, notes: { as_of, ...nearestOf(nearest), ...(beginning !== undefined && { message: beginning }) } };
};

/** Whether the caller's bound leaves room to name what came closest, under 100 tokens, beside saying that nothing matched. */
const hasRoomForNearest = ({ max_tokens = NEAREST_ROOM }: RecallInput): boolean => max_tokens >= NEAREST_ROOM;

/** What fell short of a match, by its first words. */
const nearestOf = (nearest: readonly Shown[]): Pick<RecallNotes, 'message' | 'nearest'> =>
  nearest.length === 0
    ? {}
    : {
        message: NEAREST,
        nearest: nearest.map(({ hit, row }) => ({
          key: hit.key,
          title: clip(row.title ?? row.content.slice(0, 4 * TITLE_LENGTH).replace(/\s+/g, ' '), TITLE_LENGTH),
          score: hit.score,
        })),
      };

/** Tokens for the results, once the warnings have theirs. */
const budgetOf = ({ maxTokens }: QueryParts, { max_tokens }: RecallInput, warnings: AbandonedWarnings): number =>
  Math.min(maxTokens, Math.max(200, (max_tokens ?? maxTokens) - estimateTokens(JSON.stringify(warnings))));

/** What is said of the filters. A domain that led nowhere is said before everything else. */
const scopeNotes = ({ scope: { domainNotice, routing, suggestion } }: Ranking): RecallNotes => ({
  ...(domainNotice !== undefined && { domain_filter_notice: domainNotice }),
  ...(routing && { domain_filter: shortRouting(routing) }),
  ...(suggestion && { project_suggestion: suggestion }),
});

const notesOf = (
  { search, note }: Ranking,
  kept: readonly { readonly key: string; readonly licence: RecallItem['licence'] }[],
  cut: readonly { readonly key: string }[],
): RecallNotes => {
  const notice = licenceNotice(kept);
  return {
    ...(kept.length === 0 && cut.length === 0 && { message: NOTHING }),
    ...(notice !== undefined && { licence_notice: notice }),
    search,
    ...(note !== undefined && { search_note: note }),
    ...(cut.length > 0 && {
      cut: { keys: cut.map(({ key }) => key), note: `${cut.length} more did not fit the token bound; recall_detail reads them by key.` },
    }),
  };
};

const itemOf = ({ hit, row }: Shown, breakdown: boolean): RecallItem => ({
  key: row.key,
  namespace: row.namespace,
  content: row.content,
  score: hit.score,
  state: row.state,
  ...(row.project !== undefined && { project: row.project }),
  ...(row.tags.length > 0 && { tags: row.tags }),
  created_at: row.created_at,
  licence: row.licence,
  ...(row.licence_note !== undefined && { licence_note: row.licence_note }),
  provenance: row.provenance,
  ...(hit.parts.reinstateCandidate && {
    reinstate_candidate: true as const,
    ...(row.deprioritised_reason !== undefined && { deprioritised_reason: row.deprioritised_reason }),
  }),
  ...(row.source_url !== undefined && { source_url: row.source_url }),
  ...(row.event_date !== undefined && { event_date: row.event_date }),
  ...(row.enriched_from !== undefined && { enriched_from: row.enriched_from }),
  ...(row.doc_id !== undefined && { doc_id: row.doc_id }),
  ...(row.effort_score !== undefined && { effort_score: row.effort_score }),
  ...(row.outcome !== undefined && { outcome: row.outcome }),
  ...(row.breakthrough !== undefined && { breakthrough: row.breakthrough }),
  ...(row.expires_at !== undefined && { expires_at: row.expires_at }),
  ...contradictionFields(hit.contradicts),
  ...(breakdown && { score_breakdown: partsOf(hit.parts) }),
});

const indexItemOf = ({ hit, row }: Shown, terms: readonly string[], length: number, breakdown: boolean): RecallIndexItem => ({
  key: row.key,
  namespace: row.namespace,
  snippet: passageAround(row.content, terms, length),
  score: hit.score,
  estimated_tokens: Math.floor(row.content.length / 4),
  ...(row.event_date !== undefined && { event_date: row.event_date }),
  state: row.state,
  ...(row.project !== undefined && { project: row.project }),
  ...(row.tags.length > 0 && { tags: row.tags }),
  licence: row.licence,
  ...(row.licence_note !== undefined && { licence_note: row.licence_note }),
  provenance: row.provenance,
  ...(hit.parts.reinstateCandidate && { reinstate_candidate: true as const }),
  ...contradictionFields(hit.contradicts),
  ...(breakdown && { score_breakdown: partsOf(hit.parts) }),
});

const partsOf = ({ similarity, vector, lexical, surface, recency, experience, temporal }: ScoreBreakdown): ScoreParts => ({
  similarity,
  ...(vector !== undefined && { vector }),
  ...(lexical !== undefined && { lexical }),
  surface,
  recency,
  experience,
  temporal,
});
