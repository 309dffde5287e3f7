import { memoryKey } from '../../domain/memory/key.js';
import { memoryDecider } from '../../domain/memory/memory.js';
import { clip } from '../../domain/passage.js';
import type { Namespace } from '../../domain/vocabulary.js';
import type { Call, Enriching, RememberInput, RememberResult } from '../api.js';
import { handleCommand, stateOf } from '../eventlog/handle.js';
import { textClaim } from './claims.js';
import { embedForWrite, vectorsOf } from './embed.js';
import { intakeOf, refusePastExpiry } from './intake.js';
import { type Related, relatedMemories } from './neighbours.js';
import { type CommandParts, notes, stampOf, visibility } from './parts.js';
import { filed } from './projects/filing.js';

const SHOWN = 80;
const SHOWN_WARNING = 200;
const STRIPPED = 'The content held recalled text; its framing was left out. Text that is in memory already need not be remembered again.';

/** Stores one text as a new memory, unless the store says it already. Throws VALIDATION, TOO_LARGE, UNAVAILABLE. */
export const remember = async (parts: CommandParts, input: RememberInput, call: Call): Promise<RememberResult> => {
  const { log, random } = parts;
  const { remembered: given, strippedRecall } = intakeOf(input, parts.defaultMode);
  const { namespace, content } = given;
  const stamp = stampOf(parts, call);
  const first = stamp.repeatable ? await log.firstAnswer(stamp.commandId) : undefined;
  if (first) return { ...storedResult(first.result as StoredResult), ...(await visibility(parts, first)) };
  refusePastExpiry(given.expires_at, parts.now());

  const embedded = await embedForWrite(parts, [content], call.signal);
  const force = input.force === true;
  const { mode, enrichment } = parts.enriching.decide(given, { force });
  if (!force) await parts.fresh();
  const { input: remembered, note } = filed(parts, given);
  const { project } = remembered;
  const related = force ? [] : await relatedMemories(parts, { namespace, project }, content, embedded);
  const duplicate = related.find(({ neighbour }) => neighbour.relation === 'duplicate');
  if (duplicate) return duplicateOf(duplicate);
  const flagged = related.filter(({ neighbour }) => neighbour.relation !== 'duplicate');

  const key = memoryKey(namespace, random.ulid(parts.now()));
  const warning = warningOf(flagged[0]);
  const result: StoredResult = {
    key,
    namespace,
    embedding: embedded.state,
    enrichment,
    ...(flagged[0] && { related: relationOf(flagged[0]) }),
  };
  if (embedded.state === 'stored') await parts.noteModel(embedded.embedder.identity.id);
  const outcome = await handleCommand(log, memoryDecider, [key], stamp, ([memory]) => ({
    writes: [
      {
        subject: key,
        events: memoryDecider.decide(
          {
            type: 'RememberMemory',
            data: { ...remembered, mode, ...(flagged.length > 0 && { flagged_against: flagged.map((other) => other.key) }) },
          },
          memory?.state ?? memoryDecider.initialState(),
        ),
        claims: [{ claim: textClaim(log.salt, namespace, project, content), mode: force ? 'ifFree' : 'free' }],
        vectors: vectorsOf(embedded, 0),
      },
    ],
    result,
  }));
  if ('claimedBy' in outcome) return duplicateOf(await claimant(parts, outcome.claimedBy));
  return {
    ...storedResult(outcome.result as StoredResult),
    ...(warning && { contradiction_warning: warning }),
    ...(strippedRecall.length > 0 && { stripped_recall: strippedRecall }),
    ...note,
    ...notes(strippedRecall.length > 0 ? STRIPPED : undefined, parts.enriching.note(enrichment, call)),
    ...(await visibility(parts, outcome.appended)),
  };
};

type StoredResult = {
  readonly key: string;
  readonly namespace: Namespace;
  readonly embedding: 'stored' | 'pending' | 'off';
  readonly enrichment: Enriching;
  readonly related?: { readonly key: string; readonly similarity: number };
};

const storedResult = ({ key, namespace, embedding, enrichment }: StoredResult) => ({
  status: 'stored' as const,
  key,
  namespace,
  embedding,
  enrichment,
});

const relationOf = ({ key, similarity }: Related) => ({ key, similarity });

const warningOf = (related: Related | undefined) =>
  related && {
    existing_key: related.key,
    existing_content: clip(related.content, SHOWN_WARNING),
    similarity: round4(related.similarity),
    explanation: `${related.neighbour.explanation} Both are kept; if the new one corrects the old one, call revise or deprioritise with key ${related.key}.`,
  };

const duplicateOf = ({ key, content, similarity }: Pick<Related, 'key' | 'content' | 'similarity'>): RememberResult => ({
  status: 'duplicate_found',
  existing_key: key,
  existing_content: clip(content, SHOWN),
  similarity: round4(similarity),
  hint: 'Nothing was stored. To replace the text call revise with existing_key; to store it all the same pass force: true.',
});

const claimant = async ({ log }: CommandParts, key: string): Promise<Pick<Related, 'key' | 'content' | 'similarity'>> => {
  const [history] = await log.load([key]);
  const state = history && stateOf(memoryDecider, history).state;
  return { key, content: state && 'content' in state ? state.content : '', similarity: 1 };
};

const round4 = (value: number): number => Math.round(value * 1e4) / 1e4;
