import type { BriefingQueries } from './api/briefing.js';
import type { ContradictionCommands } from './api/contradictions.js';
import type { EnrichmentQueries } from './api/enrichment.js';
import type { ExperienceCommands, ExperienceQueries } from './api/experience.js';
import type { MaintenanceCommands } from './api/maintenance.js';
import type { ProjectIdentityCommands } from './api/project-identity.js';
import type { ProjectCommands, ProjectQueries } from './api/projects.js';
import type { MemoryQueries } from './api/reads.js';
import type { AuditQueries } from './api/recent.js';
import type { ReindexCommands } from './api/reindex.js';
import type { MemoryCommands } from './api/writes.js';
import type { Backups } from './backup/api.js';

export type * from './api/as-of.js';
export type * from './api/audit.js';
export type * from './api/briefing.js';
export type * from './api/call.js';
export type * from './api/contradictions.js';
export type * from './api/enrichment.js';
export type * from './api/experience.js';
export type * from './api/explain.js';
export type * from './api/health.js';
export type * from './api/maintenance.js';
export type * from './api/project-identity.js';
export type * from './api/projects.js';
export type * from './api/reads.js';
export type * from './api/recall.js';
export type * from './api/recent.js';
export type * from './api/reindex.js';
export type * from './api/writes.js';

/** The write side. One function per tool; MCP, CLI, web and jobs call these and nothing below. */
export type Commands = MemoryCommands &
  ExperienceCommands &
  ReindexCommands &
  ProjectIdentityCommands &
  ContradictionCommands &
  MaintenanceCommands &
  ProjectCommands;

/** The read side. Queries read views only and append nothing to the log. */
export type Queries = MemoryQueries & BriefingQueries & EnrichmentQueries & ExperienceQueries & AuditQueries & ProjectQueries;

/** What edges get: commands, queries, and whether the parts they need are up. */
export type App = {
  readonly commands: Commands;
  readonly queries: Queries;
  readonly backups: Backups;
  /** Resolves when the store and the views can serve, or rejects UNAVAILABLE after `timeoutMs`; meanwhile says what it waits for. */
  readonly whenReady: (timeoutMs: number, onWait?: (what: string) => void, signal?: AbortSignal) => Promise<void>;
  /** Prometheus text. */
  readonly metrics: () => Promise<{ readonly contentType: string; readonly body: string }>;
  /** Counts one tool call for the metrics. `outcome` is `ok` or an error code. */
  readonly countToolCall: (tool: string, outcome: string, milliseconds: number) => void;
};
