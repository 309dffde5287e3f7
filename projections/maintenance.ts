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

const apply = (event: Applied) => {
  if (event.type !== 'MaintenanceRan') return [];
  const { at, correlation } = event.envelope;
  const { project } = event.data;
  return [
    set(runRow(correlation), { at, data: JSON.stringify(event.data) }),
    add(project === undefined ? STORE : projectSet(project), `${at} ${correlation}`),
  ];
};

/** The runs of maintenance, by project. */
export const maintenance: Projection = { name: 'maintenance', version: 1, handles: ['MaintenanceRan'], apply };

type StoredRun = Omit<MaintenanceRun, 'ran_at' | 'correlation' | 'contradictions_found'> & {
  readonly contradictions_found: readonly (readonly [string, string])[];
};

/**
 * The newest run over a project, under all its names, or over the whole store when `projects` is absent; undefined before the
 * first. The keys in it may have been forgotten since.
 */
export const readLastMaintenance = async (view: View, projects?: readonly string[]): Promise<MaintenanceRun | undefined> => {
  const sets = projects?.map(projectSet) ?? [STORE];
  const newest = (await Promise.all(sets.map((name) => view.members(name, { limit: 1, reverse: true })))).flat().sort().at(-1);
  const correlation = newest?.split(' ')[1];
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
