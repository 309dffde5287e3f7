import type { Call } from '../../api.js';
import type { Judgement } from '../../llm/judge.js';
import type { CommandParts } from '../parts.js';
import type { Suspect } from './scan.js';

/** Pairs a model is asked about in one call. */
const MOST_ASKED = 20;

export type Verdict = { readonly suspect: Suspect; readonly confidence: number; readonly explanation: string };

/** The pairs that a model confirms, until there are `enough`. `verdicts` is undefined when no model could be asked at all. */
export const judged = async (
  { judge }: CommandParts,
  suspects: readonly Suspect[],
  enough: number,
  call: Call,
): Promise<{ readonly verdicts: readonly Verdict[] | undefined; readonly note?: string }> => {
  const verdicts: Verdict[] = [];
  let failed: string | undefined;
  let unjudged = 0;
  for (const [i, suspect] of suspects.slice(0, MOST_ASKED).entries()) {
    if (verdicts.length >= enough) break;
    call.progress?.('asking the model', i, suspects.length);
    const judgement: Judgement = judge ? await judge(suspect.a.content, suspect.b.content, call.signal) : { unavailable: 'NO_KEY' };
    if (!('unavailable' in judgement)) {
      const { contradiction, confidence, explanation } = judgement;
      if (contradiction) verdicts.push({ suspect, confidence, explanation });
      continue;
    }
    if (judgement.unavailable === 'NO_KEY') return { verdicts: undefined, note: NO_MODEL };
    failed = judgement.unavailable;
    unjudged++;
  }
  if (!judge && suspects.length === 0) return { verdicts: undefined, note: NO_MODEL };
  return {
    verdicts,
    ...(failed !== undefined && {
      note: `The model gave no verdict on ${unjudged} pairs (${failed}); they are left out. Without use_api the rules alone decide.`,
    }),
  };
};

const NO_MODEL = 'No model is set up (ANTHROPIC_API_KEY), so only the rules decided; nothing here was confirmed by a model.';
