import { writtenOut } from '../../../domain/project/compile.js';
import type { ProjectDirectory } from '../../../domain/project/directory.js';
import { projectKey } from '../../../domain/project/key.js';
import type { ContextTexts } from '../../../domain/project/text.js';
import type { MemoryRow } from '../../../projections/memories.js';
import { storedRows } from '../rows.js';

/** The context of a project with its drawn parts written out. */
export type ReadContext = {
  readonly name: string;
  readonly key: string;
  readonly version: number;
  readonly texts: ContextTexts;
  /** Names of the parts that are drawn from memories. */
  readonly compiled: readonly string[];
} & Pick<MemoryRow, 'state' | 'deprioritised_reason' | 'licence' | 'provenance' | 'created_at' | 'updated_at'>;

type Names = Pick<ProjectDirectory, 'namesOf'>;
type RowParts = Parameters<typeof storedRows>[0] & { readonly index: { readonly projects: Names } };

/** The contexts of these projects that have one, under whichever of its names, by the name asked for, from whatever holds the rows. At most two readings. */
export const contextsFrom = async (
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, MemoryRow>>,
  projects: Names,
  names: readonly string[],
): Promise<ReadonlyMap<string, ReadContext>> => {
  const rows = await read(names.flatMap((name) => projects.namesOf(name)).map(projectKey));
  const drawn = [...rows.values()].flatMap(({ context }) => Object.values(context?.drawn ?? {}).flat());
  const sources = drawn.length > 0 ? await read([...new Set(drawn)]) : new Map<string, MemoryRow>();
  return new Map(
    names.flatMap((name) => {
      const [row] = projects.namesOf(name).flatMap((one) => rows.get(projectKey(one)) ?? []);
      return row?.context ? [[name, contextOf(name, row, writtenOut(row.context, sources))] as const] : [];
    }),
  );
};

/** The same of one project, from the serving view. */
export const readContext = async (parts: RowParts, name: string): Promise<ReadContext | undefined> =>
  (await contextsFrom((keys) => storedRows(parts, keys), parts.index.projects, [name])).get(name);

const contextOf = (name: string, row: MemoryRow, texts: ContextTexts): ReadContext => ({
  name,
  key: row.key,
  version: row.version,
  texts,
  compiled: Object.keys(row.context?.drawn ?? {}),
  state: row.state,
  deprioritised_reason: row.deprioritised_reason,
  licence: row.licence,
  provenance: row.provenance,
  created_at: row.created_at,
  updated_at: row.updated_at,
});
