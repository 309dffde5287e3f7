import type { AsOf, ExplainMemoryResult, MemoryAuditResult, RecallIndexResult, RecallResult } from '../../../services/api.js';
import type { OpenApp } from '../../../services/app.js';
import type { TestApp } from '../../support/app.js';
import { type Generator, NAMED_PROJECTS } from './long-log.js';

export type Answers = {
  readonly recalls: readonly RecallResult['results'][];
  readonly indexes: readonly RecallIndexResult['results'][];
  readonly audits: readonly MemoryAuditResult[];
  /** What else was asked, to the answer. */
  readonly others: Readonly<Record<string, unknown>>;
  /** The same of what is asked of one memory. */
  readonly ofMemories: Readonly<Record<string, unknown>>;
};
/** `tools`: which were asked, by name. */
export type Asked = { readonly answers: Answers; readonly moments: readonly AsOf[]; readonly tools: ReadonlySet<string> };

const SCOPES = [undefined, ...NAMED_PROJECTS] as const;

/** Asks everything that can be asked of a moment: as of it, or of now. `memories` are the keys of those that are asked about. */
export const askAll = async (
  { app: { queries } }: Pick<OpenApp, 'app'>,
  { questions, plans }: Pick<Generator, 'questions' | 'plans'>,
  memories: readonly string[],
  call: TestApp['call'],
  as_of?: string,
): Promise<Asked> => {
  const moments: AsOf[] = [];
  const tools = new Set<string>();
  const told = async <T extends { readonly as_of?: AsOf }>(tool: string, asked: Promise<T>): Promise<Omit<T, 'as_of'>> => {
    tools.add(tool);
    const { as_of: moment, ...answer } = await asked;
    if (moment) moments.push(moment);
    return answer;
  };

  // Before the recalls, which explain_memory tells of.
  const ofMemories: Record<string, unknown> = {};
  for (const key of memories) {
    tools.add('explain_memory');
    ofMemories[`explain_memory ${key}`] = ofThen(await queries.explainMemory({ key, as_of }, call));
    ofMemories[`get_experience ${key}`] = await told('get_experience', queries.getExperience({ key, as_of }, call));
  }

  const others: Record<string, unknown> = {};
  for (const project of SCOPES) {
    for (const max_tokens of [8_000, 900])
      others[`briefing ${project} ${max_tokens}`] = await told('briefing', queries.briefing({ project, max_tokens, as_of }, call));
    others[`experience_summary ${project}`] = await told('experience_summary', queries.experienceSummary({ project, as_of }, call));
    for (const query of plans)
      others[`warn_if_abandoned ${project} ${query}`] = await told(
        'warn_if_abandoned',
        queries.warnIfAbandoned({ query, project, as_of }, call),
      );
  }
  for (const project_name of NAMED_PROJECTS)
    others[`get_project_context ${project_name}`] = await told(
      'get_project_context',
      queries.getProjectContext({ project_name, as_of }, call),
    );
  others.list_projects = await told('list_projects', queries.listProjects({ as_of }, call));
  others.list_suppressions = await told('list_suppressions', queries.listSuppressions({ as_of }, call));

  const audits: MemoryAuditResult[] = [];
  for (const scope of [{ include_archived: true, limit: 200, offset: 100 }, { project: 'blue' }, { namespace: 'preference' as const }])
    audits.push(await told('memory_audit', queries.memoryAudit({ ...scope, as_of }, call)));

  const recalls: RecallResult['results'][] = [];
  const indexes: RecallIndexResult['results'][] = [];
  for (const question of questions) {
    const asked = { ...question, top_k: 20, score_breakdown: true, as_of };
    recalls.push((await told('recall', queries.recall(asked, call))).results);
    indexes.push((await told('recall_index', queries.recallIndex({ ...asked, snippet_length: 60 }, call))).results);
  }
  return { answers: { recalls, indexes, audits, others, ofMemories }, moments, tools };
};

/** Without what an explanation says of now only. */
const ofThen = ({ as_of: _asOf, ...explained }: ExplainMemoryResult): unknown => {
  if (explained.status === 'not_found') return explained;
  const { recall_count: _count, last_recalled: _last, lineage: _lineage, contradictions = [], ...rest } = explained;
  return { ...rest, contradictions: contradictions.map(({ other_state: _state, ...contradiction }) => contradiction) };
};
