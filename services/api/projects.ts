import type { ProjectSuggestion } from '../../domain/project/scope.js';
import type { AbandonedType, Licence, Namespace, Outcome, Provenance, State } from '../../domain/vocabulary.js';
import type { Asked, OfMoment } from './as-of.js';
import type { Call, Visible } from './call.js';

/** What a write put another text in place of; the old one stays in the timeline of the project's key. */
export type ReplacedState = {
  readonly current_state: string;
  readonly notes?: string;
  readonly updated_at: string;
  readonly by?: string;
};

/** No context is kept under the name. `did_you_mean` lists names that are like it; `note` says what to do where there are memories. */
export type NoSuchProject = {
  readonly status: 'not_found';
  readonly project_name: string;
  readonly did_you_mean?: readonly string[];
  readonly note?: string;
};

export type SetProjectContextInput = {
  readonly project_name: string;
  readonly description: string;
  readonly stack: string;
  readonly goals: string;
  readonly current_state: string;
  /** Left out: the old ones stay. */
  readonly notes?: string | undefined;
  /** Kinds of work, all of them. Left out: those that are declared stay. */
  readonly domains?: string | readonly string[] | undefined;
  /** The version that was read. Older than the last change of the state: CONFLICT. */
  readonly version?: number | undefined;
  /** Skips the secrets check. */
  readonly force?: boolean | undefined;
};
export type SetProjectContextResult = {
  readonly status: 'stored' | 'unchanged';
  readonly project_name: string;
  readonly key: string;
  readonly version: number;
  readonly embedding: 'stored' | 'pending' | 'off';
  readonly replaced?: ReplacedState;
  /** What is declared now, where `domains` was given; what was taken for another name, and what is no domain. */
  readonly domains?: readonly string[];
  readonly aliased?: Readonly<Record<string, string>>;
  readonly rejected?: readonly string[];
  /** The name is new, and close to others. */
  readonly project_suggestion?: ProjectSuggestion;
} & Visible;

export type UpdateProjectStateInput = {
  readonly project_name: string;
  readonly current_state: string;
  readonly notes?: string | undefined;
  readonly version?: number | undefined;
  readonly force?: boolean | undefined;
};
export type UpdateProjectStateResult =
  | ({
      readonly status: 'updated' | 'unchanged';
      readonly project_name: string;
      readonly version: number;
      readonly replaced?: ReplacedState;
    } & Visible)
  | NoSuchProject;

export type ProjectNameInput = { readonly project_name: string };

export type ProjectContextParts = {
  readonly description?: string;
  readonly stack?: string;
  readonly goals?: string;
  readonly current_state?: string;
  readonly notes?: string;
};
export type GetProjectContextResult =
  | ({
      readonly status: 'found';
      readonly project_name: string;
      readonly key: string;
      readonly version: number;
      readonly state: State;
      readonly deprioritised_reason?: string;
      /** Absent: never considered. Empty: considered, and none derivable. */
      readonly domains?: readonly string[];
      /** Other names that count as this project. */
      readonly also_called?: readonly string[];
      readonly licence: Licence;
      readonly provenance: Provenance;
      /** Parts that were drawn from memories and are written out as those stand now. */
      readonly compiled?: readonly string[];
      readonly created_at: string;
      readonly updated_at: string;
    } & ProjectContextParts &
      OfMoment)
  | (NoSuchProject & OfMoment);

export type ListedProject = {
  readonly project_name: string;
  readonly description?: string;
  readonly state: State;
  readonly domains?: readonly string[];
  readonly also_called?: readonly string[];
  readonly has_context: boolean;
  readonly memory_count: number;
  readonly by_namespace?: Partial<Readonly<Record<Namespace, number>>>;
  readonly updated_at?: string;
};
export type ListProjectsResult = { readonly projects: readonly ListedProject[]; readonly total: number } & OfMoment;

export type Counts = Readonly<Record<string, number>>;

export type DeleteProjectInput = {
  readonly project_name: string;
  readonly confirm?: boolean | undefined;
  readonly include_context?: boolean | undefined;
};
export type DeleteProjectResult =
  | NoSuchProject
  | {
      readonly status: 'preview';
      readonly project_name: string;
      /** Every name whose memories are meant, where the project has more than one. */
      readonly project_names?: readonly string[];
      readonly would_delete: Counts;
      readonly total: number;
      /** How many of them are facts drawn from the others. */
      readonly facts?: number;
      readonly note: string;
    }
  | ({
      readonly status: 'deleted';
      readonly project_name: string;
      readonly deleted: Counts;
      readonly total: number;
      readonly correlation: string;
      readonly disk: 'pending' | 'external';
      /** When it could not be noted beside the backups, which keeps it from coming back. */
      readonly backups_note?: string;
      readonly note?: string;
    } & Visible);

export type DeprioritiseProjectInput = DeleteProjectInput & {
  readonly reason?: string | undefined;
  /** Skips the secrets check. */
  readonly force?: boolean | undefined;
};
export type DeprioritiseProjectResult =
  | NoSuchProject
  | { readonly status: 'nothing_to_change'; readonly project_name: string; readonly already_inactive: Counts }
  | {
      readonly status: 'preview';
      readonly project_name: string;
      /** Every name whose memories are meant, where the project has more than one. */
      readonly project_names?: readonly string[];
      readonly would_deprioritise: Counts;
      readonly total: number;
      readonly already_inactive?: Counts;
      readonly note: string;
    }
  | ({
      readonly status: 'deprioritised';
      readonly project_name: string;
      readonly deprioritised: Counts;
      readonly total: number;
      readonly already_inactive?: Counts;
      /** Undoes all of it. */
      readonly correlation: string;
    } & Visible);

export type ReinstateProjectInput = DeleteProjectInput;
export type ReinstateProjectResult =
  | NoSuchProject
  | { readonly status: 'nothing_to_change'; readonly project_name: string; readonly already_active: number }
  | {
      readonly status: 'preview';
      readonly project_name: string;
      /** Every name whose memories are meant, where the project has more than one. */
      readonly project_names?: readonly string[];
      readonly would_reinstate: Counts;
      readonly total: number;
      readonly already_active?: number;
      readonly note: string;
    }
  | ({
      readonly status: 'reinstated';
      readonly project_name: string;
      readonly reinstated: Counts;
      readonly total: number;
      readonly already_active?: number;
      readonly correlation: string;
    } & Visible);

export type CompileProjectContextInput = {
  readonly project_name: string;
  readonly auto_save?: boolean | undefined;
  /** Bound on the whole answer. */
  readonly max_tokens: number;
};
export type CompiledMemory = {
  readonly key: string;
  readonly content: string;
  readonly updated_at: string;
  readonly tags?: readonly string[];
  readonly effort_score?: number;
  readonly outcome?: Outcome;
};
export type CompileProjectContextResult = {
  readonly project_name: string;
  /** Active episodic memories of the project. */
  readonly memory_count: number;
  readonly draft: ProjectContextParts;
  readonly existing_context?: ProjectContextParts & { readonly updated_at: string };
  readonly top_tags?: readonly string[];
  readonly abandoned_approaches?: readonly { readonly name: string; readonly type: AbandonedType; readonly reason: string }[];
  readonly breakthroughs?: readonly string[];
  readonly gotchas?: readonly string[];
  readonly memories?: readonly CompiledMemory[];
  /** What did not fit: how many, the first of their keys, and how to read them. */
  readonly memories_cut?: { readonly shown: number; readonly total: number; readonly keys: readonly string[]; readonly note: string };
  readonly auto_saved?: true;
  readonly version?: number;
  readonly replaced?: ReplacedState;
  readonly note?: string;
} & Visible;

/** What writes to projects as wholes. */
export type ProjectCommands = {
  readonly setProjectContext: (input: SetProjectContextInput, call: Call) => Promise<SetProjectContextResult>;
  readonly updateProjectState: (input: UpdateProjectStateInput, call: Call) => Promise<UpdateProjectStateResult>;
  readonly compileProjectContext: (input: CompileProjectContextInput, call: Call) => Promise<CompileProjectContextResult>;
  readonly deleteProject: (input: DeleteProjectInput, call: Call) => Promise<DeleteProjectResult>;
  readonly deprioritiseProject: (input: DeprioritiseProjectInput, call: Call) => Promise<DeprioritiseProjectResult>;
  readonly reinstateProject: (input: ReinstateProjectInput, call: Call) => Promise<ReinstateProjectResult>;
};

export type ProjectQueries = {
  readonly getProjectContext: (input: ProjectNameInput & Asked, call: Call) => Promise<GetProjectContextResult>;
  readonly listProjects: (input: Asked, call: Call) => Promise<ListProjectsResult>;
};
