import type { Undoing } from '../../domain/last-run.js';
import { isSystemSubject } from '../../domain/system/events.js';
import type { CommandParts } from './parts.js';

/** What became, on one subject at this version, of the action that made these versions, and of other actions that were undone. */
export type UndoneSince = (subject: string, made: ReadonlySet<number>, version: number) => Promise<Undoing>;

/**
 * What was undone, and what undid it, did not happen: who undoes one action after the other comes back to where he began. An
 * undo that was itself undone annuls nothing. `undone` is the correlation that is being undone now. Keeps which action undid
 * which, for all subjects of one undo.
 */
export const createUndoneSince = (
  { madeBy, linesOf, log }: Pick<CommandParts, 'madeBy' | 'linesOf' | 'log'>,
  undone: string,
): UndoneSince => {
  const targets = new Map<string, Promise<string | undefined>>();

  /** The correlation that an action undid, if it was an undo. */
  const targetOf = async (correlation: string): Promise<string | undefined> => {
    for (const { subject, n } of await madeBy(correlation)) {
      if (!isSystemSubject(subject)) continue;
      const [line] = await linesOf(subject, [n]);
      if (line?.type !== 'ActionUndone') continue;
      const [entry] = await log.at([line.position]);
      if (entry?.kind === 'event' && entry.event.type === 'ActionUndone') return entry.event.data.correlation;
    }
    return undefined;
  };

  return async (subject, made, version) => {
    // Where nothing happened after the action, nothing was undone.
    if (Math.min(...made) + made.size > version) return { undone: made };
    const lines = await linesOf(subject);
    const annulled = new Set<string>();
    const already = new Set<string>();
    // Every undo names its cause. Newest first, so that one that was undone is known by then.
    for (const { correlation } of lines.filter(({ causation }) => causation !== undefined).reverse()) {
      const target = targets.get(correlation) ?? targetOf(correlation);
      targets.set(correlation, target);
      const taken = await target;
      if (taken === undefined || annulled.has(correlation)) continue;
      annulled.add(taken).add(correlation);
      if (taken === undone) already.add(correlation);
    }
    const versions = (of: ReadonlySet<string>) => new Set(lines.filter(({ correlation }) => of.has(correlation)).map(({ n }) => n));
    return { undone: made, annulled: versions(annulled), already: versions(already) };
  };
};
