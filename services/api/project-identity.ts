import type { DomainEvidence } from '../../domain/project/domains.js';
import type { DomainRouting, ProjectSuggestion } from '../../domain/project/scope.js';
import type { Call, Visible } from './call.js';

export type { DomainEvidence, DomainRouting, ProjectSuggestion };

/** Beside the answer of a read or a write that names a project. */
export type ProjectNote = {
  /** The name is not known, and close to one that is. Nothing was taken for another name because of it. */
  readonly project_suggestion?: ProjectSuggestion;
};

/** Beside the answer of a write: where it was filed, when the name that was given counts as another. */
export type FilingNote = ProjectNote & { readonly project?: string };

export type MergeProjectsInput = {
  readonly from: string;
  readonly into: string;
  /** `into` is a name that is not in use yet: the project is renamed. */
  readonly into_is_new?: boolean | undefined;
  /** Skips the secrets check. */
  readonly force?: boolean | undefined;
};
export type MergeProjectsResult = {
  readonly status: 'merged' | 'unchanged';
  readonly from: string;
  /** The name that both are known by from now on. */
  readonly into: string;
  /** Every name that counts as `into`. */
  readonly names: readonly string[];
  /** Memories that count as `into`, by state. */
  readonly memories: { readonly active: number; readonly deprioritised: number; readonly archived: number };
  readonly domains?: readonly string[];
  /** For `undo`. */
  readonly correlation?: string;
  readonly note?: string;
} & Visible;

export type CompileProjectDomainsInput = {
  readonly project_name: string;
  /** Writes the merged list. Default false: only shows it. */
  readonly auto_save?: boolean | undefined;
  /** Declares exactly these, in place of what was declared and of the suggestions. */
  readonly domains?: string | readonly string[] | undefined;
  /** Skips the secrets check. */
  readonly force?: boolean | undefined;
};
export type CompileProjectDomainsResult =
  | ({ readonly status: 'not_found'; readonly project_name: string; readonly note: string } & ProjectNote)
  | ({
      readonly status: 'draft' | 'saved' | 'unchanged';
      readonly project_name: string;
      /** Absent: never declared. Empty: considered, and none derivable. */
      readonly existing?: readonly string[];
      readonly suggested: readonly string[];
      /** What is declared after saving. */
      readonly merged: readonly string[];
      /** Why each one is suggested. */
      readonly evidence: Readonly<Record<string, DomainEvidence>>;
      readonly aliased?: Readonly<Record<string, string>>;
      readonly rejected?: readonly string[];
      /** Active episodic memories whose tags were counted. */
      readonly memories_read: number;
      readonly note?: string;
    } & Visible);

/** What makes projects one, and says what work is in them. */
export type ProjectIdentityCommands = {
  readonly mergeProjects: (input: MergeProjectsInput, call: Call) => Promise<MergeProjectsResult>;
  readonly compileProjectDomains: (input: CompileProjectDomainsInput, call: Call) => Promise<CompileProjectDomainsResult>;
};
