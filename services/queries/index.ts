import type { Queries } from '../api.js';
import { VERSION } from '../version.js';
import { memoryAudit } from './audit.js';
import { briefing } from './briefing/briefing.js';
import { recallDetail } from './detail.js';
import { findDuplicates } from './duplicates.js';
import { getExperience } from './experience/get-experience.js';
import { experienceSummary } from './experience/summary.js';
import { warnIfAbandoned } from './experience/warnings.js';
import { explainMemory } from './explain.js';
import type { QueryParts } from './parts.js';
import { getProjectContext } from './projects/context.js';
import { listProjects } from './projects/list.js';
import { queueStatus } from './queue.js';
import { recall, recallIndex } from './recall.js';
import { recentKnowledge } from './recent.js';
import { listSuppressions } from './suppressions.js';
import { whyDidYouMention } from './why.js';

/** The read side over its parts. */
export const createQueries = (parts: QueryParts & { readonly duplicateThreshold: () => number }, health: Queries['health']): Queries => ({
  recall: (input, call) => recall(parts, input, call),
  recallIndex: (input, call) => recallIndex(parts, input, call),
  recallDetail: (input, call) => recallDetail(parts, input, call),
  briefing: (input, call) => briefing(parts, input, call),
  listSuppressions: (input, call) => listSuppressions(parts, input, call),
  findDuplicates: (input, call) => findDuplicates(parts, input, call),
  memoryAudit: (input, call) => memoryAudit(parts, input, call),
  explainMemory: (input, call) => explainMemory(parts, input, call),
  whyDidYouMention: (input, call) => whyDidYouMention(parts, input, call),
  recentKnowledge: (input, call) => recentKnowledge(parts, input, call),
  getProjectContext: (input, call) => getProjectContext(parts, input, call),
  listProjects: (input, call) => listProjects(parts, input, call),
  getExperience: (input, call) => getExperience(parts, input, call),
  experienceSummary: (input, call) => experienceSummary(parts, input, call),
  warnIfAbandoned: (input, call) => warnIfAbandoned(parts, input, call),
  queueStatus: (call) => queueStatus(parts, call),
  health,
  version: () => ({ version: VERSION }),
});
