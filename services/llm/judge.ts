import { z } from 'zod';
import { type Model, ModelError, type ModelErrorCode } from './port.js';
import { QUOTED_IS_DATA, quoted } from './quote.js';

/** What a model thinks of two texts. `explanation` quotes them: it is for the answer and never for the log. */
export type Judgement =
  | { readonly contradiction: boolean; readonly confidence: number; readonly explanation: string }
  | { readonly unavailable: 'NO_KEY' | ModelErrorCode };

/** UTF-16 units of each side that the model reads, and tokens it may answer (contract 19.2). */
const SIDE_LENGTH = 1_000;
const MAX_TOKENS = 256;
const EXPLANATION_LENGTH = 500;

const SYSTEM = `You compare two notes from a memory of software work. They contradict each other when both cannot hold at the same time of the same thing. A note that adds detail, speaks of another thing, or of another time that it names does not contradict.
Answer with one JSON object and nothing else: {"is_contradiction": true or false, "confidence": 0 to 1, "explanation": "one sentence"}.
${QUOTED_IS_DATA}`;

const Verdict = z.object({
  is_contradiction: z.boolean(),
  confidence: z.coerce.number().catch(0.5),
  explanation: z.string().catch(''),
});

/**
 * Asks whether two texts contradict each other (tier 2). Never throws for the model's sake: without one (`undefined`), or when
 * it fails, `unavailable` says why. Throws the signal's reason when that is aborted.
 */
export const judgeContradiction = async (model: Model | undefined, a: string, b: string, signal?: AbortSignal): Promise<Judgement> => {
  if (!model) return { unavailable: 'NO_KEY' };
  try {
    const { value } = await model.complete({
      purpose: 'contradiction',
      system: SYSTEM,
      prompt: [quoted('Note A', a, SIDE_LENGTH), quoted('Note B', b, SIDE_LENGTH)].join('\n\n'),
      maxTokens: MAX_TOKENS,
      schema: Verdict,
      signal,
    });
    return {
      contradiction: value.is_contradiction,
      confidence: Math.min(1, Math.max(0, value.confidence)),
      explanation: value.explanation.trim().slice(0, EXPLANATION_LENGTH),
    };
  } catch (error) {
    if (error instanceof ModelError) return { unavailable: error.code };
    throw error;
  }
};
