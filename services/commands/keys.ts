import { DomainError } from '../../domain/errors.js';
import { isMemoryKey } from '../../domain/memory/key.js';
import { projectOf } from '../../domain/project/key.js';

/** A memory key, or VALIDATION with what one looks like. */
export const parseKey = (text: string): string => {
  const key = text.trim();
  if (isMemoryKey(key)) return key;
  refuseContextKey(key);
  throw new DomainError('VALIDATION', 'This is no memory key', 'A key looks like mem:episodic:01J… ; recall and recall_index show them');
};

/** The context of a project is changed by its own tools. Throws VALIDATION that names them. */
export const refuseContextKey = (key: string): void => {
  if (projectOf(key) === undefined) return;
  throw new DomainError(
    'VALIDATION',
    `${key} is the context of a project, not a memory`,
    'update_project_state and set_project_context change it; deprioritise_project, reinstate_project and delete_project with include_context: true set it aside, bring it back and erase it',
  );
};

/** Whether somebody who may pass a key or a query passed a key. A text that begins like a key and is none is refused, never searched for. */
export const isKey = (text: string): boolean => text.trim().startsWith('mem:') && parseKey(text) !== '';
