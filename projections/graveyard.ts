import type { Membership } from './membership.js';
import type { Row } from './projection.js';
import { prefixOf, type Scope } from './scope.js';
import type { View } from './view.js';

/** The part of the experience view that tells of dead ends: which memory met one when. Newest last. */

/** A time at which a memory came to a dead end, or to several. */
export type Burial = { readonly attempted_at: string; readonly key: string };

const setOf = (scope: Scope, archived: boolean): string => `${prefixOf(scope)}:dead:${archived ? 'archived' : 'live'}`;

/** The times in a row's field, oldest first. */
export const timesOf = ({ times }: Row): readonly string[] => (times === undefined ? [] : times.split(' '));

export const withTimes = (times: readonly string[]): Row => (times.length === 0 ? {} : { times: [...new Set(times)].sort().join(' ') });

export const burialsOf = (scope: Scope, key: string, row: Row): readonly Membership[] =>
  timesOf(row).map((time) => ({ set: setOf(scope, row.state === 'archived'), member: `${time} ${key}` }));

/** The newest of scopes that have no memory in common; those of archived memories are left out unless asked for. */
export const burials = async (
  view: View,
  scopes: readonly Scope[],
  { limit, archived = false }: { readonly limit: number; readonly archived?: boolean },
): Promise<readonly Burial[]> => {
  const names = scopes.flatMap((scope) => [setOf(scope, false), ...(archived ? [setOf(scope, true)] : [])]);
  const found = (await Promise.all(names.map((name) => view.members(name, { reverse: true, limit })))).flat();
  return found
    .sort()
    .reverse()
    .slice(0, limit)
    .map((member) => {
      const [attempted_at = '', key = ''] = member.split(' ');
      return { attempted_at, key };
    });
};
