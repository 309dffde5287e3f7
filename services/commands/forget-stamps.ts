import type { RecallIndex } from '../../projections/recall/recall-index.js';
import { type Candidate, candidates, isThere } from './forget-load.js';
import type { ForgetPlan, Stamps } from './forget-plan.js';
import { withFacts } from './forget-targets.js';
import type { CommandParts } from './parts.js';

type Documents = { readonly index: Pick<RecallIndex, 'documents'> };

/** What these say now; nothing of topics, contexts of projects, and facts whose source is among them. */
export const stampsOf = ({ index }: Documents, keys: readonly string[]): Stamps => {
  const among = new Set(keys);
  return new Map(
    keys.flatMap((key) => {
      const document = index.documents.get(key);
      if (document === undefined || document.context !== undefined) return [];
      if (document.enrichedFrom !== undefined && among.has(document.enrichedFrom)) return [];
      return [[key, document.contentVersion] as const];
    }),
  );
};

/** Whether it says something else than what was previewed. */
export const isChanged = (stamps: Stamps, candidate: Candidate): boolean => {
  const stamp = stamps.get(candidate.key);
  return stamp !== undefined && candidate.textVersion !== undefined && candidate.textVersion !== stamp && isThere(candidate);
};

/** What the views know to say something else by now, with the facts drawn from it. */
export const changedSince = (parts: Parameters<typeof withFacts>[0], stamps: Stamps): readonly string[] => {
  const changed = [...stamps].filter(([key, stamp]) => {
    const document = parts.index.documents.get(key);
    return document !== undefined && document.contentVersion !== stamp;
  });
  return changed.length === 0
    ? []
    : withFacts(
        parts,
        changed.map(([key]) => key),
      );
};

/** What a plan would leave, read from the log alone: for a process without views. */
export const leftByPlan = async (
  parts: Pick<CommandParts, 'log' | 'versionOf'>,
  { batches, stamps }: ForgetPlan,
): Promise<ReadonlySet<string>> => {
  const left = new Set<string>();
  const sources = new Map<string, string>();
  for (const batch of stamps.size === 0 ? [] : batches) {
    for (const candidate of await candidates(parts, batch)) {
      const { key, state } = candidate;
      if (isChanged(stamps, candidate)) left.add(key);
      if ('enriched_from' in state && state.enriched_from !== undefined) sources.set(key, state.enriched_from);
    }
  }
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const [fact, source] of sources) if (left.has(source)) left.add(fact);
  }
  return left;
};
