import type { Asked } from './as-of.js';
import type {
  ExplainMemoryInput,
  ExplainMemoryResult,
  FindDuplicatesInput,
  FindDuplicatesResult,
  ListSuppressionsResult,
  MemoryAuditInput,
  MemoryAuditResult,
} from './audit.js';
import type { Call } from './call.js';
import type { HealthResult } from './health.js';
import type { RecallDetailInput, RecallDetailResult, RecallIndexInput, RecallIndexResult, RecallInput, RecallResult } from './recall.js';

/** What reads memories, and what the product says of itself. */
export type MemoryQueries = {
  readonly recall: (input: RecallInput, call: Call) => Promise<RecallResult>;
  readonly recallIndex: (input: RecallIndexInput, call: Call) => Promise<RecallIndexResult>;
  readonly recallDetail: (input: RecallDetailInput, call: Call) => Promise<RecallDetailResult>;
  readonly listSuppressions: (input: Asked, call: Call) => Promise<ListSuppressionsResult>;
  readonly findDuplicates: (input: FindDuplicatesInput, call: Call) => Promise<FindDuplicatesResult>;
  readonly memoryAudit: (input: MemoryAuditInput, call: Call) => Promise<MemoryAuditResult>;
  readonly explainMemory: (input: ExplainMemoryInput, call: Call) => Promise<ExplainMemoryResult>;
  readonly health: () => Promise<HealthResult>;
  readonly version: () => { readonly version: string };
};
