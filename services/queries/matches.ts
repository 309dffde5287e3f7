import { asksNothing } from '../../domain/question.js';
import { isSameText, type Meant, meantBy } from '../../domain/similarity/meant.js';
import type { Namespace } from '../../domain/vocabulary.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import type { QueryParts } from './parts.js';
import { type RankedHit, rank } from './rank.js';
import { rowsOf } from './rows.js';

/** A memory that words may mean. `score`: its likeness by recall; 1 for the text itself. `meant` is undefined for one that is only like them. */
export type Match = { readonly key: string; readonly score: number; readonly meant: Meant | undefined };

/** Those whose text the words are; where there is none, those that say the same. What is only like a text that is there is another memory. */
export const saying = (matches: readonly Match[]): readonly Match[] => {
  const identical = matches.filter(({ meant }) => meant === 'identical');
  return identical.length > 0 ? identical : matches.filter(({ meant }) => meant === 'same');
};

export type MatchParts = QueryParts & {
  /** The claim on an exact text, as remembering makes it. */
  readonly claimOf: (salt: string, namespace: Namespace, project: string | undefined, content: string) => string;
};

/** Contract, section 4: the best three of recall. */
const SHOWN = 3;
/** Candidates of each namespace, and how many of the best are read: a text with the same words may rank before the text itself. */
const CANDIDATES = 50;
/** So many of the best are compared word by word. */
const COMPARED = 20;
const ORDER: readonly (Meant | undefined)[] = ['identical', 'same', 'part', undefined];

/**
 * What words in place of a key mean: every memory whose text they are, then the best of those that they mean in another way, then what
 * is only like them; three in all, or as many as have that text. Does not count as a recall. Without `includeArchived`, archived ones
 * are left out.
 */
export const bestMatches = async (parts: MatchParts, words: string, includeArchived: boolean): Promise<readonly Match[]> => {
  const { hits } = await rank(parts, { query: words, topK: CANDIDATES, anyState: includeArchived });
  const { documents, suppressed, serving } = parts.index;
  const thresholds = serving && (await parts.embedderFor(serving.model.id))?.identity.thresholds;
  const ranked = hits.flatMap((hit): RankedHit[] => (hit.via ? [hit, hit.via] : [hit])).slice(0, CANDIDATES);
  const places = new Map(ranked.map((hit, place) => [hit.key, { hit, place }]));
  const facts = new Set(ranked.flatMap(({ via }) => via?.key ?? []));
  // The contexts of projects are changed by their own tools.
  const holders = [...(await holdersOf(parts, words)), ...(includeArchived ? await archivedSaying(parts, words) : [])];
  const wanted = [...new Set([...holders, ...places.keys()])].filter((key) => {
    const document = documents.get(key);
    return document !== undefined && document.context === undefined && (includeArchived || document.state !== 'archived');
  });
  const rows = await rowsOf(parts, wanted);
  const found = wanted.flatMap((key): Match[] => {
    const content = rows.get(key)?.content;
    if (content === undefined) return [];
    if (isSameText(words, content)) return [{ key, score: 1, meant: 'identical' }];
    const { hit, place } = places.get(key) ?? {};
    if (hit === undefined || place === undefined || suppressed.matches(content) !== undefined) return [];
    const meant = place < COMPARED ? meantBy(words, content, hit.parts.vector, thresholds) : undefined;
    return meant === undefined && facts.has(key) ? [] : [{ key, score: hit.score, meant }];
  });
  const sorted = found.sort((a, b) => ORDER.indexOf(a.meant) - ORDER.indexOf(b.meant));
  return sorted.slice(0, Math.max(SHOWN, sorted.filter(({ meant }) => meant === 'identical').length));
};

/** Who holds the claim on this text, in every namespace and project: found whatever a search would rank before it. */
const holdersOf = async ({ index, log, claimOf }: MatchParts, text: string): Promise<readonly string[]> => {
  const claims = new Set<string>();
  const places = new Set<string>();
  for (const { namespace, project } of index.documents.values()) {
    const place = `${namespace} ${project ?? ''}`;
    if (places.has(place)) continue;
    places.add(place);
    claims.add(claimOf(log.salt, namespace, project, text));
  }
  const holders = await unavailableWhenDown(() => log.claimHolders([...claims]));
  return holders.filter((holder) => holder !== undefined);
};

/** Rows that are read at a time. */
const PAGE = 500;

/** An archived text has no claim, and one in which there is nothing to look for is not found by search: all archived ones are compared. */
const archivedSaying = async (parts: MatchParts, words: string): Promise<readonly string[]> => {
  if (!asksNothing(words)) return [];
  const archived = [...parts.index.documents.values()].filter(({ state }) => state === 'archived').map(({ key }) => key);
  const found: string[] = [];
  for (let from = 0; from < archived.length; from += PAGE) {
    const rows = await rowsOf(parts, archived.slice(from, from + PAGE));
    for (const [key, { content }] of rows) if (isSameText(words, content)) found.push(key);
  }
  return found;
};
