import type { Tool } from '../tool.js';
import { archive } from './archive.js';
import { briefing } from './briefing.js';
import { checkContradictions } from './check-contradictions.js';
import { compileProjectContext } from './compile-project-context.js';
import { compileProjectDomains } from './compile-project-domains.js';
import { deleteProject } from './delete-project.js';
import { deprioritise } from './deprioritise.js';
import { deprioritiseProject } from './deprioritise-project.js';
import { dumpToFile } from './dump-to-file.js';
import { experienceSummary } from './experience-summary.js';
import { explainMemory } from './explain-memory.js';
import { findDuplicates } from './find-duplicates.js';
import { forget } from './forget.js';
import { getExperience } from './get-experience.js';
import { getProjectContext } from './get-project-context.js';
import { health } from './health.js';
import { listBackups } from './list-backups.js';
import { listProjects } from './list-projects.js';
import { listSuppressions } from './list-suppressions.js';
import { logAbandoned } from './log-abandoned.js';
import { maintain } from './maintain.js';
import { memoryAudit } from './memory-audit.js';
import { mergeProjects } from './merge-projects.js';
import { queueStatus } from './queue-status.js';
import { recall } from './recall.js';
import { recallDetail } from './recall-detail.js';
import { recallIndex } from './recall-index.js';
import { recentKnowledge } from './recent-knowledge.js';
import { recordExperience } from './record-experience.js';
import { reindex } from './reindex.js';
import { reinstate } from './reinstate.js';
import { reinstateProject } from './reinstate-project.js';
import { remember } from './remember.js';
import { rememberDocument } from './remember-document.js';
import { resolveContradiction } from './resolve-contradiction.js';
import { restoreFromFile } from './restore-from-file.js';
import { retag } from './retag.js';
import { revise } from './revise.js';
import { setLicence } from './set-licence.js';
import { setProjectContext } from './set-project-context.js';
import { setProvenance } from './set-provenance.js';
import { suppressTopic } from './suppress-topic.js';
import { undo } from './undo.js';
import { unsuppressTopic } from './unsuppress-topic.js';
import { updateProjectState } from './update-project-state.js';
import { version } from './version.js';
import { warnIfAbandoned } from './warn-if-abandoned.js';
import { whyDidYouMention } from './why-did-you-mention.js';

/** Every tool, in the order in which it is listed: most used first, since some hosts keep only the first few. */
export const TOOLS: readonly Tool[] = [
  briefing,
  recall,
  remember,
  recallIndex,
  recallDetail,
  revise,
  rememberDocument,
  deprioritise,
  forget,
  reinstate,
  archive,
  retag,
  undo,
  warnIfAbandoned,
  recordExperience,
  logAbandoned,
  getExperience,
  experienceSummary,
  getProjectContext,
  updateProjectState,
  setProjectContext,
  listProjects,
  compileProjectContext,
  explainMemory,
  whyDidYouMention,
  memoryAudit,
  recentKnowledge,
  suppressTopic,
  unsuppressTopic,
  listSuppressions,
  setLicence,
  setProvenance,
  findDuplicates,
  checkContradictions,
  resolveContradiction,
  maintain,
  mergeProjects,
  compileProjectDomains,
  deprioritiseProject,
  reinstateProject,
  deleteProject,
  dumpToFile,
  listBackups,
  restoreFromFile,
  reindex,
  queueStatus,
  health,
  version,
];
