import { createHash } from 'node:crypto';
import { normalisedForIdentity } from '../../domain/content.js';
/**
 * The claim of an exact text (up to white space, case and Unicode form) within one namespace and project. Salted with the
 * log's secret, so that the store holds nothing a short text could be guessed from.
 */
export const textClaim = (salt, namespace, project, content) => createHash('sha256')
    .update(JSON.stringify([salt, 'text', namespace, project ?? null, normalisedForIdentity(content)]))
    .digest('base64url')
    .slice(0, 22);
//# sourceMappingURL=claims.js.map