import { z } from 'zod';
import { type Fact, factsIn } from '../../domain/enrichment/facts.js';
import type { Source } from '../../domain/enrichment/source.js';
import type { Model } from '../llm/port.js';
import { QUOTED_IS_DATA, quoted } from '../llm/quote.js';

/** UTF-16 units of a memory that the model reads (contract 19.4). */
const READ_LENGTH = 12_000;
/** Tokens that the model may answer about one memory, and about all chunks of a document. */
const MAX_TOKENS = { one: 2_048, document: 8_192 } as const;
/** Facts of one answer about a document, whatever the number of its chunks. */
const MAX_FACTS_OF_DOCUMENT = 100;

const Items = z.union([z.array(z.unknown()), z.object({ facts: z.array(z.unknown()) }).transform(({ facts }) => facts)]);

/** What a model drew from one memory, or from the chunks of one document; each fact of a document names its chunk. */
export const extractFacts = async (
  model: Model,
  sources: readonly Source[],
  maxFacts: number,
  signal: AbortSignal,
): Promise<{ readonly facts: readonly Fact[]; readonly skipped: number }> => {
  const many = sources.length > 1;
  const limit = many ? Math.min(MAX_FACTS_OF_DOCUMENT, maxFacts * sources.length) : maxFacts;
  const { value } = await model.complete({
    purpose: 'extraction',
    system: systemPrompt(many, limit),
    prompt: promptOf(sources),
    maxTokens: many ? MAX_TOKENS.document : MAX_TOKENS.one,
    schema: Items,
    signal,
  });
  return factsIn(value, limit);
};

const systemPrompt = (many: boolean, limit: number): string => `You draw facts from what a software team keeps in its memory.
Answer with a JSON array and nothing else, without a code fence: [{"text": "…", "kind": "fact" or "preference", "event_date": "YYYY-MM-DD"${many ? ', "chunk": number' : ''}}].
text is one atomic statement that can be understood alone: it names its subject, keeps exact names, numbers and identifiers, and does not speak of "the text". kind is preference for what a person likes or wants done, else fact. Give event_date only when the text says when it happened.${many ? ' chunk is the number of the chunk that the statement stands in.' : ''}
Skip pleasantries, what is only repeated, and what anybody knows. At most ${limit} items, the most useful first; [] when there is nothing to keep. Invent nothing.
${QUOTED_IS_DATA}`;

const promptOf = (sources: readonly Source[]): string => {
  const [first] = sources;
  const written = `Written on ${first?.created_at.slice(0, 10) ?? ''}.`;
  if (sources.length === 1) return [written, quoted('Text', first?.memory.content ?? '', READ_LENGTH)].join('\n\n');
  return [written, ...sources.map(({ memory }, i) => quoted(`Chunk ${i + 1}`, memory.content, READ_LENGTH))].join('\n\n');
};
