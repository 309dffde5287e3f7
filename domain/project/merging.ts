import { DomainError } from '../errors.js';
import { declareDomains, mergedDomains } from './domains.js';
import type { ProjectEvent } from './events.js';
import type { Project } from './project.js';

/** The project that this one counts as, by its own history. */
export const mergedInto = (name: string, { merges }: Project): string | undefined =>
  merges.findLast(({ from, into }) => from === name && into !== name)?.into;

/** What happens to each of the two. */
export type Merging = { readonly onFrom: readonly ProjectEvent[]; readonly onInto: readonly ProjectEvent[] };

/**
 * Makes what is filed under `from` count as `into`. `chain` holds the names that `into` counts as, nearest first. What
 * `from` declares, `into` declares from then on too. Nothing happens when they are one project already. Throws VALIDATION
 * for one name twice, CONFLICT for a circle and for a `from` that counts as a third project.
 */
export const decideMerge = (
  { from, into }: { readonly from: string; readonly into: string },
  projects: { readonly from: Project; readonly into: Project },
  chain: readonly string[],
): Merging => {
  if (from === into)
    throw new DomainError('VALIDATION', 'from and into are the same name', 'Name two projects; into is the one that stays');
  const present = mergedInto(from, projects.from);
  if (present === into || (present !== undefined && chain.includes(present))) return { onFrom: [], onInto: [] };
  if (chain.includes(from)) {
    throw new DomainError(
      'CONFLICT',
      `${JSON.stringify(into)} counts as ${JSON.stringify(from)} already, so that the two would be merged in a circle`,
      'They are one project. To keep the other name, undo that merge first, then merge the other way round',
    );
  }
  if (present !== undefined) {
    throw new DomainError(
      'CONFLICT',
      `${JSON.stringify(from)} counts as ${JSON.stringify(present)} already`,
      `Merge ${JSON.stringify(present)} into ${JSON.stringify(into)}, or undo the earlier merge first`,
    );
  }
  const merged: ProjectEvent = { type: 'ProjectsMerged', data: { from, into } };
  const { domains: own } = projects.into;
  const together = projects.from.domains === undefined ? own : mergedDomains(own ?? [], projects.from.domains);
  return { onFrom: [merged], onInto: [merged, ...(together ? declareDomains(own, together) : [])] };
};
