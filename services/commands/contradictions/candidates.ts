import { isQueryRead } from '../../../domain/legibility.js';
import { isMemoryKey } from '../../../domain/memory/key.js';
import type { Namespace } from '../../../domain/vocabulary.js';
import type { Document } from '../../../projections/recall/document.js';
import { readVectors } from '../../../projections/recall/vector-cache.js';
import { eyesOf, nearest as nearestTo } from '../../../projections/search/hybrid.js';
import { embedQuestion } from '../../queries/query-vectors.js';
import { rowsOf } from '../../queries/rows.js';
import { unavailableWhenDown } from '../../valkey/errors.js';
import type { CommandParts } from '../parts.js';

/** Memories that are compared with each other. */
export type Candidate = {
  readonly key: string;
  readonly content: string;
  readonly document: Document;
  readonly docId: string | undefined;
  /** Of the present text; none while they are pending. */
  readonly vectors: readonly Float32Array[];
};

export type Scope = {
  readonly namespace: Namespace;
  /** Every name of the one project that is looked at; absent: all projects. */
  readonly projects: readonly string[] | undefined;
};

const NEAREST = 20;
const NEWEST = 200;
/** The first parts of a long text; comparing all with all grows with the square. */
const WINDOWS = 4;

/** Active memories of a scope that recall would show, newest first. */
export const activeDocuments = ({ index, now }: CommandParts, { namespace, projects }: Scope): readonly Document[] =>
  [...index.documents.values()]
    .filter(
      ({ key, namespace: own, state, project, expiresAt }) =>
        isMemoryKey(key) &&
        own === namespace &&
        state === 'active' &&
        (projects === undefined || (project !== undefined && projects.includes(project))) &&
        !(expiresAt !== undefined && expiresAt <= now()),
    )
    .sort((a, b) => b.createdAt - a.createdAt || (a.key < b.key ? 1 : -1));

/** The memories nearest to a query, or the newest ones of a scope, with their texts and vectors. */
export const candidatesOf = async (
  parts: CommandParts,
  scope: Scope,
  query: string | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly Candidate[]> => {
  const active = activeDocuments(parts, scope);
  return withTexts(parts, query === undefined ? active.slice(0, NEWEST) : await nearest(parts, scope, active, query, signal));
};

const nearest = async (
  parts: CommandParts,
  { namespace, projects }: Scope,
  active: readonly Document[],
  query: string,
  signal: AbortSignal | undefined,
): Promise<readonly Document[]> => {
  const { index } = parts;
  const filter = { states: ['active'] as const, ...(projects && { projects }) };
  const eyes = await queryVectors(parts, query, signal);
  const hits =
    eyes && index.serving
      ? await nearestTo(index.serving.index(namespace), eyes, NEAREST, filter)
      : index.words(namespace).search(query, NEAREST, filter);
  const byKey = new Map(active.map((document) => [document.key, document]));
  return hits.flatMap(({ key }) => byKey.get(key) ?? []);
};

/** As recall reads a query: a long one by its beginning and by its end. */
const queryVectors = async ({ index, embedder: ready }: CommandParts, query: string, signal: AbortSignal | undefined) => {
  const embedder = ready();
  if (!isQueryRead(query) || embedder === 'off' || embedder === undefined || index.serving?.model.id !== embedder.identity.id)
    return undefined;
  try {
    const { vector, ending } = await embedQuestion(embedder, query, signal && { signal });
    return eyesOf(vector, ending);
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
};

/** Texts and vectors of memories, as far as they have a row and speak of no suppressed topic. */
export const withTexts = async (parts: CommandParts, documents: readonly Document[]): Promise<readonly Candidate[]> => {
  const { redis, keys, index } = parts;
  const { matches } = index.suppressed;
  const wanted = documents.map(({ key }) => key);
  const space = index.serving;
  const [rows, vectors] = await Promise.all([
    rowsOf(parts, wanted),
    space ? unavailableWhenDown(() => readVectors(redis, keys, space.model, wanted)) : [],
  ]);
  return documents.flatMap((document, i) => {
    const row = rows.get(document.key);
    if (row?.state !== 'active' || matches(row.content) !== undefined) return [];
    const cached = vectors[i];
    return [
      {
        key: document.key,
        content: row.content,
        document,
        docId: row.doc_id,
        vectors: cached?.contentVersion === row.content_version ? cached.vectors.slice(0, WINDOWS) : [],
      },
    ];
  });
};
