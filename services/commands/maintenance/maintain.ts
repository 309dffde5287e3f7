import { clip } from '../../../domain/passage.js';
import { parseProjectName } from '../../../domain/project/name.js';
import type { Call, MaintainInput, MaintainResult } from '../../api.js';
import { rowsOf } from '../../queries/rows.js';
import { type CommandParts, stampOf, visibility } from '../parts.js';
import { projectNames, suggested } from '../project-names.js';
import { type CarriedOut, carryOut } from './carry-out.js';
import { maintenanceDone } from './due.js';
import { oneAtATime } from './lease.js';
import { type Plan, planMaintenance } from './plan.js';

/** Who is written beside everything that maintenance does, whoever asked for it. */
export const MAINTENANCE_ACTOR = 'maintenance';
const NOTHING: Plan = { contradictions: [], duplicates: [], expired: [], knowing: [], left: 0 };
const SHOWN = 80;

/**
 * Looks through a project, or the whole store: older copies of a memory are archived, contradictions flagged, expired knowledge
 * archived, in one action that `undo` takes back whole. It erases nothing and changes no more than its cap. One run at a time.
 * Throws VALIDATION, CONFLICT while another run is under way, UNAVAILABLE.
 */
export const maintain = async (parts: CommandParts, input: MaintainInput, call: Call): Promise<MaintainResult> => {
  const named = input.project === undefined ? undefined : parseProjectName(input.project);
  const stamp = stampOf(parts, call);
  const first = stamp.repeatable ? await parts.log.firstAnswer(stamp.commandId) : undefined;
  if (first) return { ...(await told(parts, first.result as unknown as Summary)), ...(await visibility(parts, first)) };
  await parts.fresh();
  const suggestion = suggested(parts, named);
  // A name that was misspelt has nothing to tidy up, and no history of it.
  if (suggestion.project_suggestion) return { ...(await told(parts, summaryOf('dry_run', named, NOTHING))), ...suggestion };
  const projects = named === undefined ? undefined : projectNames(parts, named);
  const project = projects?.[0] ?? named;
  const plan = (): Promise<Plan> => planMaintenance(parts, { projects }, parts.maintenance.maxChanges, call.signal);
  if (input.dry_run === true) return told(parts, summaryOf('dry_run', project, await plan()));
  return oneAtATime(parts, async () => {
    const planned = await plan();
    const { appended, ...done } = await carryOut(parts, planned, {
      project,
      stamp: { ...stamp, actor: MAINTENANCE_ACTOR },
      always: true,
      answer: (decided) => ({ ...summaryOf('ran', project, { ...planned, ...decided }), correlation: stamp.commandId }),
    });
    if (project !== undefined) await maintenanceDone(parts, project);
    return {
      ...(await told(parts, { ...summaryOf('ran', project, { ...planned, ...done }), correlation: stamp.commandId })),
      ...(await visibility(parts, appended)),
    };
  });
};

/** Archives knowledge whose time is over, one capped run after another, until none is left. Answers how many there were. */
export const expireKnowledge = async (parts: CommandParts, signal: AbortSignal): Promise<number> => {
  let expired = 0;
  for (;;) {
    signal.throwIfAborted();
    await parts.fresh();
    const plan = await planMaintenance(parts, { projects: undefined, expiryOnly: true }, parts.maintenance.maxChanges, signal);
    if (plan.expired.length === 0) return expired;
    const stamp = stampOf(parts, { actor: MAINTENANCE_ACTOR });
    const options = { project: undefined, stamp, always: false, answer: () => ({}) };
    const done = await oneAtATime(parts, () => carryOut(parts, plan, options));
    if (done.expired.length === 0 || !(await settledAfter(parts, done))) return expired + done.expired.length;
    expired += done.expired.length;
  }
};

const settledAfter = async (parts: CommandParts, { appended }: CarriedOut): Promise<boolean> =>
  (await visibility(parts, appended)).visible !== false;

/** The answer without any text, as the store keeps it for a call that is repeated. */
type Summary = Omit<MaintainResult, 'contradictions_found'> & {
  readonly contradictions_found: readonly { readonly key_a: string; readonly key_b: string }[];
};

const summaryOf = (status: 'ran' | 'dry_run', project: string | undefined, plan: Plan): Summary => ({
  status: plan.contradictions.length + plan.duplicates.length + plan.expired.length === 0 ? 'nothing_to_do' : status,
  ...(project !== undefined && { project }),
  duplicates_archived: plan.duplicates.map(({ older, kept }) => ({ key: older.key, kept: kept.key })),
  contradictions_found: plan.contradictions.map(({ a, b }) => ({ key_a: a.key, key_b: b.key })),
  knowledge_expired: plan.expired.map(({ key }) => key),
  ...(plan.knowing.length > 0 && { kept_for_experience: plan.knowing.map(({ older, kept }) => ({ key: older.key, copy_of: kept.key })) }),
  left: plan.left,
});

const told = async (parts: CommandParts, summary: Summary): Promise<MaintainResult> => {
  const rows = await rowsOf(parts, [...new Set(summary.contradictions_found.flatMap(({ key_a, key_b }) => [key_a, key_b]))]);
  const content = (key: string): string => clip(rows.get(key)?.content ?? '', SHOWN);
  return {
    ...summary,
    contradictions_found: summary.contradictions_found.map(({ key_a, key_b }) => ({
      key_a,
      key_b,
      content_a: content(key_a),
      content_b: content(key_b),
    })),
  };
};
