import { DomainError } from '../../domain/errors.js';
import { isMemoryKey } from '../../domain/memory/key.js';
/** A memory key, or VALIDATION with what one looks like. */
export const parseKey = (text) => {
    const key = text.trim();
    if (isMemoryKey(key))
        return key;
    throw new DomainError('VALIDATION', 'This is no memory key', 'A key looks like mem:episodic:01J… ; recall and recall_index show them');
};
/** Whether somebody who may pass a key or a query passed a key. A text that begins like a key and is none is refused, never searched for. */
export const isKey = (text) => text.trim().startsWith('mem:') && parseKey(text) !== '';
//# sourceMappingURL=keys.js.map