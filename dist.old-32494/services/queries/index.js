import { VERSION } from '../version.js';
import { memoryAudit } from './audit.js';
import { recallDetail } from './detail.js';
import { findDuplicates } from './duplicates.js';
import { explainMemory } from './explain.js';
import { recall, recallIndex } from './recall.js';
import { listSuppressions } from './suppressions.js';
/** The read side over its parts. */
export const createQueries = (parts, health) => ({
    recall: (input, call) => recall(parts, input, call),
    recallIndex: (input, call) => recallIndex(parts, input, call),
    recallDetail: (input, call) => recallDetail(parts, input, call),
    listSuppressions: (call) => listSuppressions(parts, call),
    findDuplicates: (input, call) => findDuplicates(parts, input, call),
    memoryAudit: (input, call) => memoryAudit(parts, input, call),
    explainMemory: (input, call) => explainMemory(parts, input, call),
    health,
    version: () => ({ version: VERSION }),
});
//# sourceMappingURL=index.js.map