import { normalisedForIdentity } from '../../domain/content.js';
import { type Fact, rememberedFact } from '../../domain/enrichment/facts.js';
import type { Source } from '../../domain/enrichment/source.js';
import type { Remembered } from '../../domain/memory/events.js';
import { memoryKey } from '../../domain/memory/key.js';
import { classifyNeighbour } from '../../domain/similarity.js';
import { textClaim } from '../commands/claims.js';
import { type Embedded, embedForWrite, vectorsOf } from '../commands/embed.js';
import { relatedMemories } from '../commands/neighbours.js';
import type { CommandParts } from '../commands/parts.js';
import { filed } from '../commands/projects/filing.js';
import type { SubjectWrite } from '../eventlog/append.js';

/** A fact that is ready to be written, and the memory it came from. */
export type NewFact = {
  readonly key: string;
  readonly source: string;
  readonly remembered: Remembered;
  readonly claim: string;
  /** Stored although another holds its claim, since that one is out of recall. */
  readonly claimed: boolean;
  readonly vectors: SubjectWrite['vectors'];
};

/** An earlier fact of one of the sources that still counts. */
export type OldFact = { readonly key: string; readonly source: string; readonly version: number; readonly claim: string };

export type Sifted = {
  readonly fresh: readonly NewFact[];
  /** Old facts that the new wording says as well. */
  readonly kept: ReadonlySet<string>;
  readonly skipped: number;
};

/**
 * Sorts out what the store knows already: a fact equal to its source, or one that says what an active memory of its
 * namespace and project says. A fact that an old one of the same source says keeps the old one.
 */
export const siftFacts = async (
  parts: CommandParts,
  sources: readonly Source[],
  facts: readonly Fact[],
  old: readonly OldFact[],
  signal: AbortSignal,
): Promise<Sifted> => {
  const ofSource = facts.flatMap((fact) => {
    const source = sources.length === 1 ? sources[0] : sources[(fact.chunk ?? 0) - 1];
    return source && !repeatsSource(fact, source) ? [{ source, remembered: filed(parts, rememberedFact(source, fact)).input }] : [];
  });
  const embedded: Embedded =
    ofSource.length === 0
      ? { state: 'pending' }
      : await embedForWrite(
          parts,
          ofSource.map(({ remembered }) => remembered.content),
          signal,
        );
  if (embedded.state === 'stored') await parts.noteModel(embedded.embedder.identity.id);
  await parts.fresh();
  const kept = new Set<string>();
  const fresh: (NewFact & { readonly place: number })[] = [];
  for (const [place, { source, remembered }] of ofSource.entries()) {
    const { namespace, project, content } = remembered;
    const claim = textClaim(parts.log.salt, namespace, project, content);
    const [holder] = await parts.log.claimHolders([claim]);
    const related = await relatedMemories(parts, { namespace, project }, content, embedded, { textIndex: place, duplicatesOnly: true });
    const twins = related.filter(({ key, neighbour }) => neighbour.relation === 'duplicate' && !isOutOfRecall(parts, key));
    const known = holder !== undefined && !isOutOfRecall(parts, holder) ? holder : twins[0]?.key;
    if (known !== undefined) {
      if (old.some(({ key }) => key === known)) kept.add(known);
      continue;
    }
    if (fresh.some((other) => sameFact(parts, embedded, { remembered, place }, other))) continue;
    const key = memoryKey(namespace, parts.random.ulid(parts.now()));
    const vectors = vectorsOf(embedded, place);
    fresh.push({ key, source: source.key, remembered, claim, claimed: holder !== undefined, vectors, place });
  }
  return { fresh, kept, skipped: facts.length - fresh.length };
};

/** A preference is worth having in its namespace even where a memory says just that. */
const repeatsSource = ({ kind, text }: Fact, { memory }: Source): boolean =>
  kind === 'fact' && normalisedForIdentity(text) === normalisedForIdentity(memory.content);

/** Whether recall leaves a memory out: archived, or a fact whose source is. */
const isOutOfRecall = ({ index }: CommandParts, key: string): boolean => {
  const document = index.documents.get(key);
  const source = document?.enrichedFrom === undefined ? undefined : index.documents.get(document.enrichedFrom);
  return document?.state === 'archived' || source?.state === 'archived';
};

type Placed = Pick<NewFact, 'remembered'> & { readonly place: number };

const sameFact = (parts: CommandParts, embedded: Embedded, a: Placed, b: Placed): boolean => {
  if (embedded.state !== 'stored' || a.remembered.namespace !== b.remembered.namespace) return false;
  const [x, y] = [embedded.windows[a.place]?.[0], embedded.windows[b.place]?.[0]];
  const cosine = x && y ? x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0) : 0;
  const { relation } = classifyNeighbour(a.remembered.content, b.remembered.content, cosine, parts.thresholds(embedded.embedder));
  return relation === 'duplicate';
};
