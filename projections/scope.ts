/** Memories of a project by the name they were written with, or all. */
export type Scope = { readonly project: string } | 'all';

/** What the names of a scope's sets begin with. */
export const prefixOf = (scope: Scope): string => (scope === 'all' ? 'all' : `project:${scope.project}`);
