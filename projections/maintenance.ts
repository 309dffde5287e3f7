import { objectIn } from './damaged.js';
import { type Applied, add, type Projection, set } from './projection.js';
import type { View } from './view.js';

/** What one run of maintenance did. */
export type MaintenanceRun = {
  /** Absent: it looked through the whole store. */
  readonly project?: string;
  /** ISO. */
  readonly ran_at: string;
  /** `omnimem undo` with it takes the run back. */
  readonly correlation: string;
  readonly duplicates_archived: readonly string[];
  readonly contradictions_found: readonly { readonly key_a: string; readonly key_b: string }[];
  readonly knowledge_expired: readonly string[];
  /** What there was beyond the cap of one run. */
  readonly left: number;
};

const runRow = (correlation: string): string => `run:${correlation}`;
/** Sets of `<time> <correlation>`. */
const STORE = 'runs';
const projectSet = (project: string): string => `runs:${project}`;
/** Set: the actions that took this one back. Whether they stand is asked at reading, so that no order matters. */
const undoneSet = (correlation: string): string => `undone:${correlation}`;

const apply = (event: Applied) => {
  if (event.type === 'ActionUndone') return [add(undoneSet(event.data.correlation), event.envelope.correlation)];
  if (event.type !== 'MaintenanceRan') return [];
  const { at, correlation } = event.envelope;
  const { project } = event.data;
  return [
    set(runRow(correlation), { at, data: JSON.stringify(event.data) }),
    add(project === undefined ? STORE : projectSet(project), `${at} ${correlation}`),
  ];
};

/** The runs of maintenance, by project, and what was undone since. */
export const maintenance: Projection = { name: 'maintenance', version: 2, handles: ['MaintenanceRan', 'ActionUndone'], apply };

type StoredRun = Omit<MaintenanceRun, 'ran_at' | 'correlation' | 'contradictions_found'> & {
  readonly contradictions_found: readonly (readonly [string, string])[];
};

/** Whether an action was taken back and is not done again: an undo that was itself undone does not count. */
const isUndone = async (view: View, correlation: string, asked: readonly string[] = []): Promise<boolean> => {
  const path = [...asked, correlation];
  for (const undo of await view.members(undoneSet(correlation), { limit: MOST_UNDOS }))
    if (!path.includes(undo) && !(await isUndone(view, undo, path))) return true;
  return false;
};

const MOST_UNDOS = 100;
const PAGE = 20;

const newestStanding = async (view: View, name: string): Promise<string | undefined> => {
  for (let offset = 0; ; offset += PAGE) {
    const page = await view.members(name, { offset, limit: PAGE, reverse: true });
    for (const member of page) if (!(await isUndone(view, member.split(' ')[1] ?? ''))) return member;
    if (page.length < PAGE) return undefined;
  }
};

/**
 * The newest run over a project, under all its names, or over the whole store when `projects` is absent, that was not undone;
 * undefined before the first. The keys in it may have been forgotten since.
 */
export const readLastMaintenance = async (view: View, projects?: readonly string[]): Promise<MaintenanceRun | undefined> => {
  const sets = projects?.map(projectSet) ?? [STORE];
  const newest = (await Promise.all(sets.map((name) => newestStanding(view, name)))).flatMap((member) => member ?? []).sort();
  const correlation = newest.at(-1)?.split(' ')[1];
  if (correlation === undefined) return undefined;
  const [row] = await view.rows([runRow(correlation)]);
  if (row?.data === undefined || row.at === undefined) return undefined;
  const data = objectIn<StoredRun>(row.data);
  if (!data) return undefined;
  const { contradictions_found, ...run } = data;
  return {
    ...run,
    ran_at: row.at,
    correlation,
    contradictions_found: contradictions_found.map(([key_a, key_b]) => ({ key_a, key_b })),
  };
};
