import { DomainError } from '../../domain/errors.js';
import { licenceNotice } from '../../domain/licence.js';
import { RANGES, withinRange } from '../../domain/range.js';
import { LIMITS } from '../../domain/vocabulary.js';
import type { MemoryRow } from '../../projections/memories.js';
import { newestFirst, recent, recentRows } from '../../projections/recent.js';
import { readView } from '../../projections/view.js';
import type { Call, RecentKnowledgeInput, RecentKnowledgeItem, RecentKnowledgeResult } from '../api.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import { fitAnswer } from './fit.js';
import type { QueryParts } from './parts.js';
import { rowsOf } from './rows.js';

const DAY = 86_400_000;
const DEFAULT_DAYS = 7;
const DEFAULT_LIMIT = 20;
const PAGE = 200;

/**
 * Active knowledge written or revised in the last days, newest first; what has expired or speaks of a suppressed topic is
 * left out. Throws VALIDATION for an empty topic, or too many.
 */
export const recentKnowledge = async (parts: QueryParts, input: RecentKnowledgeInput, _call: Call): Promise<RecentKnowledgeResult> => {
  const days = withinRange('days', input.days ?? DEFAULT_DAYS, RANGES.knowledgeDays);
  const limit = withinRange('limit', input.limit ?? DEFAULT_LIMIT, RANGES.knowledgeLimit);
  const wanted = topicFilter(input.topics);
  if (input.feed_name !== undefined) {
    // Articles are what comes from feeds, and none can be in the log before feeds are.
    return {
      results: [],
      message: `Nothing here came from a feed, so nothing from ${JSON.stringify(input.feed_name.slice(0, 100))}; leave feed_name out.`,
    };
  }
  const stale = await parts.fresh();
  const now = parts.now();
  const since = new Date(now - days * DAY).toISOString();
  const { matches } = parts.index.suppressed;

  const shown: RecentKnowledgeItem[] = [];
  let more = false;
  for (let offset = 0; !more; offset += PAGE) {
    const page = await unavailableWhenDown(() =>
      readView(parts.redis, parts.keys, recent, (view) => newestFirst(view, recentRows.knowledge, { since, offset, limit: PAGE })),
    );
    const rows = await rowsOf(
      parts,
      page.map(({ key }) => key),
    );
    for (const { key } of page) {
      const row = rows.get(key);
      if (!row || isExpired(row, now) || !wanted(row) || matches(row.content) !== undefined) continue;
      if (shown.length === limit) {
        more = true;
        break;
      }
      shown.push(itemOf(row));
    }
    if (page.length < PAGE) break;
  }
  const budget = Math.min(parts.maxTokens, Math.max(200, input.max_tokens ?? parts.maxTokens));
  const { kept, cut } = fitAnswer(shown, budget);
  const notice = licenceNotice(kept);
  return {
    results: kept,
    ...(shown.length === 0 && { message: `No knowledge of the last ${days} days${input.topics ? ' has one of these topics' : ''}.` }),
    ...(more && { more: true as const }),
    ...(notice !== undefined && { licence_notice: notice }),
    ...(stale && { stale }),
    ...(cut.length > 0 && { cut: { keys: cut.map(({ key }) => key), note: 'These did not fit; recall_detail reads them by key.' } }),
  };
};

const isExpired = ({ expires_at }: MemoryRow, now: number): boolean => expires_at !== undefined && Date.parse(expires_at) <= now;

const topicFilter = (topics: readonly string[] | undefined): ((row: MemoryRow) => boolean) => {
  if (topics === undefined || topics.length === 0) return () => true;
  const asked = new Set(topics.map(folded));
  if (asked.has('') || asked.size > LIMITS.tags) {
    throw new DomainError(
      'VALIDATION',
      `topics must name 1 to ${LIMITS.tags} topics, none of them empty`,
      'Leave topics out for all of them',
    );
  }
  return (row) => row.tags.some((tag) => asked.has(folded(tag)));
};

const folded = (text: string): string => text.trim().toLowerCase();

const itemOf = (row: MemoryRow): RecentKnowledgeItem => ({
  key: row.key,
  ...(row.title !== undefined && { title: row.title }),
  content: row.content,
  ...(row.source_url !== undefined && { source_url: row.source_url }),
  ...(row.project !== undefined && { project: row.project }),
  ...(row.tags.length > 0 && { topics: row.tags }),
  created_at: row.created_at,
  ...(row.event_date !== undefined && { event_date: row.event_date }),
  ...(row.expires_at !== undefined && { expires_at: row.expires_at }),
  ...(row.enriched_from !== undefined && { enriched_from: row.enriched_from }),
  licence: row.licence,
  ...(row.licence_note !== undefined && { licence_note: row.licence_note }),
  provenance: row.provenance,
});
