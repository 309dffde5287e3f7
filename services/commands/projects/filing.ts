import { filedUnder } from '../../../domain/project/scope.js';
import type { FilingNote } from '../../api.js';
import type { CommandParts } from '../parts.js';

/**
 * The same input filed under the name that its project counts as, and what the answer says of it: that name where it is
 * another, and for a new project what it may have been meant for. A name is never taken for another that is only like it.
 */
export const filed = <Input extends { readonly project?: string | undefined }>(
  { index }: Pick<CommandParts, 'index'>,
  input: Input,
): { readonly input: Input; readonly note: FilingNote } => {
  if (input.project === undefined) return { input, note: {} };
  const { project, suggestion } = filedUnder(index.projects, input.project);
  return {
    input: project === input.project ? input : { ...input, project },
    note: { ...(project !== input.project && { project }), ...(suggestion && { project_suggestion: suggestion }) },
  };
};
