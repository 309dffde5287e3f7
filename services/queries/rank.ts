import { parseQuery, QUERY_LENGTH } from '../../domain/content.js';
import { DomainError, isDomainError } from '../../domain/errors.js';
import { type FusedHit, HALF_READ_LEXICAL_WEIGHT } from '../../domain/fusion.js';
import { isScriptRead } from '../../domain/legibility.js';
import {
  type Bar,
  type Candidate,
  isByTagAlone,
  MOST_BY_TAG,
  matchesAmong,
  nearestAmong,
  scoreOf,
  TAGGED_SCORE,
} from '../../domain/matching.js';
import { parseProjectName } from '../../domain/project/name.js';
import { type Scope, scopeOf } from '../../domain/project/scope.js';
import { asksNothing } from '../../domain/question.js';
import { byScoreThenKey, type ScoreBreakdown, scoreMemory } from '../../domain/scoring.js';
import { tagsAsked } from '../../domain/tags-asked.js';
import { dateHint } from '../../domain/temporal.js';
import { foreignLanguage } from '../../domain/text/languages.js';
import { NAMESPACES, type Namespace, type State } from '../../domain/vocabulary.js';
import { type Document, hasExpired } from '../../projections/recall/document.js';
import type { RecallIndex } from '../../projections/recall/recall-index.js';
import type { VectorSpace } from '../../projections/recall/space.js';
import { hybridSearch } from '../../projections/search/hybrid.js';
import type { ModelIdentity } from '../embedding/port.js';
import { openContradictions } from './contradictions.js';
import type { QueryParts, RecallStage, Stale } from './parts.js';
import { embedQuestion, isHalfRead } from './query-vectors.js';

/** What a ranking looks at: the recall index, or the state of an earlier moment. */
export type Searched = Pick<RecallIndex, 'documents' | 'graveyard' | 'hinted' | 'projects' | 'words' | 'serving' | 'suppressed'>;

export type RankParts = Omit<QueryParts, 'index'> & { readonly index: Searched };

export type Question = {
  readonly query: string;
  readonly namespaces?: readonly string[] | undefined;
  readonly projects?: string | readonly string[] | undefined;
  /** Kinds of work that lead to the projects which declare them. */
  readonly domains?: string | readonly string[] | undefined;
  readonly topK: number;
  readonly signal?: AbortSignal | undefined;
  /** Looks among archived memories too, and ranks by similarity alone. */
  readonly anyState?: boolean;
  /** A rephrasing of what was asked: no hint is met by it. */
  readonly isVariant?: boolean;
};

export type RankedHit = {
  readonly key: string;
  readonly score: number;
  readonly parts: ScoreBreakdown;
  /** The part of a long text that matched best, when vectors found it. */
  readonly window: number | undefined;
  /** Keys of active memories that contradict it. */
  readonly contradicts: readonly string[];
  /** The fact drawn from it whose better score it was given. */
  readonly via?: RankedHit;
};

export type Ranking = {
  readonly hits: readonly RankedHit[];
  /** Where nothing matches: what is not far from it, the most relevant first. */
  readonly nearest: readonly RankedHit[];
  readonly search: 'fused' | 'lexical';
  readonly note: string | undefined;
  readonly stale: Stale | undefined;
  /** What was looked at, and what became of the filters. */
  readonly scope: Scope;
};

const EMBED_PATIENCE_MS = 5_000;

/**
 * The ranking behind every recall, over views that have met the log's head (else `stale` says so): candidates by vectors and
 * by words from each namespace, fused to one similarity, cut at the floor, multiplied as the specification says, a fact
 * behind its own source left out, best first, ties by key.
 */
export const rank = async (parts: RankParts, question: Question): Promise<Ranking> => {
  const query = parseQuery(question.query);
  const namespaces = parseNamespaces(question.namespaces);
  const named = parseProjects(question.projects);
  const { index, now } = parts;

  const [eye, stale] = await Promise.all([
    observed(parts, 'embed', asksNothing(query) ? NOTHING_ASKED : queryVector(parts, query, question.signal)),
    observed(parts, 'wait', parts.fresh()),
  ]);
  const scope = scopeOf(index.projects, { projects: named, domains: question.domains });
  const projects = scope.names;
  if (projects?.length === 0) {
    const note = named?.length === 0 ? 'No project was named, so none was searched.' : undefined;
    return { hits: [], nearest: [], search: 'lexical', note, stale, scope };
  }
  const searching = performance.now();

  const states: readonly State[] = question.anyState ? ['active', 'deprioritised', 'archived'] : ['active', 'deprioritised'];
  const filter = { states, ...(projects && { projects }) };
  const k = candidates(question.topK, projects);
  const text = eye === NOTHING_ASKED ? '' : query;
  let sight: Eye = eye;
  const look = (): Promise<FusedHit[][]> =>
    Promise.all(
      namespaces.map((namespace) =>
        hybridSearch(sight.space?.index(namespace), index.words(namespace), {
          text,
          vector: sight.vector,
          ending: sight.ending,
          candidates: k,
          filter,
          wordsWeigh: isHalfRead(query) ? HALF_READ_LEXICAL_WEIGHT : undefined,
        }),
      ),
    );
  const found = (
    await look().catch((error: unknown) => {
      if (!sight.vector || !isDomainError(error, 'UNAVAILABLE')) throw error;
      parts.onTrouble('the vectors could not be searched', error);
      sight = { note: `${error.message}; this was a search by words only.` };
      return look();
    })
  ).flat();
  const mode = sight.vector ? 'fused' : 'lexical';
  const scoring = performance.now();
  parts.observe('search', scoring - searching);

  const bar: Bar = {
    fused: parts.floor(sight.model),
    lexical: parts.floor(),
    isForeign: foreignLanguage(query) !== undefined,
    isExact: IDENTIFIER.test(query.trim()),
    isHalfRead: isHalfRead(query),
  };
  const moment = now();
  const mayShow = (document: Document): boolean => question.anyState === true || !hasExpired(document, moment);
  const tagged = tagsAsked(text);
  const held: Found[] = [];
  for (const hit of found) {
    const document = index.documents.get(hit.key);
    if (!document || !mayShow(document)) continue;
    held.push({ document, hit, isUnread: document.isUnread === true, tagged: document.tags ? tagged(document.tags) : 'nothing' });
  }
  const matches = matchesAmong(held, bar);
  const scorable: Scorable[] = [];
  const consider = (document: Document, hit: FusedHit | undefined, similarity: number, isMatch: boolean): void => {
    scorable.push({ document: asItsSource(index, document), hit, similarity, isMatch });
  };
  // Only a hint can lift what is below the floor; most candidates are, so they are not scored at all.
  const hinted = question.isVariant ? NOTHING : index.hinted.met(query);
  const byTag = [...matches].filter((candidate) => isByTagAlone(candidate, bar) && !hinted.has(candidate.hit.key));
  for (const candidate of held) {
    if (byTag.includes(candidate)) continue;
    const isMatch = matches.has(candidate);
    if (isMatch || hinted.has(candidate.hit.key)) consider(candidate.document, candidate.hit, scoreOf(candidate), isMatch);
  }
  if (hinted.size > 0) {
    const known = new Set(found.map(({ key }) => key));
    for (const key of hinted) {
      const document = known.has(key) ? undefined : index.documents.get(key);
      if (document && mayShow(document) && isLookedAt(document, namespaces, projects)) consider(document, undefined, 0, false);
    }
  }
  const shelf: Shelved[] = byTag;
  // The searches look at texts only: what is named by its tags alone may not be among what they found.
  if (matches.size === byTag.length && text !== '') {
    const known = new Set(byTag.map(({ document }) => document.key));
    for (const document of index.documents.values()) {
      if (!document.tags || hinted.has(document.key) || known.has(document.key) || !states.includes(document.state)) continue;
      if (tagged(document.tags) !== 'all' || !isLookedAt(document, namespaces, projects) || !mayShow(document)) continue;
      shelf.push({ document, hit: undefined });
    }
  }
  shelf.sort(byStandingThenAge);
  for (const one of shelf.slice(0, MOST_BY_TAG)) consider(one.document, one.hit, standingOf(one), true);
  // Reading a date out of a query takes as long as searching a graph.
  const dated = scorable.some(({ document }) => document.eventDate !== undefined);
  const occasion = { now: moment, dateHint: dated ? dateHint(query, moment) : undefined };
  const hitOf = ({ document, hit, similarity }: Omit<Scorable, 'isMatch'>): RankedHit => {
    const { key } = document;
    const evidence = { similarity, lexical: hit?.lexical, vector: hit?.cosine, meetsHint: hinted.has(key) };
    const scored = scoreMemory(document, evidence, occasion, parts.scoring);
    const contradicts = document.contradicts ? openContradictions(index.documents, key) : UNCONTRADICTED;
    return { key, score: question.anyState ? scored.similarity : scored.score, parts: scored, window: hit?.window, contradicts };
  };
  const hits: RankedHit[] = [];
  let facts = false;
  for (const one of scorable) {
    const hit = hitOf(one);
    if (hit.score <= 0 || !(one.isMatch || hit.parts.reinstateCandidate)) continue;
    hits.push(hit);
    facts ||= one.document.enrichedFrom !== undefined;
  }
  const ranked = (facts ? withoutFactsBehindSources(parts, hits) : hits).sort(byScoreThenKey);
  parts.observe('score', performance.now() - scoring);
  const cut = question.query.trim().length > QUERY_LENGTH ? CUT : undefined;
  const nearest = hits.length > 0 ? [] : nearestAmong(held, bar).slice(0, NEAREST_LOOKED_AT);
  return {
    hits: ranked,
    nearest: nearest.map(({ document, hit }) => hitOf({ document, hit, similarity: hit.score })),
    search: mode,
    note: joined(sight.note, cut, shelf.length > 0 ? BY_TAG : undefined),
    stale,
    scope,
  };
};

/** What the searches found. */
type Found = Candidate & { readonly document: Document; readonly hit: FusedHit };

/** What was found by its tags alone, by the searches or beside them. */
type Shelved = { readonly document: Document; readonly hit: FusedHit | undefined };

const standingOf = ({ hit }: Shelved): number => Math.max(hit?.score ?? 0, TAGGED_SCORE);

/** The newest first where nothing but the tag tells them apart. */
const byStandingThenAge = (a: Shelved, b: Shelved): number =>
  standingOf(b) - standingOf(a) || b.document.createdAt - a.document.createdAt || (a.document.key < b.document.key ? -1 : 1);

/** What may be shown; `isMatch`: by its evidence, without a hint. */
type Scorable = {
  readonly document: Document;
  readonly hit: FusedHit | undefined;
  readonly similarity: number;
  readonly isMatch: boolean;
};

/** Some of the nearest may speak of suppressed topics. */
const NEAREST_LOOKED_AT = 6;

const UNCONTRADICTED: readonly string[] = [];
const NOTHING: ReadonlySet<string> = new Set();

/** One token with a digit, an underscore, a slash, an at sign or a capital inside: an error code, a path, a function. */
const IDENTIFIER = /^(?=.*[\d_/@]|.*[a-z][A-Z])[!-~]+$/;

const observed = async <T>({ observe }: RankParts, stage: RecallStage, work: Promise<T> | T): Promise<T> => {
  const begun = performance.now();
  const result = await work;
  observe(stage, performance.now() - begun);
  return result;
};

/** k of the specification: at least 20 for each namespace, 50 under a project filter, 10 more for each further project up to 100. */
const candidates = (topK: number, projects: readonly string[] | undefined): number =>
  projects ? Math.max(topK, Math.min(100, 50 + 10 * (projects.length - 1))) : Math.max(20, topK);

const CUT = `Only the first ${QUERY_LENGTH.toLocaleString('en-GB')} characters of the query were read.`;

const BY_TAG = `The query is a tag: memories that carry it, at most ${MOST_BY_TAG}, are found by it alone and not by their texts.`;

const joined = (...notes: readonly (string | undefined)[]): string | undefined =>
  notes.filter((note) => note !== undefined).join(' ') || undefined;

const UNREAD = 'The embedding model does not read the script of this query; this was a search by words only.';

type Eye = {
  readonly vector?: Float32Array;
  readonly ending?: Float32Array | undefined;
  readonly space?: VectorSpace;
  /** The model of the space, with its own floor. */
  readonly model?: ModelIdentity;
  readonly note: string | undefined;
};

const NOTHING_ASKED: Eye = { note: 'The query names nothing to look for: only function words, zero or a signed figure, or signs.' };

const queryVector = async (parts: RankParts, query: string, signal: AbortSignal | undefined): Promise<Eye> => {
  const space = parts.index.serving;
  const embedder = space && (await parts.embedderFor(space.model.id));
  if (!space || !embedder) return { note: parts.lexicalBecause() };
  if (!isScriptRead(query)) return { note: UNREAD };
  const patience = AbortSignal.timeout(EMBED_PATIENCE_MS);
  try {
    const { vector, ending, note } = await embedQuestion(embedder, query, {
      signal: signal ? AbortSignal.any([signal, patience]) : patience,
    });
    const pending = space.missing.size;
    const missing = pending > 0 ? `${pending} memories have no vector yet; they are found by their words only.` : undefined;
    return { vector, ending, space, model: embedder.identity, note: joined(parts.vectorsNote(space.model), missing, note) };
  } catch (error) {
    signal?.throwIfAborted();
    parts.onTrouble('the query could not be embedded', error);
    return { note: 'The embedding model did not answer; this was a search by words only.' };
  }
};

const isLookedAt = (document: Document, namespaces: readonly Namespace[], projects: readonly string[] | undefined): boolean => {
  if (!namespaces.includes(document.namespace)) return false;
  return !projects || (document.project !== undefined && projects.includes(document.project));
};

/** A fact counts for no more than its source does now: put aside with it, and out of recall with it. */
const asItsSource = ({ documents }: Searched, fact: Document): Document => {
  const source = fact.state === 'active' && fact.enrichedFrom !== undefined ? documents.get(fact.enrichedFrom) : undefined;
  return source === undefined || source.state === 'active' ? fact : { ...fact, state: source.state };
};

/** Verbatim carries more than what was drawn from it: the fact goes, and its source takes the better score of the two. */
export const withoutFactsBehindSources = ({ index }: RankParts, hits: readonly RankedHit[]): RankedHit[] => {
  const byKey = new Map(hits.map((hit) => [hit.key, hit]));
  for (const fact of hits) {
    const sourceKey = index.documents.get(fact.key)?.enrichedFrom;
    const source = sourceKey === undefined ? undefined : byKey.get(sourceKey);
    if (!source) continue;
    byKey.delete(fact.key);
    if (fact.score > source.score) byKey.set(source.key, { ...source, score: fact.score, via: fact });
  }
  return [...byKey.values()];
};

const parseNamespaces = (names: readonly string[] | undefined): readonly Namespace[] => {
  if (names === undefined) return NAMESPACES;
  const unknown = names.find((name) => !(NAMESPACES as readonly string[]).includes(name));
  if (unknown !== undefined || names.length === 0) {
    throw new DomainError(
      'VALIDATION',
      `namespaces must name some of ${[...NAMESPACES].sort().join(', ')}`,
      'Leave it out to search all of them',
    );
  }
  return NAMESPACES.filter((namespace) => names.includes(namespace));
};

const parseProjects = (projects: string | readonly string[] | undefined): readonly string[] | undefined =>
  projects === undefined ? undefined : (typeof projects === 'string' ? [projects] : projects).map(parseProjectName);
