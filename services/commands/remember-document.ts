import { chunkText } from '../../domain/chunking.js';
import { DomainError } from '../../domain/errors.js';
import { memoryKey } from '../../domain/memory/key.js';
import { CHUNK_STRATEGIES, type Namespace } from '../../domain/vocabulary.js';
import type { Call, RememberDocumentInput, RememberDocumentResult } from '../api.js';
import { type Append, MAX_EVENTS } from '../eventlog/append.js';
import { textClaim } from './claims.js';
import { type Embedded, embedForWrite, vectorsOf } from './embed.js';
import { type Intake, intakeOf } from './intake.js';
import { relatedMemories } from './neighbours.js';
import { type CommandParts, notes, stampOf, visibility } from './parts.js';
import { filed } from './projects/filing.js';

type Chunk = { readonly content: string; readonly index: number; readonly claim: string; readonly embeddedAs: number };

/** Stores a document as one memory per chunk, all in one append; chunks the store has already are left out. */
export const rememberDocument = async (parts: CommandParts, input: RememberDocumentInput, call: Call): Promise<RememberDocumentResult> => {
  const { log, random } = parts;
  const strategy = input.chunk_strategy ?? 'paragraphs';
  if (!CHUNK_STRATEGIES.includes(strategy)) {
    throw new DomainError('VALIDATION', `chunk_strategy is not one of ${CHUNK_STRATEGIES.join(', ')}`, 'Leave it out for paragraphs');
  }
  const given = intakeOf(input, parts.defaultMode);
  const { mode, enrichment } = parts.enriching.decide(given.remembered, { force: input.force === true, document: true });
  const stamp = stampOf(parts, call);
  const first = stamp.repeatable ? await log.firstAnswer(stamp.commandId) : undefined;
  if (first) return { ...(first.result as StoredResult), ...(await visibility(parts, first)) };

  const texts = chunkText(given.remembered.content, strategy, input.chunk_size);
  if (texts.length > MAX_EVENTS) {
    throw new DomainError(
      'TOO_LARGE',
      `The document falls into ${texts.length} chunks, at most ${MAX_EVENTS} fit`,
      'Split it, or take larger chunks',
    );
  }
  call.progress?.('embedding the chunks', 0, texts.length);
  const embedded = texts.length > 0 ? await embedForWrite(parts, texts, call.signal) : { state: 'pending' as const };
  if (embedded.state === 'stored') await parts.noteModel(embedded.embedder.identity.id);
  await parts.fresh();
  const { input: remembered, note } = filed(parts, given.remembered);
  const intake = { ...given, remembered: { ...remembered, mode } };
  let chunks = await newChunks(parts, intake, texts, embedded);
  const doc_id = random.ulid(parts.now());

  for (;;) {
    const result = resultOf(intake, chunks.length > 0 ? doc_id : null, texts.length, chunks.length);
    if (chunks.length === 0) return { ...result, ...note };
    const keyed = chunks.map((chunk) => ({ chunk, key: memoryKey(intake.remembered.namespace, random.ulid(parts.now())) }));
    const stored = { ...result, keys: keyed.map(({ key }) => key), enrichment };
    const append: Append = {
      ...stamp,
      writes: keyed.map(({ chunk, key }) => ({
        subject: key,
        expected: 0,
        events: [
          {
            type: 'MemoryRemembered',
            data: { ...intake.remembered, content: chunk.content, doc_id, chunk_index: chunk.index, chunk_strategy: strategy },
          },
        ],
        claims: [{ claim: chunk.claim, mode: 'free' }],
        vectors: vectorsOf(embedded, chunk.embeddedAs),
      })),
      result: stored,
    };
    const answer = await log.append(append);
    if (answer.outcome === 'claimed') {
      // Another writer stored this very chunk meanwhile: it is a duplicate like the others.
      chunks = chunks.filter(({ claim }) => claim !== answer.claim);
      continue;
    }
    if (answer.outcome === 'appended' || answer.outcome === 'repeated') {
      return {
        ...(answer.result as StoredResult),
        ...note,
        ...notes(parts.enriching.note(enrichment, call)),
        ...(await visibility(parts, answer)),
      };
    }
    throw new DomainError('CONFLICT', 'The new keys were taken', 'Repeat the call');
  }
};

type StoredResult = RememberDocumentResult & Record<string, unknown>;

const newChunks = async (parts: CommandParts, intake: Intake, texts: readonly string[], embedded: Embedded): Promise<Chunk[]> => {
  const { namespace, project } = intake.remembered;
  const claims = texts.map((text) => textClaim(parts.log.salt, namespace, project, text));
  const holders = await parts.log.claimHolders(claims);
  const seen = new Set<string>();
  const chunks: Chunk[] = [];
  for (const [i, content] of texts.entries()) {
    const claim = claims[i] ?? '';
    if (holders[i] !== undefined || seen.has(claim)) continue;
    seen.add(claim);
    const related = await relatedMemories(parts, { namespace, project }, content, embedded, { textIndex: i, duplicatesOnly: true });
    if (related.some(({ neighbour }) => neighbour.relation === 'duplicate')) continue;
    chunks.push({ content, index: i, claim, embeddedAs: i });
  }
  return chunks;
};

const resultOf = (
  { remembered: { namespace, mode } }: { remembered: { namespace: Namespace; mode: 'full' | 'raw' } },
  doc_id: string | null,
  total: number,
  stored: number,
): RememberDocumentResult => ({
  doc_id,
  keys: [],
  chunks_stored: stored,
  chunks_total: total,
  duplicates_skipped: total - stored,
  namespace,
  mode,
  enrichment: 'none',
});
