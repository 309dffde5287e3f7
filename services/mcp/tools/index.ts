import type { Tool } from '../tool.js';
import { archive } from './archive.js';
import { deprioritise } from './deprioritise.js';
import { dumpToFile } from './dump-to-file.js';
import { explainMemory } from './explain-memory.js';
import { findDuplicates } from './find-duplicates.js';
import { forget } from './forget.js';
import { health } from './health.js';
import { listBackups } from './list-backups.js';
import { listSuppressions } from './list-suppressions.js';
import { memoryAudit } from './memory-audit.js';
import { recall } from './recall.js';
import { recallDetail } from './recall-detail.js';
import { recallIndex } from './recall-index.js';
import { reinstate } from './reinstate.js';
import { remember } from './remember.js';
import { rememberDocument } from './remember-document.js';
import { restoreFromFile } from './restore-from-file.js';
import { retag } from './retag.js';
import { revise } from './revise.js';
import { setLicence } from './set-licence.js';
import { setProvenance } from './set-provenance.js';
import { suppressTopic } from './suppress-topic.js';
import { undo } from './undo.js';
import { unsuppressTopic } from './unsuppress-topic.js';
import { version } from './version.js';

/** Every tool, in the order in which it is listed: most used first, since some hosts keep only the first few. */
export const TOOLS: readonly Tool[] = [
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
  explainMemory,
  memoryAudit,
  suppressTopic,
  unsuppressTopic,
  listSuppressions,
  setLicence,
  setProvenance,
  findDuplicates,
  dumpToFile,
  listBackups,
  restoreFromFile,
  health,
  version,
];
